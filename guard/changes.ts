/** What calls have changed: what stood there is kept before they write, listed, and found again to be set back. */
import { GatewayError } from "../core/errors.ts";
import type { AuditRow, Site } from "../core/model.ts";
import type { Before, ChangeRow, ChangesPort, KeptWrite, Revision } from "../registry/tool.ts";
import type { Beside, ChangeState, ChangeStore, Setback, Store } from "../store/store.ts";
import type { CallRecord, Ending } from "./audit/audit.ts";
import { destination, differing, hashParts } from "./consent/consent_content.ts";
import type { CallParts } from "./pipeline/context_ports.ts";

/** What would set back what a tool is about to write on a site. */
export const setbackOf = (tool: string, site: Site, before: Before, revision: Revision | null): Setback => ({
  tool,
  site_id: site.id,
  destination: destination(site),
  of: before.of,
  values: before.values,
  found: hashParts(revision),
});

/**
 * Keeps what stands where a call is about to write; answers what is to be committed with the row of its intent. What
 * becomes of it goes with the row of the outcome: what the call left, or that it did nothing.
 */
export async function keepBefore(
  changes: ChangeStore,
  record: CallRecord,
  grant: string,
): Promise<readonly Beside[]> {
  const { requestId: request_id, setbacks, undoes } = record;
  const site_id = record.site;
  if (site_id === null) return [];
  const kept = setbacks.length === 0 ? null : await changes.begin({
    request_id,
    site_id,
    grant,
    setbacks: setbacks.map(({ setback }) => setback!),
  });
  record.keeping = async (ending: Ending) => {
    const isNothing = "failure" in ending && ending.outcome === "none";
    const own = kept === null || kept.length === 0
      ? []
      : isNothing
      ? changes.dropped(request_id, site_id)
      : await changes.ended(request_id, site_id, setbacks.map(({ left }) => left));
    const undone = await Promise.all(
      isNothing ? [] : undoes.map((one) => changes.undone(one, site_id, request_id)),
    );
    return [...own, ...undone.flat()];
  };
  return kept ?? [];
}

/** What was opened of what is kept: nothing else can be set back. */
const opened = new WeakSet<KeptWrite>();

/** Whether it is what the gateway kept of a write, as it was opened. */
export const isKept = (write: KeptWrite): boolean => opened.has(write);

/** Rows of a page: each is short, so that a page is about 4 KB. */
const PAGE_ROWS = 10;
const UNKNOWN_ROWS = 3;
const FIELDS_NAMED = 8;

/** The changes of the call's site, as far as the caller may know of them. */
export function changesPort(
  { audit, changes, sites }: Pick<Store, "audit" | "changes" | "sites">,
  { caller, site, record }: CallParts,
): ChangesPort {
  const site_id = site?.id ?? "";
  const isMine = (grant: string) => caller.superAdmin || grant === caller.token.id;
  return {
    async list({ client, person, id, cursor, ...query }) {
      const wanted = {
        ...query,
        site_id,
        outcome: "made" as const,
        ...caller.superAdmin ? {} : { token_id: caller.token.id },
        ...client === undefined ? {} : { client_id: client },
        ...person === undefined ? {} : { owner_user_id: person },
      };
      const isOf = ({ result_id }: AuditRow) => id === undefined || String(result_id) === String(id);
      const { rows, next_cursor } = await audit.list(wanted, { limit: PAGE_ROWS, cursor });
      const doubted = cursor === undefined
        ? await audit.list({ ...wanted, outcome: "unknown" }, { limit: UNKNOWN_ROWS })
        : { rows: [] };
      const found = rows.filter(isOf);
      const states = await Promise.all(found.map((row) => changes.state(site_id, row.request_id)));
      return {
        rows: found.map((row, at) => rowOf(row, states[at]!)),
        unknown: doubted.rows.map((row) => rowOf(row, null)),
        next: next_cursor,
      };
    },
    async find(request_id) {
      const state = await changes.state(site_id, request_id);
      if (state === null || !isMine(state.grant)) throw unknown(request_id, site_id);
      refuseLost(state);
      const kept = await changes.find(site_id, request_id);
      if (kept === null) throw unknown(request_id, site_id);
      const writes: KeptWrite[] = [];
      for (const [at, { tool, site_id, destination: was, of, values, found }] of kept.setbacks.entries()) {
        const left = kept.left?.[at] ?? null;
        if (left === null) continue;
        const now = await sites.get(site_id);
        if (now === null || destination(now) !== was) throw moved(request_id, site_id);
        const write = Object.freeze({ request_id, tool, site_id, of, values, found, left });
        opened.add(write);
        writes.push(write);
      }
      return writes;
    },
    drifted: (left, now) => driftedParts(left, hashParts(now) ?? {}),
    undoes: (request_id) => void record.root.undoes.push(request_id),
  };
}

/** Parts that came to the plans of tools later: a change that was kept before says nothing of them. */
const ADDED: ReadonlySet<string> = new Set(["provider", "password"]);

/** Which parts are not what a write left. */
export const driftedParts = (
  left: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): string[] => differing(left, now).filter((part) => part in left || !ADDED.has(part));

const unknown = (request_id: string, site_id: string) =>
  new GatewayError(
    "E_NOT_FOUND",
    `request_id: of "${request_id}" nothing is kept that could be set back on site "${site_id}"; list_changes shows what ` +
      "can be taken back",
  );

const lost = (request_id: string, why: string) =>
  new GatewayError(
    "E_FORBIDDEN_OP",
    `request_id: "${request_id}" cannot be taken back, because ${why}; look at what stands there, and change it with the ` +
      "tool that did",
  );

const moved = (request_id: string, site_id: string) =>
  new GatewayError(
    "E_STALE_PREVIEW",
    `request_id: "${request_id}" was made where site "${site_id}" led to then; its settings have changed since, so nothing ` +
      "is set back there",
  );

/** Whether it is known of any write what it left. */
const isTold = (left: ChangeState["left"]) => left?.some((one) => one !== null) ?? false;

function refuseLost({ request_id, left, undone_by }: ChangeState): void {
  if (undone_by !== null) {
    throw new GatewayError(
      "E_STALE_PREVIEW",
      `request_id: "${request_id}" was taken back already, by request "${undone_by}"; to have it again take that one back`,
    );
  }
  if (!isTold(left)) throw lost(request_id, "it is under way, or nobody knows how it ended");
}

/** A row of the audit as a list of changes tells it. */
function rowOf(row: AuditRow, state: ChangeState | null): ChangeRow {
  const { request_id, at, tool, result_id, changes = [], token_name, client_id, owner_user_id } = row;
  const fields = [...new Set(changes.map(({ field }) => field))];
  return {
    request_id,
    at,
    tool,
    ...result_id === undefined ? {} : { id: result_id },
    ...fields.length === 0 ? {} : { fields: fields.slice(0, FIELDS_NAMED) },
    by: {
      token: token_name,
      ...client_id === undefined ? {} : { client: client_id },
      ...owner_user_id === null ? {} : { person: owner_user_id },
    },
    ...row._published === undefined ? {} : { live: row._published },
    ...row.error === null ? {} : { error: row.error },
    undoable: state !== null && isTold(state.left) && state.undone_by === null,
    ...state?.undone_by == null ? {} : { undone_by: state.undone_by },
  };
}
