/** Step 4: the tool that a call names, or that the tool stands for which it names; and what is refused of it at once. */
import { clipped, GatewayError } from "../../core/errors.ts";
import type { Caller } from "../../core/model.ts";
import { isFields } from "../../core/values.ts";
import type { AskedList } from "../../registry/asked_list.ts";
import { mayUse, outOfScope, searches, withinRequest } from "./scope.ts";
import { notThere } from "./site.ts";
import type { Catalog } from "../../registry/catalog.ts";
import type { ToolEntry } from "../../registry/entry.ts";
import { readsOnly } from "../../registry/manifest.ts";

/** The tool that is called, and with what. */
export interface Forwarded {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  /** Whether only what reads may be called so. */
  readonly onlyReads?: boolean;
}

const bad = (message: string) => new GatewayError("E_BAD_INPUT", `${message}; nothing was done`);

/** What others call the name of the tool that is to be called. */
const OTHER_NAMES = ["name", "tool_name", "toolName"];

/**
 * The call as it is carried out. Throws E_BAD_INPUT where what is to be called is not named, or is such a tool itself; what
 * else is wrong with it the next steps find. Whether a tool of a site's own writes is known only once it is found.
 */
export function forwarded(
  catalog: Pick<Catalog, "get">,
  caller: Caller,
  { tool, args }: Forwarded,
  narrowed?: AskedList,
): Forwarded {
  const forwards = catalog.get(tool, caller)?.manifest.forwards;
  if (forwards === undefined) return { tool, args };
  if (!mayUse(caller, tool, 0) && !searches(caller, narrowed)) throw outOfScope(tool);
  const { tool: named, arguments: given = {}, ...beside } = args;
  if (typeof named !== "string" || named === "") {
    const other = OTHER_NAMES.find((name) => typeof args[name] === "string");
    const meant = other === undefined ? "" : `; ${other}: unknown argument, did you mean tool`;
    throw bad(`tool: expected the name of the tool to call; find_tools finds it${meant}`);
  }
  if (!isFields(given)) {
    const instead = typeof given === "string" ? ", not a text of one; give the object itself" : "";
    throw bad(`arguments: expected an object with the arguments of the tool${instead}`);
  }
  if (catalog.get(named, caller)?.manifest.forwards !== undefined) {
    throw bad(`tool: "${named}" stands for other tools; name one of those`);
  }
  for (const [name, value] of Object.entries(beside)) {
    if (!BESIDE.includes(name)) {
      throw bad(`${clipped(name)}: unknown argument, what is for "${clipped(named)}" belongs into arguments`);
    }
    if (Object.hasOwn(given, name) && given[name] !== value) {
      throw bad(`${name}: is given twice, here and in arguments, and differs; give one`);
    }
  }
  return { tool: named, args: { ...given, ...beside }, onlyReads: forwards === "reads" };
}

/** What may stand beside `arguments` as well. */
const BESIDE: readonly string[] = ["site_id", "confirm", "confirm_token", "fields", "summary"];

const mayWrite = ({ manifest, offer }: ToolEntry) =>
  !readsOnly(manifest) || (offer?.writesAt.length ?? 0) > 0;

/** Step 4. Throws E_TOOL_NOT_FOUND; for a site out of scope E_SCOPE_DENIED, whatever tools that one has. */
export function entryOf(
  { catalog }: { readonly catalog: Pick<Catalog, "find"> },
  { tool, caller, args }: Forwarded & { readonly caller: Caller },
): ToolEntry {
  try {
    return catalog.find(tool, caller);
  } catch (thrown) {
    throw notThere(thrown, caller, args["site_id"]);
  }
}

/**
 * What of step 4 remains once the tool is found: it is hidden, writes where only what reads may be called, takes no body
 * of that size, or is left out by the request.
 */
export function refuseTool(
  entry: ToolEntry,
  { bytes, narrowed, onlyReads }: {
    readonly bytes: number;
    readonly narrowed?: AskedList;
    readonly onlyReads?: boolean;
  },
): void {
  const { name, offer, manifest } = entry;
  if (offer?.hidden !== undefined) throw hidden(name, offer.hidden);
  if (onlyReads && mayWrite(entry)) throw bad(`tool: "${name}" can write; call it with call_write_tool`);
  if (bytes > manifest.body_limit) throw tooLarge(name, manifest.body_limit);
  if (narrowed) withinRequest(narrowed, entry);
}

const hidden = (name: string, reason: string) =>
  new GatewayError("E_FORBIDDEN_OP", `"${name}" is refused: ${reason}`);

const tooLarge = (name: string, limit: number) =>
  new GatewayError(
    "E_PAYLOAD_TOO_LARGE",
    `The body is over ${limit / 1024} KiB, the most that "${name}" takes; send less`,
  );
