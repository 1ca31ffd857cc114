/** Joins what people see on the admin side of calls and of the gateway's own work, and what they do about it. */
import { onDemand } from "../core/async.ts";
import { type AuditRow, LIMITS, type Site } from "../core/model.ts";
import type { Proxies } from "../doors/proxies.ts";
import type { ApprovalDesk } from "../guard/approvals.ts";
import type { ApprovalViewsPorts } from "../guard/approval_views.ts";
import { recorder } from "../guard/audit/admin_row.ts";
import type { Doubts } from "../guard/audit/doubts.ts";
import type { Erasing } from "../guard/audit/erasing.ts";
import type { Retention } from "../guard/audit/retention.ts";
import { operatorFilters } from "../guard/change_filters.ts";
import { changeOf, changePage, type ChangeQuery } from "../guard/change_pages.ts";
import { FailedCalls } from "../guard/failed_calls.ts";
import { Lines, type LineStream } from "../core/say.ts";
import { callLine } from "../guard/call_log.ts";
import { type CallEnd, Figures } from "../guard/figures.ts";
import type { Jobs } from "../guard/jobs.ts";
import type { listLinkable } from "../guard/linkable.ts";
import type { MetricsText } from "../guard/metrics_text.ts";
import { operatorCalls } from "../guard/operator_calls.ts";
import type { Dispatch } from "../guard/pipeline/dispatch.ts";
import { RateLimit } from "../guard/pipeline/limits.ts";
import { guideOf, type ToolLists } from "../guard/tool_lists.ts";
import type { ListedPreview, PreviewAsk } from "../guard/preview_branches.ts";
import type { probeSite } from "../guard/probe.ts";
import type { Readiness } from "../guard/readiness.ts";
import type { TrialPorts } from "../guard/trials.ts";
import type { VendorWatch } from "../guard/vendor_watch.ts";
import { libraryImages } from "../platforms/_content/images.ts";
import type { Catalog } from "../registry/catalog.ts";
import type { Store } from "../store/store.ts";

/** The parts of a gateway that are joined. */
export interface OperatorParts {
  readonly ports: Omit<ApprovalViewsPorts, "desk" | "images">;
  readonly store: Store;
  readonly dispatch: Dispatch;
  readonly lists: ToolLists;
  readonly catalog: Catalog;
  readonly callerOf: TrialPorts["callerOf"];
  readonly approvals: ApprovalDesk;
  readonly retention: Retention;
  readonly doubts: Doubts;
  readonly erasing: Erasing;
  readonly jobs: Jobs;
  readonly noticed: Proxies;
  readonly watch: VendorWatch;
  readonly readiness: Readiness;
  readonly metrics: MetricsText;
  log(event: Record<string, unknown>): void;
  now(): number;
  newId(): string;
  logFault(requestId: string, thrown: unknown): void;
}

/** What of the admin side's ports is made of them. */
export function watched(parts: OperatorParts) {
  const {
    ports,
    store,
    dispatch,
    lists,
    catalog,
    approvals,
    jobs,
    noticed,
    watch,
    readiness,
    metrics,
    ...rest
  } = parts;
  const { callerOf, retention, doubts, erasing, log, now, newId } = rest;
  const record = recorder({ audit: store.audit, log }, newId, now);
  return {
    record,
    approvals,
    views: onDemand(async () => {
      const { Views } = await import("../guard/approval_views.ts");
      return new Views({ ...ports, desk: approvals, images: libraryImages });
    }),
    trials: onDemand(async () => {
      const { Trials } = await import("../guard/trials.ts");
      const guide = guideOf(lists, catalog);
      const find = (caller: Parameters<typeof guide>[0]["caller"]) => guide({ caller });
      const limit = new RateLimit(LIMITS.TRIALS_PER_MINUTE, "person", store.budgets);
      return new Trials({ store, lists, find, catalog, dispatch, callerOf, limit, record, now, newId });
    }),
    retention,
    doubts,
    erasing,
    operate: operatorCalls(dispatch, newId),
    changes: async (query: ChangeQuery, cursor?: string) =>
      await changePage(store, await operatorFilters(store, query), cursor),
    changeOf: async (row: AuditRow) => await changeOf(store, row),
    jobs: () => jobs.report(),
    problems: () => readiness.problems(),
    metrics: () => metrics.text(),
    proxies: () => noticed.report(),
    versions: () => watch.ending(),
  };
}

/** What is asked of the services of one site on the admin side; each is loaded when it is first asked for. */
export function siteWork({ ports, store, log, newId, logFault }: OperatorParts) {
  const report = logFault;
  const asking = { ...ports, audit: store.audit, log, newId, report };
  return {
    async setUp(site: Site, what: string, name: string) {
      const { setUpSite } = await import("../guard/site_setup.ts");
      return await setUpSite({ ...ports, store, newId }, { site, what, name });
    },
    async linkable(order: Parameters<typeof listLinkable>[1]) {
      const { listLinkable } = await import("../guard/linkable.ts");
      return await listLinkable(asking, order);
    },
    async probe(order: Parameters<typeof probeSite>[1]) {
      const { probeSite } = await import("../guard/probe.ts");
      return await probeSite(asking, order);
    },
    previews: {
      async list(ask: PreviewAsk) {
        const { listPreviews } = await import("../guard/preview_branches.ts");
        return await listPreviews({ ...asking, store }, ask);
      },
      async clean(ask: PreviewAsk, listed: readonly ListedPreview[]) {
        const { cleanPreviews } = await import("../guard/preview_branches.ts");
        return await cleanPreviews({ ...asking, store }, ask, listed);
      },
    },
  };
}

/** What is counted and logged of requests; each call is a line of `lines`, where there is such a place. */
export function watchOf(
  now: () => number,
  written: (event: Record<string, unknown>) => void,
  stream: LineStream | null,
) {
  const figures = new Figures();
  const failed = new FailedCalls({ now, log: written });
  const lines = stream === null ? null : new Lines(stream, "call_log_lines_left_out");
  const call = (end: CallEnd) => {
    figures.call(end);
    lines?.add(callLine(end));
  };
  return {
    figures,
    callLog: lines,
    /** Told how each call ended. */
    ended: lines === null ? figures.call.bind(figures) : call,
    log: failed.log,
    /** `refusedAt` names the door where no call was made of the request. */
    report(thrown: unknown, requestId: string, refusedAt?: string) {
      if (refusedAt !== undefined) figures.request(refusedAt, thrown);
      failed.told(requestId, thrown);
    },
  };
}
