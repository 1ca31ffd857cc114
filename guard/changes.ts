/** What calls have changed: what stood there is kept before they write, listed, and found again to be set back. */
import { GatewayError } from "../core/errors.ts";
import type { Site } from "../core/model.ts";
import type { Before, ChangesPort, ChangesQuery, KeptWrite, Revision } from "../registry/tool.ts";
import type { Beside, ChangeState, ChangeStore, NewChange, Setback, Store } from "../store/store.ts";
import type { CallRecord, Ending } from "./audit/audit.ts";
import { filtersOf, knownChanges, type Named } from "./change_filters.ts";
import { foldedPage, isTold, latestChanges } from "./change_pages.ts";
import { destination, differing, hashParts, TOO_LARGE } from "./consent/consent_content.ts";
import type { CallParts } from "./pipeline/context_ports.ts";
import { fitForRow } from "./pipeline/made.ts";

/** So many of the things that a call has made are kept beside its change. */
const MADE_MAX = 100;

/** What would set back what a tool is about to write on a site. */
export const setbackOf = (tool: string, site: Site, before: Before, revision: Revision | null): Setback => ({
  tool,
  site_id: site.id,
  destination: destination(site),
  of: before.of,
  values: before.values,
  ...before.byArguments ? { byArguments: true } : {},
  found: hashParts(revision),
});

/**
 * Keeps what stands where a call is about to write, or why that cannot be taken back; answers what is to be committed with
 * the row of its intent. What becomes of it goes with the row of the outcome: what the call left, what only the write
 * itself could tell, or that it did nothing.
 */
export async function keepBefore(
  changes: ChangeStore,
  record: CallRecord,
  grant: string,
): Promise<readonly Beside[]> {
  const { requestId: request_id, undoes } = record;
  const site_id = record.site;
  if (site_id === null) return [];
  const kept = await keepOf(changes, record, { request_id, site_id, grant });
  record.keeping = async (ending: Ending) => {
    const isNothing = "failure" in ending && ending.outcome === "none";
    const undone = await Promise.all(
      isNothing ? [] : undoes.map((one) => changes.undone(one, site_id, request_id)),
    );
    return [...await ended(isNothing), ...undone.flat()];
  };
  const ended = async (isNothing: boolean) => {
    if (isNothing) return kept.length === 0 ? [] : changes.dropped(request_id, site_id);
    const left = record.setbacks.map((one) => one.left);
    const made = record.allMade.slice(0, MADE_MAX).map(fitForRow);
    const isLate = [record, ...record.setbacks].some(({ toldLate }) => toldLate);
    if (isLate) return await keepOf(changes, record, { request_id, site_id, grant, left, made });
    return changes.ended(kept, left, made);
  };
  return kept;
}

/** What is to be committed of what the call has replaced, or of why that cannot be set back. */
async function keepOf(
  changes: ChangeStore,
  { setbacks, allFinal: final }: CallRecord,
  of: Omit<NewChange, "setbacks" | "final">,
): Promise<readonly Beside[]> {
  if (final === null && setbacks.length === 0) return [];
  if (final !== null) return await changes.begin({ ...of, setbacks: [], final }) ?? [];
  const kept = await changes.begin({ ...of, setbacks: setbacks.map(({ setback }) => setback!) });
  return kept ?? await changes.begin({ ...of, setbacks: [], final: TOO_LARGE }) ?? [];
}

/** What was opened of what is kept: nothing else can be set back. */
const opened = new WeakSet<KeptWrite>();

/** Whether it is what the gateway kept of a write, as it was opened. */
export const isKept = (write: KeptWrite): boolean => opened.has(write);

/** The changes of the call's site, as far as the caller may know of them. */
export function changesPort(
  { audit, changes, sites, ...named }: Pick<Store, "audit" | "changes" | "sites"> & Named,
  { caller, site, record }: CallParts,
): ChangesPort {
  const site_id = site?.id ?? "";
  const { id, undoes: asked_for = [], undoes_as } = caller.token;
  // Who was an admin when the token was made may be none by now.
  const undoes = undoes_as === "admin" && caller.owner?.role !== "admin" ? [] : asked_for;
  const isMine = ({ grant, request_id }: ChangeState) =>
    caller.superAdmin || grant === id || undoes.includes(request_id);
  const asked = async (query: ChangesQuery) => ({ ...await filtersOf(named, caller, query), site_id });
  return {
    list: async (query, apart) =>
      await foldedPage({ audit, changes }, await asked(query), query.cursor, apart),
    known: async (query) => await knownChanges({ audit, users: named.users }, await asked({}), query),
    async *latest(query) {
      yield* latestChanges({ audit, changes }, await asked(query));
    },
    async find(request_id) {
      const state = await changes.state(site_id, request_id);
      if (state === null || !isMine(state)) throw unknown(request_id, site_id);
      refuseLost(state);
      const kept = await changes.find(site_id, request_id);
      if (kept === null) throw unknown(request_id, site_id);
      const writes: KeptWrite[] = [];
      for (const [at, setback] of kept.setbacks.entries()) {
        const { site_id, destination: was, ...write } = setback;
        const left = kept.left?.[at] ?? null;
        if (left === null) continue;
        const now = await sites.get(site_id);
        if (now === null || destination(now) !== was) throw moved(request_id, site_id);
        const opening = Object.freeze({ request_id, site_id, ...write, left, made: state.made });
        opened.add(opening);
        writes.push(opening);
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

function refuseLost({ request_id, left, undone_by, final }: ChangeState): void {
  if (final !== null) {
    throw new GatewayError("E_FORBIDDEN_OP", `request_id: "${request_id}" cannot be taken back. ${final}`);
  }
  if (undone_by !== null) {
    throw new GatewayError(
      "E_STALE_PREVIEW",
      `request_id: "${request_id}" was taken back already, by request "${undone_by}"; to have it again take that one back`,
    );
  }
  if (!isTold(left)) throw lost(request_id, "it is under way, or nobody knows how it ended");
}
