/** A call as the MCP door hands it on to the pipeline. */
import { besideBy, type BesideName, headerOf, meantBy } from "../core/asked_names.ts";
import { excessError } from "../core/body.ts";
import { clipped } from "../core/errors.ts";
import { isFields } from "../core/values.ts";
import type { Excess } from "../core/json_extent.ts";
import type { Caller } from "../core/model.ts";
import type { Dispatch } from "../guard/pipeline/dispatch.ts";
import type { Asks } from "../guard/pipeline/input.ts";
import type { AskedList } from "../registry/asked_list.ts";
import type { Follower } from "../registry/tool.ts";
import { refuseHeaders, refuseInAddress } from "./asked_elsewhere.ts";

/** The name of the idempotency key in the `_meta` of a call. */
export const IDEMPOTENCY_KEY = "site-operations/idempotency-key";
/** What the names begin with of what a call asks beside its arguments. */
const PREFIX = "site-operations/";
const DRY_RUN = "site-operations/dry-run";
const CONFIRM = "site-operations/confirm";
const CONFIRM_TOKEN = "site-operations/confirm-token";
const ASKED = [IDEMPOTENCY_KEY, DRY_RUN, CONFIRM, CONFIRM_TOKEN] as const;

/** A call of a tool as this door hands it on. */
export interface McpCall {
  readonly caller: Caller;
  /** What its address and headers leave out of the tools. */
  readonly narrowed: AskedList;
  readonly tool: string;
  readonly arguments: Record<string, unknown>;
  /** What the arguments have too much of; then they were left unread. */
  readonly excess: Excess | null;
  readonly bodyBytes: number;
  /** Whether an agent reads the answer, of which more than it can hold is left out. */
  readonly isBounded?: boolean;
  /** As `_meta` of the request carries it. */
  readonly idempotencyKey?: string;
  readonly asks?: Asks;
  readonly requestId: string;
  /** Set where its client wants to know how far it is. */
  readonly follower?: Follower;
  /** Aborts when the client leaves. */
  readonly left: () => AbortSignal;
}

/** Runs such calls as those of the other door are run. */
export const dispatched = (dispatch: Dispatch) => (call: McpCall): Promise<unknown> => {
  const {
    caller,
    narrowed,
    tool,
    arguments: args,
    bodyBytes,
    excess,
    isBounded,
    idempotencyKey,
    asks,
    requestId,
    follower,
    left,
  } = call;
  return dispatch({
    door: "mcp",
    caller,
    narrowed,
    tool,
    isBounded,
    idempotencyKey,
    asks,
    requestId,
    follower,
    left,
    parse() {
      if (excess !== null) throw excessError(excess, "arguments");
      return { args, bytes: bodyBytes };
    },
  });
};

/**
 * What a call asks beside its arguments: a site's own tool may have arguments of these names. A class, for a function of
 * each call's own would be made anew for each.
 */
export class AskedInMeta implements Asks {
  constructor(
    private readonly request: Pick<Request, "url" | "headers">,
    private readonly meta: Readonly<Record<string, unknown>>,
    /** That of a preview, where the client comes back once a person was there. */
    private readonly token: string | null,
  ) {}

  get dry_run(): unknown {
    return this.meta[DRY_RUN];
  }

  get confirm(): unknown {
    return this.meta[CONFIRM];
  }

  get confirm_token(): unknown {
    return this.token ?? this.meta[CONFIRM_TOKEN];
  }

  judge(): void {
    refuseInAddress(this.request.url, inItsPlace);
    refuseHeaders(this.request.headers, inItsPlace);
  }
}

const nameOf = (meant: BesideName): string => `${PREFIX}${headerOf(meant)}`;
const inItsPlace = (meant: BesideName): string => `send "${nameOf(meant)}" in _meta, beside the arguments`;

/** The members of a call's parameters that are read, or are the protocol's. */
const PARAMS: ReadonlySet<string> = new Set([
  "name",
  "arguments",
  "_meta",
  "requestState",
  "inputResponses",
  "task",
]);

/** Why a member of a call's parameters or of `_meta` is refused that would ask nothing as it is spelt; null where there is none. */
export function misspelt(params: Readonly<Record<string, unknown>>): string | null {
  for (const name of Object.keys(params)) {
    const meant = PARAMS.has(name) ? null : besideBy(name);
    if (meant !== null) {
      return `params: "${clipped(name)}" asks nothing there; ${inItsPlace(meant)}; nothing was done`;
    }
  }
  if (!isFields(params._meta)) return null;
  for (const name of Object.keys(params._meta)) {
    const plain = name.includes("/") ? null : besideBy(name);
    const meant = plain === null ? meantBy(name, ASKED) : nameOf(plain);
    if (meant !== null) {
      return `_meta: "${clipped(name)}" is unknown, did you mean "${meant}"; nothing was done`;
    }
  }
  return null;
}
