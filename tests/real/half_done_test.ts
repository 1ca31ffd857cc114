/** What a real WordPress holds after a call that was refused, or that failed half-way: the whole database is looked at. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import { type Args, DOORS, freshPng, PNG } from "../cms_kit.ts";
import { fixture } from "../companion/site.ts";
import { fresh, onWordPress, Real } from "./_wordpress.ts";

/** Every row of the database, by table. */
async function dump(at: Real): Promise<Record<string, string[]>> {
  const { status, body } = await at.ask.send("admin", "GET", "/wp-json/dump/v1/rows");
  assert.equal(status, 200, JSON.stringify(body));
  return body as unknown as Record<string, string[]>;
}

onWordPress({
  async "a call that is refused leaves the whole database as it was"(site) {
    await using at = await Real.open(site);
    const post_id = await at.ask.draft("ed", { title: fresh("Mine"), content: "x" });
    const mine = { post_id, tags: [fresh("orphan-tag")], categories: [fresh("Orphans")] };
    const draft = {
      title: fresh("Never"),
      content_html: "x",
      tags: ["orphan-tag"],
      categories: [fresh("O")],
    };
    const image = { filename: "a.png", content_base64: freshPng() };
    const child = { taxonomy: "category", name: fresh("Child"), parent_id: 99_999 };
    const page = { title: fresh("Never"), content_html: "x", parent_id: 99_999 };
    const person = /^author_id: the site has no person 777;/;
    const cases: [string, string, Args, Code, RegExp][] = [
      ["acme", "create_draft", { ...draft, author_id: 777 }, "E_BAD_INPUT", person],
      ["editor", "create_draft", { ...draft, author_id: 777 }, "E_BAD_INPUT", person],
      ["acme", "update_draft", { ...mine, author_id: 777 }, "E_BAD_INPUT", person],
      ["author", "create_draft", { ...draft, author_id: 1 }, "E_UPSTREAM", /edit_others_posts/],
      [
        "acme",
        "create_draft",
        { ...draft, featured_media_id: 99_999 },
        "E_BAD_INPUT",
        /^featured_media_id: /,
      ],
      ["author", "create_draft", draft, "E_UPSTREAM", /may not make categories/],
      ["author", "update_draft", mine, "E_UPSTREAM", /403/],
      ["acme", "update_draft", { ...mine, post_id: 99_999 }, "E_UPSTREAM", /404/],
      ["acme", "create_taxonomy", child, "E_BAD_INPUT", /^parent_id: the site has no category 99999;/],
      ["acme", "create_page_draft", page, "E_BAD_INPUT", /^parent_id: /],
      ["acme", "upload_media", { ...image, post_id: 99_999 }, "E_UPSTREAM", /404/],
      ["subscriber", "upload_media", image, "E_UPSTREAM", /upload_files/],
    ];
    const before = await dump(at);
    for (const [site_id, tool, args, code, says] of cases) {
      await at.kit.refuses(tool, { site_id, ...args, confirm: true }, code, says, "reads");
      assert.deepEqual(await dump(at), before, `${tool} on ${site_id}`);
    }
  },

  async "an answer to an upload names the image in a header, which a failure after it carries too"(site) {
    await using at = await Real.open(site);
    const headers = { "content-type": "image/png", "content-disposition": 'attachment; filename="a.png"' };
    const sent = await at.ask.rest("admin", "POST", "/media", Uint8Array.fromBase64(PNG), headers);
    assert.equal(sent.status, 201);
    assert.equal(sent.headers.get("x-wp-upload-attachment-id"), String(sent.body["id"]));
  },

  async "an author without published posts may be named by an account that cannot see people"(site) {
    await using at = await Real.open(site);
    const args = {
      site_id: "editor",
      title: fresh("Theirs"),
      content_html: "x",
      author_id: site.users.sub.id,
    };
    const { done } = await at.kit.write("rest", "create_draft", args);
    assert.equal((await at.stored(done.id))["author"], site.users.sub.id);
  },

  async "terms of a draft that a plugin broke off are named, to the caller and in the audit"(site) {
    await using at = await Real.open(site);
    for (const door of DOORS) {
      const tag = fresh("Half");
      const before = await dump(at);
      const args = {
        site_id: "acme",
        title: fresh("[peek fails]"),
        content_html: "x",
        tags: [tag],
        confirm: true,
      };
      const ending = await at.kit.gw.end("create_draft", args, { door });
      assert.ok("code" in ending && ending.code === "E_UPSTREAM", JSON.stringify(ending));
      const after = await dump(at);
      const terms = after["terms"]!.filter((row) => !before["terms"]!.includes(row));
      assert.equal(terms.length, 1);
      const id = Number(JSON.parse(terms[0]!).term_id);
      const doubt =
        `; by then it had made tag ${id} ("${tag}"); a part of the change was made, the outcome is unknown: ` +
        'look at the site with "list_drafts" before trying again';
      assert.ok(ending.message.endsWith(doubt), ending.message);
      const [row] = await at.kit.rows(1);
      assert.deepEqual(row?.made, [{ what: "tag", id, name: tag }]);
    }
  },
}, { plugins: [fixture("peek"), fixture("dump")] });
