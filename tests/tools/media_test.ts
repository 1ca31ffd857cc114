/** Images, tags and categories through both doors. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import { type Args, DOORS, PNG } from "../cms_kit.ts";
import { test, world } from "./_stand_in.ts";

for (const door of DOORS) {
  test(`upload_media through ${door} puts the very bytes into the library, then its texts`, async (at) => {
    const { done, row } = await at.kit.write<Args>(door, "upload_media", {
      site_id: "acme",
      filename: "../Über uns.php.PNG",
      content_base64: PNG,
      mime_type: "image/png",
      alt_text: "Us",
      title: "About us",
      caption: "All of us",
      post_id: at.draft.id,
    });
    const url = `${at.cms.base_url}/wp-content/uploads/2026/11/Uber-uns-php.png`;
    assert.deepEqual(done, { id: done["id"], url, mime_type: "image/png", width: 1, height: 1 });
    assert.equal((await (await fetch(url)).bytes()).toBase64(), PNG);
    const stored = at.cms.posts.get(done["id"] as number)!;
    assert.deepEqual(
      [stored.title, stored.excerpt, stored.parent, stored.file!.alt_text],
      ["About us", "All of us", at.draft.id, "Us"],
    );
    assert.deepEqual([row.tier, row.result_id], [1, done["id"]]);
  });

  test(`create_taxonomy through ${door} makes a term once`, async (at) => {
    const make = (args: Args) =>
      at.kit.write<Args>(door, "create_taxonomy", { site_id: "acme", taxonomy: "category", ...args });
    const parent = await make({ name: "R&D", slug: "research", description: "What we find" });
    assert.deepEqual(parent.done, {
      id: 2,
      name: "R&D",
      slug: "research",
      count: 0,
      parent_id: null,
      description: "What we find",
      created: true,
    });
    assert.deepEqual([parent.row.tier, parent.row.result_id, parent.row.changes], [1, 2, [
      { field: "name", from: null, to: "R&D" },
      { field: "slug", from: null, to: "research" },
      { field: "description", from: null, to: "What we find" },
    ]]);
    const child = await make({ name: "Robots", parent_id: "2" });
    assert.deepEqual([child.done["parent_id"], child.done["created"]], [2, true]);
    const again = await make({ name: "r&d" });
    assert.deepEqual([again.done["id"], again.done["created"], again.row.changes], [2, false, []]);
    const names = [...at.cms.state.terms.values()].map(({ name }) => name);
    assert.deepEqual(names, ["Uncategorized", "R&amp;D", "Robots"]);
  });
}

test("list_taxonomies answers tags or categories by their plain names, by text and page", async (at) => {
  const { gw } = at.kit;
  for (const name of ["R&D", "News", "Newsroom"]) {
    await gw.call("create_taxonomy", { site_id: "acme", taxonomy: "tag", name, confirm: true });
  }
  const list = (args: Args) => at.kit.both<Args & { terms: Args[] }>("list_taxonomies", args);
  const all = await list({ site_id: "author", taxonomy: "tag" });
  assert.deepEqual(all.terms.map(({ name }) => name), ["News", "Newsroom", "R&D"]);
  assert.deepEqual(
    all.terms[2],
    { id: 2, name: "R&D", slug: "rd", count: 0, parent_id: null, description: "" },
  );
  const { terms: _, ...rest } = all;
  assert.deepEqual(rest, { taxonomy: "tag", page: 1, per_page: 50, total: 3, total_pages: 1 });
  const found = await list({ site_id: "acme", taxonomy: "tag", search: "R&D" });
  assert.deepEqual(found.terms.map(({ name }) => name), ["R&D"]);
  const second = await list({ site_id: "acme", taxonomy: "tag", per_page: 2, page: 2 });
  assert.deepEqual([second.terms.length, second.total_pages], [1, 2]);
  const categories = await list({ site_id: "acme", taxonomy: "category" });
  assert.deepEqual(categories.terms.map(({ name, count }) => [name, count]), [["Uncategorized", 1]]);
});

test("previews of an upload and of a term say what would be made and make nothing", async (at) => {
  const large = new Uint8Array(3000);
  large.set(Uint8Array.fromBase64(PNG));
  const upload = await at.kit.preview(
    "upload_media",
    { site_id: "acme", filename: "Team photo.jpeg", content_base64: large.toBase64(), alt_text: "Us" },
  );
  assert.equal(upload.summary, 'Upload the image "Team-photo.png" (image/png, 3 KiB) to acme');
  assert.deepEqual(upload.changes, [
    { field: "filename", from: null, to: "Team-photo.png" },
    { field: "mime_type", from: null, to: "image/png" },
    { field: "alt_text", from: null, to: "Us" },
  ]);
  assert.ok(!JSON.stringify(upload).includes("content_base64"), "the bytes are not sent back");
  const term = { site_id: "acme", taxonomy: "category" };
  const fresh = await at.kit.preview("create_taxonomy", { ...term, name: "Fresh" });
  assert.deepEqual([fresh.summary, fresh.changes], ['Make the category "Fresh" on acme', [
    { field: "name", from: null, to: "Fresh" },
  ]]);
  const known = await at.kit.preview("create_taxonomy", { ...term, name: "uncategorized" });
  assert.deepEqual([known.summary, known.changes], [
    'Make nothing: the category "uncategorized" on acme is there already (id 1)',
    [],
  ]);
  assert.deepEqual(at.cms.writes, []);
});

test("an image of 20 MiB is taken, a byte more is not", async (at) => {
  const image = (bytes: number) => {
    const made = new Uint8Array(bytes);
    made.set(Uint8Array.fromBase64(PNG));
    return { site_id: "acme", filename: "a.png", content_base64: made.toBase64() };
  };
  const MIB = 1024 * 1024;
  const upload = await at.kit.gw.call<Args>("upload_media", { ...image(20 * MIB), confirm: true });
  assert.equal(upload["mime_type"], "image/png");
  const says = /^content_base64: an image of more than 20971520 bytes$/;
  await at.kit.refuses("upload_media", image(20 * MIB + 1), "E_FILE_TOO_LARGE", says);
  await at.kit.gw.refuses("upload_media", image(22 * MIB), "E_PAYLOAD_TOO_LARGE", /body/, { door: "rest" });
});

Deno.test("upload_media takes an image from a public address without credentials, and from no private one", async () => {
  const asked: { url: string; headers: string[] }[] = [];
  await using at = await world({
    http: { lookup: (host) => Promise.resolve([host === "inside.example" ? "10.0.0.7" : "93.184.216.34"]) },
    fetch: (input, init) => {
      const url = String(input);
      if (url.startsWith("http://127.0.0.1")) return fetch(input, init);
      asked.push({ url, headers: [...new Headers(init?.headers).keys()] });
      return Promise.resolve(new Response(Uint8Array.fromBase64(PNG)));
    },
  });
  const args = { site_id: "acme", filename: "a", source_url: "https://files.example/a?size=1" };
  const { done } = await at.kit.write<Args>("mcp", "upload_media", args);
  assert.match(String(done["url"]), /\/a\.png$/);
  assert.deepEqual(asked, [{ url: args.source_url, headers: ["accept", "user-agent"] }]);
  const refused: [source_url: string, says?: RegExp][] = [
    ["https://inside.example/a.png"],
    ["https://169.254.169.254/latest/"],
    ["https://localhost/a.png"],
    ["https://127.0.0.1/a.png"],
    ["https://[::1]/a.png"],
    ["https://user:pass@files.example/a.png", /^source_url: /],
    ["http://files.example/a.png", /^source_url: /],
    ["ftp://files.example/a.png", /^source_url: /],
    ["file:///etc/passwd", /^source_url: /],
    ["data:image/png;base64,AAAA", /^source_url: /],
  ];
  for (const [source_url, says = /^source_url: only a public https address/] of refused) {
    const call = { ...args, source_url, confirm: true };
    await at.kit.refuses("upload_media", call, "E_BAD_INPUT", says, "reads");
  }
  assert.equal(asked.length, 1);
});

Deno.test("what an address answers is refused before anything is uploaded: no image, too large, not there, or inside", async () => {
  const away = { location: "https://169.254.169.254/latest/" };
  const image = () => new Response(Uint8Array.fromBase64(PNG));
  const rows: [what: string, answer: () => Response, code: Code, says: RegExp, more?: Args][] = [
    ["HTML", () => new Response("<html>"), "E_BAD_INPUT", /^source_url: the bytes are not those of a PNG/],
    [
      "404",
      () => new Response("", { status: 404 }),
      "E_UPSTREAM",
      /^source_url: "files\.example" answered 404/,
    ],
    ["21 MiB", () => new Response(new Uint8Array(21 * 1024 * 1024)), "E_UPSTREAM", /more than \d+ bytes/],
    ["a redirect", () => new Response(null, { status: 302, headers: away }), "E_BAD_INPUT", /^source_url: /],
    ["a PNG", image, "E_BAD_INPUT", /^mime_type: .*, but the bytes are image\/png/, {
      mime_type: "image/gif",
    }],
  ];
  let answered: string[] = [];
  let answer = image;
  await using at = await world({
    http: { lookup: () => Promise.resolve(["93.184.216.34"]) },
    fetch: (input, init) => {
      if (String(input).startsWith(at.cms.base_url)) return fetch(input, init);
      answered.push(String(input));
      return Promise.resolve(answer());
    },
  });
  const source_url = "https://files.example/a.png";
  for (const [what, given, code, says, more] of rows) {
    [answer, answered] = [given, []];
    const args = { site_id: "acme", filename: "a", source_url, confirm: true, ...more };
    await at.kit.refuses("upload_media", args, code, says, "reads");
    assert.deepEqual(new Set(answered), new Set([source_url]), what);
  }
  assert.deepEqual(at.cms.writes, []);
});
