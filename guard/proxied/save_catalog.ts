/** Keeps what a tool server answered when it was asked for its list: of two answers the one that was asked for later. */
import type { Proxies } from "../../registry/proxies.ts";
import type { CatalogTool, Store, ToolCatalog, ToolPins } from "../../store/store.ts";
import { failuresAfter } from "./schedule.ts";
import { type Listed, pinsDigest } from "./listed_tools.ts";
import { pinsOf, pinsWithFirstSeen } from "./pins.ts";

/** What a server was asked as, and what came of it. */
export interface Answered {
  readonly plain: Pick<
    ToolCatalog,
    "site_id" | "source" | "server" | "bound_to" | "credentials_version" | "tried_at" | "unheld"
  >;
  readonly source: Proxies;
  log(event: Record<string, unknown>): void;
  /** For how many seconds the server asked to be left alone, where it was not listed. */
  readonly wait?: number | undefined;
  /** What it listed, or why it was not listed. */
  readonly answer: Listed & { readonly exists: boolean; readonly listed: number } | string;
}

type Catalogs = Store["toolCatalogs"];

const TRIES_MAX = 5;
const NOTHING = { tools: [], pins: {} };

/** Keeps it in the place of `before`, or of what another one kept meanwhile that had asked earlier. */
export async function saveCatalog(
  toolCatalogs: Catalogs,
  before: ToolCatalog | null,
  answered: Answered,
): Promise<void> {
  const { plain } = answered;
  let standing = before;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    if (await put(toolCatalogs, standing, answered)) return;
    standing = await toolCatalogs.get(plain);
    if (standing !== null && standing.tried_at > plain.tried_at) return;
  }
}

/** No clock shows a time that far off: so much is asked for in words that mean "never". */
const SECONDS_MAX = 10 ** 9;

const laterBy = (at: string, seconds: number) =>
  new Date(Date.parse(at) + Math.min(seconds, SECONDS_MAX) * 1000).toISOString();

async function put(
  toolCatalogs: Catalogs,
  before: ToolCatalog | null,
  { plain, source, answer, wait, log }: Answered,
): Promise<boolean> {
  // What was known of another place is known of nothing.
  const known = before?.bound_to === plain.bound_to ? before : null;
  if (typeof answer === "string") {
    const last = known ?? { exists: false, fetched_at: null, listed: 0, digest: "", pins_digest: "" };
    const failures = failuresAfter(plain, known);
    const not_before = wait === undefined ? null : laterBy(plain.tried_at, wait);
    const catalog = { ...last, ...plain, failure: answer, failures, not_before };
    return await toolCatalogs.put(before, catalog, known ? undefined : NOTHING);
  }
  const { tools, digest, exists, listed } = answer;
  const { pins: pinned, isDamaged } = known
    ? await pinsOf(toolCatalogs, known, { source, tools, log })
    : { pins: {}, isDamaged: false };
  const pins = await pinsWithFirstSeen(toolCatalogs, { source, tools, pins: pinned, at: plain });
  const pins_digest = pinsDigest(pins);
  const isSame = !isDamaged && known?.digest === digest && known.pins_digest === pins_digest;
  if (known && !isSame) await keepPinned(toolCatalogs, known, pinned, tools);
  const fetched = { exists, fetched_at: plain.tried_at, failure: null, failures: 0, listed };
  const catalog = { ...plain, ...fetched, digest, pins_digest };
  return await toolCatalogs.put(before, catalog, isSame ? undefined : { tools, pins });
}

/** Keeps what a pinned tool was before it changed, so that an operator sees what changed. */
async function keepPinned(
  toolCatalogs: Catalogs,
  before: ToolCatalog,
  pins: ToolPins,
  tools: readonly CatalogTool[],
): Promise<void> {
  const now = new Map(tools.map((one) => [one.name, one.hash]));
  // What cannot be read any more is not there to be compared with.
  for (const { name, hash, tool } of await toolCatalogs.tools(before).catch(() => null) ?? []) {
    if (tool && pins[name] === hash && now.get(name) !== hash) await toolCatalogs.keepText(hash, tool);
  }
}
