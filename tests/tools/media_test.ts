/** Images, tags and categories through both doors. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import { type Args, DOORS, freshPng, PNG, type Preview } from "../cms_kit.ts";
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

for (const door of DOORS) {
  test(`the very file that is in the library already is answered through ${door}, never uploaded again`, async (at) => {
    const args = { site_id: "acme", filename: "team.png", content_base64: freshPng(), alt_text: "Us" };
    const first = await at.kit.write<Args>(door, "upload_media", args);
    assert.equal(first.done["already_there"], undefined);
    for (const filename of ["team.png", "Other name.png"]) {
      const preview = await at.kit.preview("upload_media", { ...args, filename });
      assert.match(preview.summary, /^Upload nothing: the very file .* as media \d+ \(http/);
      assert.deepEqual([preview.changes, preview.warnings], [[], []]);
      const again = await at.kit.write<Args>(door, "upload_media", { ...args, filename });
      assert.deepEqual(again.done, { ...first.done, already_there: true });
      assert.deepEqual([again.proof.verified, again.row.result_id], [true, first.done["id"]]);
      assert.match(again.proof.warnings.join(), /already, and was not uploaded again/);
    }
    const other = await at.kit.write<Args>(door, "upload_media", { ...args, alt_text: "Them", title: "T" });
    assert.equal(other.proof.verified, false);
    assert.match(other.proof.warnings.join(), /^alt_text: not set,.*title: not set,/);
    const library = [...at.cms.posts.values()].filter(({ type }) => type === "attachment");
    assert.deepEqual(library.map(({ file }) => file!.alt_text), ["Us"]);
  });
}

test("a file of the same size and name is another file, and is uploaded", async (at) => {
  const upload = (content_base64: string) =>
    at.kit.write<Args>("rest", "upload_media", { site_id: "acme", filename: "team.png", content_base64 });
  const [one, two] = [freshPng(), freshPng()];
  assert.equal(one.length, two.length);
  const ids = [await upload(one), await upload(two)].map(({ done }) => done["id"]);
  assert.notEqual(ids[0], ids[1]);
  assert.equal((await upload(two)).done["id"], ids[1]);
});

test("a file that the site made smaller is known by the one it keeps beside", async (at) => {
  const content_base64 = freshPng();
  const args = { site_id: "acme", filename: "large.png", content_base64 };
  const { done } = await at.kit.write<Args>("rest", "upload_media", args);
  const { file } = at.cms.posts.get(done["id"] as number)!;
  file!.scaled = { path: file!.path.replace(".png", "-scaled.png"), filesize: 68 };
  const again = await at.kit.write<Args>("rest", "upload_media", args);
  assert.deepEqual([again.done["id"], again.done["already_there"]], [done["id"], true]);
});

test("twenty equal uploads at once make one attachment", async (at) => {
  const args = { site_id: "acme", filename: "team.png", content_base64: freshPng(), confirm: true };
  const all = await Promise.all(
    Array.from({ length: 20 }, () => at.kit.gw.call<Args>("upload_media", args)),
  );
  assert.equal(new Set(all.map(({ id }) => id)).size, 1);
  assert.equal(all.filter(({ already_there }) => already_there === true).length, 19);
});

test("where the file of a like image cannot be read, or the library not be listed, it is uploaded and said so", async (at) => {
  const content_base64 = freshPng();
  const args = { site_id: "acme", filename: "team.png", content_base64 };
  const { done } = await at.kit.write<Args>("rest", "upload_media", args);
  const fails = async (path: RegExp, says: RegExp) => {
    at.cms.inject({ kind: "answer", status: 403, body: { code: "x", message: "No" } }, { path, times: 3 });
    const { summary, warnings } = await at.kit.gw.call<Preview>("upload_media", args);
    assert.match(summary, /^Upload the image/);
    assert.match(warnings.join(), says);
    at.cms.clearFaults();
  };
  const like = new RegExp(`^Media ${done["id"]} .* could not be read, so it is uploaded again`);
  await fails(/\/wp-content\/uploads\//, like);
  await fails(/\/wp\/v2\/media/, /in the media library already could not be read/);
});

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
