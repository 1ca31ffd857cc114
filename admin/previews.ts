/** Preview branches of static sites: listed, and deleted where they are merged, for whoever holds the master token. */
import type { Hono } from "hono";
import { z } from "zod";
import { closed, expected, text } from "../core/fields.ts";
import { checked } from "../core/faults.ts";
import { LIMITS } from "../core/model.ts";
import { callerOf } from "../identity/rights.ts";
import { SITE_ID } from "./bodies.ts";
import { answer, jsonObject } from "./exchange.ts";
import type { AdminPorts } from "./ports.ts";

const MOST = LIMITS.PREVIEW_REMOVALS_MAX;
const listed = text("<branch>@<commit> as it was listed", /^[^\s@\p{Cc}]{1,200}@[0-9a-f]{40}$/u);
const body = closed({
  site_id: text("a site id", SITE_ID).optional(),
  confirm: z.array(listed, { error: expected(`a list of at most ${MOST} branches`) })
    .min(1, { error: () => "expected at least one branch" })
    .max(MOST, { error: () => `expected at most ${MOST} branches; the rest in another request` })
    .transform((list) => [...new Set(list)]).optional(),
});

/** Adds the route of preview branches. */
export function previewRoutes(app: Hono, ports: AdminPorts): void {
  app.post("/admin/api/previews", async (c) => {
    const { site_id, confirm } = checked(body, await jsonObject(c.req.raw));
    const ask = { by: callerOf(c).actor, ...site_id === undefined ? {} : { site_id } };
    if (confirm === undefined) return answer(c, await ports.previews.list(ask));
    const named = confirm.map((one) => {
      const [branch, commit] = one.split("@");
      return { branch: branch!, commit: commit! };
    });
    return answer(c, await ports.previews.clean(ask, named));
  });
}
