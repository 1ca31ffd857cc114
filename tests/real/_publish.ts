/** Edits of what goes live with a post or page, made between its preview and the confirmed call. */
import assert from "node:assert/strict";
import type { Json } from "../sandbox/asker.ts";
import { fresh, type Real } from "./_wordpress.ts";

/** What a person changes after the preview, by the part that the refusal names. */
const EDITS: readonly (readonly [part: string, fields: Json, kind?: "posts" | "pages"])[] = [
  ["sticky", { sticky: true }, "posts"],
  ["format|terms", { format: "aside" }, "posts"],
  ["comments", { comment_status: "closed" }, "posts"],
  ["comments", { comment_status: "open" }, "pages"],
  ["comments", { ping_status: "closed" }, "posts"],
  ["menu_order", { menu_order: 7 }, "pages"],
  ["slug", { slug: "elsewhere-now" }],
  ["excerpt", { excerpt: "By a person" }, "posts"],
  ["password", { password: "secret" }],
  ["author_id", { author: 1 }],
];

/** Fields of editors and themes. */
export const META: readonly (readonly [part: string, meta: Json])[] = [
  ["meta", { subtitle: "By a person" }],
  ["meta", { hero_image: "7" }],
];

/** A person edits a draft after its preview: the confirmed call is refused, naming the part. */
export async function refusedAfter(
  at: Real,
  kind: "posts" | "pages",
  part: string,
  edit: (id: number) => Promise<unknown>,
) {
  const id = await at.ask.draft("ed", { title: fresh("Live"), content: "<p>x</p>" }, kind);
  const [tool, key] = kind === "posts" ? ["publish_post", "post_id"] : ["publish_page", "page_id"];
  const args = { site_id: "open", [key!]: id };
  const { confirm_token } = await at.kit.gw.call<{ confirm_token: string }>(tool!, args);
  await edit(id);
  const ending = await at.kit.gw.end(tool!, { ...args, confirm: true, confirm_token });
  const told = `${tool} ${part}: ${JSON.stringify(ending)}`;
  assert.ok("code" in ending && ending.code === "E_STALE_PREVIEW", told);
  assert.match(ending.message, new RegExp(`"(${part})"`), told);
  assert.equal((await at.stored(id, kind))["status"], "draft");
}

/** Every part that core REST shows. */
export async function approved(at: Real): Promise<void> {
  for (const [part, fields, only] of EDITS) {
    for (const kind of ["posts", "pages"] as const) {
      if (only !== undefined && only !== kind) continue;
      await refusedAfter(at, kind, part, async (id) => {
        const own = fields["slug"] === undefined ? fields : { slug: `${fields["slug"]}-${id}` };
        const { status, body } = await at.ask.rest("admin", "POST", `/${kind}/${id}`, own);
        assert.equal(status, 200, JSON.stringify(body));
      });
    }
  }
  const made = await at.ask.rest("admin", "POST", "/categories", { name: fresh("Category") });
  const ids = [made.body["id"] as number];
  await refusedAfter(
    at,
    "posts",
    "categories",
    (id) => at.ask.rest("ed", "POST", `/posts/${id}`, { categories: ids }),
  );
}
