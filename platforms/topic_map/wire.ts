/** One request to the topic-planning service: signed, within the site's workspace, its answer read as the contract says. */
import type { z } from "zod";
import { GatewayError } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import type { ConnectorContext } from "../_connector/connector.ts";
import type { Outgoing } from "../_http/request.ts";
import { isRefusal, refusal, unreadable } from "./errors.ts";
import { type TopicMapSettings, workspacesAddress } from "./routes.ts";
import { Summarizer, whole } from "./summary.ts";

export type TopicMapContext = ConnectorContext<TopicMapSettings>;

/** Further parts of an address; what is undefined is left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** How one request is read. */
export interface Reading {
  readonly query?: Query;
  /** Whether long lists are cut. */
  readonly summary?: boolean;
  /** What a caller can do where the answer is too large. */
  readonly smaller?: string;
}

/** Reads and writes below the list of workspaces; throws what `refusal` and `unreadable` make of a failure. */
export class Wire {
  constructor(private readonly ctx: TopicMapContext) {}

  /** Asks. Throws E_PAYLOAD_TOO_LARGE where what is left after summarising is over the limit. */
  async read<T>(shape: z.ZodType<T>, path: string, reading: Reading = {}): Promise<T> {
    const { query = {}, summary = false } = reading;
    const given = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]]
    );
    const url = `${workspacesAddress(this.ctx.settings)}${path}`;
    const max = LIMITS.TOPICMAP_RESULT_BYTES;
    let summarizer = new Summarizer(max);
    const reducer = () => (summarizer = new Summarizer(max));
    const out: Outgoing = {
      method: "GET",
      url: given.length === 0 ? url : `${url}?${new URLSearchParams(given)}`,
      headers: this.#signed(),
      effect: "read",
      max_bytes: LIMITS.TOPICMAP_EXPORT_BYTES,
      ...(summary ? { reducer } : {}),
    };
    const answer = await this.ctx.send(out);
    if (answer.status !== 200) throw refusal(answer, out, this.#secrets());
    const read = summary ? summarizer.result() : whole(answer.bytes, max);
    if ("value" in read) return shaped(shape, read.value, out);
    if (read.fault === "unreadable") throw unreadable(out, "it is not JSON");
    const { smaller = "ask for less at once" } = reading;
    throw new GatewayError(
      "E_PAYLOAD_TOO_LARGE",
      `The topic-planning service's answer is over ${max / 1024 / 1024} MB; ${smaller}`,
    );
  }

  /** Sends a write once, under a key of its own. */
  async write<T>(shape: z.ZodType<T>, path: string, json: unknown): Promise<T> {
    const out: Outgoing = {
      method: "POST",
      url: `${workspacesAddress(this.ctx.settings)}${path}`,
      headers: { ...this.#signed(), "idempotency-key": crypto.randomUUID() },
      json,
      effect: "write",
      isRefusal,
      deadline_ms: LIMITS.TOPICMAP_WRITE_DEADLINE_MS,
    };
    const answer = await this.ctx.send(out);
    if (answer.status < 200 || answer.status > 299) throw refusal(answer, out, this.#secrets());
    return shaped(shape, answer.json(), out);
  }

  #signed(): Record<string, string> {
    const { settings, request_id } = this.ctx;
    const authorization = `Bearer ${settings.TOPICMAP_BOT_TOKEN}`;
    return request_id === undefined ? { authorization } : { authorization, "x-request-id": request_id };
  }

  #secrets(): string[] {
    const { TOPICMAP_BOT_TOKEN: token } = this.ctx.settings;
    return token === null ? [] : [token];
  }
}

function shaped<T>(shape: z.ZodType<T>, value: unknown, out: Outgoing): T {
  const read = shape.safeParse(value);
  if (read.success) return read.data;
  const [first] = read.error.issues;
  const at = first?.path.map(String).join(".") || "the answer";
  throw unreadable(out, `${at} is not as the contract says`);
}
