/** Whether visitors see at once what is changed on a page of a site. */
import { GatewayError } from "../../core/errors.ts";
import { hasLead } from "../../rules/schedule.ts";
import { contentStates } from "../_content/posts.ts";
import type { ProxyContext } from "./proxied_context.ts";

/** How a page stands before a change. */
export interface PageState {
  /** Whether it is a page or a post that can be read; what is neither may be anything, or nothing at all. */
  readonly isKnown: boolean;
  /** Why a change of it is seen at once, or may be; in lower case, without a full stop. Null where it is not. */
  readonly live: string | null;
  /** What to know of a change: when it is seen, who else is at it. */
  readonly warnings: readonly string[];
}

/** What visitors cannot see, whoever asks. */
const HIDDEN: ReadonlySet<string> = new Set(["draft", "pending", "auto-draft"]);

/**
 * Reads how the page stands. One that cannot be found, as a page or a post, may be anything that visitors see: a
 * template, a header. Throws E_FORBIDDEN_OP where it is in the bin, E_UPSTREAM.
 */
export async function pageState(ctx: ProxyContext, id: number): Promise<PageState> {
  const state = await (await ctx.use(contentStates)).find(id);
  if (state === null) {
    return {
      isKnown: false,
      live:
        `no page or post with the id ${id} can be read (see that it is the right one): whatever else has it may ` +
        "be shown to visitors already",
      warnings: [],
    };
  }
  const { status, scheduled_at, siteNow, editing: warnings } = state;
  const known = { isKnown: true };
  if (status === "trash") {
    const message = `Page ${id} is in the bin; restore it in the CMS first`;
    throw new GatewayError("E_FORBIDDEN_OP", message, { outcome: "none" });
  }
  if (HIDDEN.has(status)) return { ...known, live: null, warnings };
  if (status !== "scheduled") {
    const seen = status === "published" ? "published, and visitors see the change at once" : `"${status}"`;
    return { ...known, live: `page ${id} is ${seen}`, warnings };
  }
  const due = Date.parse(scheduled_at ?? "");
  if (!hasLead(due, siteNow)) {
    return {
      ...known,
      live: `page ${id} goes live at ${scheduled_at ?? "a moment that is not known"}`,
      warnings,
    };
  }
  return {
    ...known,
    live: null,
    warnings: [
      ...warnings,
      `Page ${id} was scheduled when the call began: what was changed goes live at ${scheduled_at}, where it still is`,
    ],
  };
}
