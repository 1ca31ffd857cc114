/** What a gateway is to those who open one, and what they may put in place of the real thing. */
import type { Sending } from "../core/connections.ts";
import type { PassphraseCost } from "../identity/sign_in/passphrase.ts";
import type { OAuthParts } from "../identity/oauth/parts.ts";
import type { ApprovalDesk } from "../guard/approvals.ts";
import type { Doubts } from "../guard/audit/doubts.ts";
import type { Erasing } from "../guard/audit/erasing.ts";
import type { Jobs } from "../guard/jobs.ts";
import type { Figures } from "../guard/figures.ts";
import type { MetricsText } from "../guard/metrics_text.ts";
import type { LineStream } from "../core/say.ts";
import type { DispatchPorts } from "../guard/pipeline/dispatch.ts";
import type { CountedRefusals } from "../guard/audit/counted.ts";
import type { Retention } from "../guard/audit/retention.ts";
import type { Snapshots } from "../guard/snapshots.ts";
import type { Anchoring } from "../guard/audit/anchoring.ts";
import type { VendorWatch } from "../guard/vendor_watch.ts";
import type { Deliveries } from "../guard/webhooks/deliveries.ts";
import type { Connector } from "../platforms/_connector/connector.ts";
import type { Http } from "../platforms/_http/http.ts";
import type { Catalog } from "../registry/catalog.ts";
import type { ToolSource } from "../registry/source.ts";
import type { StoreOptions } from "../store/kv.ts";
import type { Store } from "../store/store.ts";

/** What tests and the sandbox may put in place of the real thing. */
export interface Replacements {
  /** Where further tools come from while the gateway runs. */
  readonly sources?: readonly ToolSource[];
  /** What reaches sites' own tool servers. */
  readonly toolServers?: Connector;
  /** Puts something around the store that was opened. */
  readonly wrapStore?: (store: Store) => Store;
  readonly http?: Http;
  /** What the store depends on: its KV, what says that an operation takes too long, and which files have held one. */
  readonly storage?: Pick<StoreOptions, "open" | "around" | "clock" | "known">;
  /** Who has signed in at the browser that sends a request. */
  readonly signedIn?: OAuthParts["signedIn"];
  /** Told of every answer of a tool that is no refusal. */
  readonly answers?: DispatchPorts["answers"];
  /** Where the lines of calls go, where the settings ask for them. */
  readonly callLog?: LineStream;
  /** What a passphrase costs to judge. */
  readonly passphraseCost?: PassphraseCost;
  /** Waits within a call; rejects as soon as the signal aborts. */
  readonly delay?: (ms: number, signal?: AbortSignal) => Promise<void>;
  now?(): number;
  log?(event: Record<string, unknown>): void;
}

/** A gateway ready to serve. */
export interface Gateway {
  /** Answers one request; `info` says who sent it, where that is known. */
  fetch(request: Request, info?: Sending): Response | Promise<Response>;
  readonly store: Store;
  readonly catalog: Catalog;
  readonly retention: Retention;
  readonly counted: CountedRefusals;
  readonly doubts: Doubts;
  readonly erasing: Erasing;
  readonly approvals: ApprovalDesk;
  /** Sends to webhooks. */
  readonly webhooks: Pick<Deliveries, "run" | "test" | "resend" | "judge">;
  readonly snapshots: Snapshots;
  /** Keeps the catalogues of sites' own tools. */
  readonly toolCatalogs: { run(): Promise<boolean> };
  /** Says which versions of upstreams end soon. */
  readonly watch: VendorWatch;
  readonly anchoring: Anchoring;
  /** What runs on clocks, as this process has seen it. */
  readonly jobs: Pick<Jobs, "retry">;
  /** What is counted of calls. */
  readonly figures: Figures;
  /** What goes up and down: as it was looked at last, and looking again. */
  readonly state: Pick<MetricsText, "gauges" | "refresh">;
  /** Writes one line to the log. */
  log(event: Record<string, unknown>): void;
  /** From now on /readyz answers 503. */
  drain(): void;
  /** From now on /readyz says that it stops; everything else is as it was. */
  leave(): void;
  /** Resolves once nothing of a change set is under way any more; after `drain` none of its items is begun. */
  setsAtRest(): Promise<void>;
  /** Closes the connections to upstreams: what waits for one fails now. */
  cutOff(): void;
  /** Flushes the audit, closes the store and the connections that were kept. */
  close(): Promise<void>;
}
