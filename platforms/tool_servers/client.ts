/** Asks the tool servers of one site: which tools they have, and what one of them answers. */
import { LIMITS } from "../../core/model.ts";
import { ToolServerError, unreadable } from "./errors.ts";
import { toolOf } from "./listing.ts";
import { cmsResult, crmResult } from "./results.ts";
import { heardTooOften } from "./paced.ts";
import { LENDERS, placesOf, possibleServers } from "./servers.ts";
import { askInSession } from "./session.ts";
import type { ServerRef, ToolServers, UpstreamResult, UpstreamTool } from "./types.ts";
import { callHeld, type HeldAnswer, type HoldOrder } from "./held_call.ts";
import type { Reply, ToolServerContext } from "./wire.ts";

/** More than any server lists, and than any result has: what is left of so many bytes once each is looked at. */
const ROWS_MAX = 20_000;
const ITEMS_MAX = 1000;

/** The tool servers of the call's site. */
export class ToolServersClient implements ToolServers {
  constructor(private readonly ctx: ToolServerContext) {}

  possible(): readonly ServerRef[] {
    return possibleServers(this.ctx.site);
  }

  async list(ref: ServerRef, turn = () => Promise.resolve()): Promise<readonly UpstreamTool[] | null> {
    const tools: UpstreamTool[] = [];
    const cursors = new Set<string>();
    let left: number = LIMITS.TOOL_LIST_BYTES;
    let rows = 0;
    for (let cursor: string | undefined;;) {
      const page = await this.#page(ref, cursor, Math.min(left, LIMITS.TOOL_PAGE_BYTES));
      if (page === null) return null;
      for (const row of page.rows) {
        await turn();
        if (++rows > ROWS_MAX) throw this.#unusable(ref, `its list has more than ${ROWS_MAX} tools`);
        const tool = toolOf(row);
        if (tool !== null) tools.push(tool);
      }
      if (page.next === undefined) return tools;
      left -= page.bytes;
      if (left <= 0 || cursors.has(page.next) || cursors.size >= LIMITS.TOOL_LIST_PAGES - 1) {
        throw this.#unusable(ref, "its list of tools does not end");
      }
      cursors.add(cursor = page.next);
    }
  }

  async call(
    ref: ServerRef,
    name: string,
    args: Readonly<Record<string, unknown>>,
    { writes }: { readonly writes: boolean },
  ): Promise<UpstreamResult> {
    const effect = writes ? "write" : "read";
    const reply = await askInSession(this.ctx, ref, {
      method: "tools/call",
      params: { name, arguments: args },
      effect,
      max_bytes: LIMITS.TOOL_RESULT_BYTES,
      deadline_ms: LIMITS.TOOL_CALL_DEADLINE_MS,
    });
    const read = this.#result(ref, reply, effect);
    if (ref.source === "crm" && read.status === 429) {
      await heardTooOften(this.ctx, this.ctx.borrow(LENDERS.crm));
    }
    return read;
  }

  async held(
    ref: ServerRef,
    name: string,
    args: Readonly<Record<string, unknown>>,
    order: HoldOrder,
  ): Promise<HeldAnswer> {
    const read = (reply: Reply) => this.#result(ref, reply, "write");
    return await callHeld(this.ctx, { ref, name, args }, order, read);
  }

  #result(ref: ServerRef, { result }: Reply, effect: "read" | "write"): UpstreamResult {
    const read = ref.source === "crm" ? crmResult(result) : cmsResult(result);
    if (read === null) throw this.#unusable(ref, "a tool's result has no content", effect);
    if (read.content.length > ITEMS_MAX) {
      throw this.#unusable(ref, `a tool's result has more than ${ITEMS_MAX} items`, effect);
    }
    return read;
  }

  /** One page of the list; null where the site has no such server. */
  async #page(ref: ServerRef, cursor: string | undefined, max_bytes: number) {
    try {
      const { result, bytes } = await askInSession(this.ctx, ref, {
        method: "tools/list",
        params: cursor === undefined ? {} : { cursor },
        effect: "read",
        max_bytes,
        deadline_ms: LIMITS.UPSTREAM_DEADLINE_MS,
      });
      const { tools, nextCursor } = result;
      if (!Array.isArray(tools)) throw this.#unusable(ref, "its list of tools is no list");
      const next = typeof nextCursor === "string" && nextCursor !== "" ? nextCursor : undefined;
      return { rows: tools as readonly unknown[], next, bytes };
    } catch (thrown) {
      if (thrown instanceof ToolServerError && thrown.isAbsent && ref.source === "cms") return null;
      throw thrown;
    }
  }

  #unusable(ref: ServerRef, why: string, effect: "read" | "write" = "read"): ToolServerError {
    const [url = ""] = placesOf(ref, this.ctx);
    return unreadable(ref, { method: "POST", url, effect }, why);
  }
}
