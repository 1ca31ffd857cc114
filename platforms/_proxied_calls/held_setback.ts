/** How a site sets back what a held call of its own tool replaced: shown by a dry run of that, and kept only if it equals it. */
import type { Undoing } from "../../core/content.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Change } from "../../core/model.ts";
import { holds } from "../_content/holds.ts";
import { changesOf, named, SET_BACK, undoingOf, VISIBLE, visibleOf } from "./held_effects.ts";
import type { ProxyContext, ProxyRaise } from "./proxied_context.ts";

/** What was kept of a held call. */
interface Kept {
  readonly of: Readonly<Record<string, unknown>>;
  readonly values: Readonly<Record<string, unknown>>;
}

/** What setting it back would do. */
interface SetbackPlan {
  readonly summary: string;
  readonly changes: readonly Change[];
  readonly revision: Readonly<Record<string, unknown>>;
  readonly raises: readonly ProxyRaise[];
  readonly before: Kept;
  readonly state: { readonly expect: string };
}

/** What was set back, with what would take that back again. */
export interface SetBack {
  readonly result: Readonly<Record<string, unknown>>;
  readonly undoing: Undoing;
}

/** The way back of a site's own tool. */
export interface SetbackHandler {
  plan(kept: Kept, ctx: ProxyContext): Promise<SetbackPlan>;
  run(kept: Kept, ctx: ProxyContext, plan?: { readonly state?: unknown }): Promise<SetBack>;
}

/** A site holds one call at a time: the others wait here, and not at the site, which refuses them after some seconds. */
export const HELD_LOCK = "held call";

/** What is put into the place of the image once the site has told its own. */
const LATER = {};

/** How what a tool of that name replaced is set back. */
export function settingBack(name: string): SetbackHandler {
  return {
    async plan({ of, values: { image, sum } }, ctx) {
      const client = await ctx.use(holds);
      const state = await client.state();
      if (!state.ready) throw unheld(name, state.why);
      const { id, held } = await ctx.exclusively(HELD_LOCK, () => client.rehearseSetback(String(image)));
      const over = held.labels.filter((label) => !SET_BACK.has(label));
      if (over.length > 0) throw unfit(name, over);
      const shown = visibleOf(held);
      return {
        summary: `Set back what "${name}" changed on ${ctx.site.name}: ${named(held)}`,
        changes: changesOf(held),
        revision: { rows: sum },
        raises: [
          { tier: 2, because: `"${name}" writes` },
          ...shown.length === 0 ? [] : [{
            flags: ["allow_publish" as const],
            code: "E_PUBLISH_NOT_ALLOWED" as const,
            published: true,
            because: `visitors see this at once: it would have ${named(held, [...VISIBLE])}`,
          }],
        ],
        before: { of, values: LATER },
        state: { expect: id },
      };
    },
    async run({ values: { image } }, ctx, plan) {
      const client = await ctx.use(holds);
      const { expect } = plan!.state as SetbackPlan["state"];
      const order = { expect, grant: ctx.grant };
      const { id, held } = await ctx.exclusively(HELD_LOCK, () => client.setBack(String(image), order));
      if (held !== null) ctx.annotate({ changes: changesOf(held) });
      const undoing = held === null
        ? { final: "What was changed could not be read from the site" }
        : undoingOf(id, held);
      return { result: { held: id }, undoing };
    },
  };
}

const unheld = (name: string, why: string) =>
  new GatewayError(
    "E_FORBIDDEN_OP",
    `What "${name}" changed is set back only by a site that holds the call (${why}); nothing was sent`,
    { outcome: "none" },
  );

const unfit = (name: string, over: readonly string[]) =>
  new GatewayError(
    "E_FORBIDDEN_OP",
    `What "${name}" changed is not set back, for it would have effects of other kinds too: ${
      over.join(", ")
    }; a person ` +
      "does it in the CMS",
    { outcome: "none" },
  );
