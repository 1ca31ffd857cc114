/** Sites of a real WordPress whose channel is the companion plugin, and entries put there past it. */
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import type { NewSite } from "../../store/store.ts";
import { site as register } from "../kit.ts";
import type { Json } from "../sandbox/asker.ts";
import type { Real } from "./_wordpress.ts";

/** "schema" as an editor, "leave" with allow_seo_on_published, "writer" an author, "locked" by a wrong password. */
export function schemaSites({ base_url, users }: CmsSandbox): NewSite[] {
  const at = (id: string, { username, application_password }: typeof users.ed, more: Partial<NewSite> = {}) =>
    register(id, "cms", {
      base_url,
      credentials: { cms: { username, application_password } },
      seo: { channel: "plugin" },
      ...more,
    });
  return [
    at("schema", users.ed),
    at("leave", users.ed, { flags: { allow_seo_on_published: true } }),
    at("writer", users.auth),
    at("locked", { ...users.ed, application_password: "abcd efgh ijkl mnop qrst uvwx" }),
  ];
}

/** What is stored of a post, its meta too; with `post`, `meta` or `options` it is put there first. */
export async function stored(at: Real, body: Json): Promise<{ id: number; post: Json; meta: Json }> {
  const { body: peeked } = await at.ask.send("admin", "POST", "/wp-json/peek/v1/ask", body);
  return peeked as unknown as { id: number; post: Json; meta: Json };
}

/** A global entry that shows everywhere but on the page for what is missing; its number. */
export async function markup(at: Real, title: string, value: unknown, status = "publish"): Promise<number> {
  const meta: Json = {
    "bsf-aiosrs-schema-type": "custom-markup",
    "bsf-aiosrs-schema-location": { rule: ["basic-global"], specific: [] },
    "bsf-aiosrs-schema-exclusion": { rule: ["special-404"] },
    ...value === undefined ? {} : { "bsf-aiosrs-custom-markup": value },
  };
  const post = { post_type: "aiosrs-schema", post_title: title, post_status: status };
  return (await stored(at, { post, meta })).id;
}
