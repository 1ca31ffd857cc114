/** Pictures, drawn pages and previews of a request: who may see it loads them, from where they may be, and nothing else is sent. */
import assert from "node:assert/strict";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { PNG } from "../cms_kit.ts";
import { approver, ask, asking, edit } from "../tools/_approvals.ts";
import type { World } from "../tools/_stand_in.ts";
import { bytesOf, PersonBrowser, plain, unescaped } from "./kit.ts";

const LIST = "/admin/approvals";
const PIXEL = Uint8Array.fromBase64(PNG);

/** Puts a file into the library of the site. */
function file(at: World, name: string, bytes = PIXEL, alt_text = ""): number {
  const mime_type = "image/png";
  return addPost(at.cms.state, {
    ...{ type: "attachment", author: 1, status: "inherit", title: name, slug: name },
    file: { path: `2026/11/${name}`, mime_type, bytes, width: 1, height: 1, alt_text },
  }).id;
}

const picturesOf = (text: string) =>
  [...text.matchAll(/<img src="([^"]+)" alt="([^"]*)" loading="lazy"/g)].map(([, src, alt]) => [src!, alt!]);

/** The paths that were asked of the site since, but by its API, which the plan asks. */
function asked(at: World, since: number): string[] {
  return at.cms.requests.slice(since).map(({ path }) => path).filter((path) => !path.startsWith("/wp/v2/"));
}

Deno.test("pictures that come and go stand on the page, served by us as what they are, to who may see the request", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const eve = await approver(at, "eve@agency.example", { approve_sites: ["acme"] });
  const [old, next] = [file(at, "old.png", PIXEL, "The <old> team"), file(at, "new.png")];
  at.edit(at.draft, {
    featured_media: old,
    content:
      `<p>x</p><img class="a" src="/wp-content/uploads/2026/11/old.png?ver=2" alt="Before &amp; after">`,
  });
  const content_html = `<p>x</p><img alt='Now' src=${at.cms.base_url}/wp-content/uploads/2026/11/new.png>`;
  const request = await ask(at, edit(at, { featured_media_id: next, content_html }));
  const path = `${LIST}/${request.approval.id}`;
  const page = await bea.browser.open(path);
  const found = picturesOf(page.text);
  assert.deepEqual(found.map(([, alt]) => unescaped(alt!)), [
    "Before & after",
    "Now",
    "The <old> team",
    "A picture that nobody has described",
  ]);
  assert.match(plain(page.text), /Pictures .*Now .*old\.png.*Then .*new\.png/);
  assert.match(
    page.headers.get("content-security-policy")!,
    /; img-src 'self'; frame-src 'self'; form-action/,
  );
  assert.ok(bytesOf(page.text) < 100_000);
  assert.equal(new Set(found.map(([src]) => src)).size, 2, "one that is shown twice is one");
  const before = at.cms.requests.length;
  for (const [src] of found) {
    const { status, headers } = await bea.browser.open(src!);
    assert.deepEqual([status, headers.get("content-type")], [200, "image/png"]);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("content-security-policy"), "default-src 'none'; sandbox");
    assert.match(headers.get("cache-control")!, /^private, /);
  }
  assert.equal(asked(at, before).every((one) => one.startsWith("/wp-content/uploads/2026/11/")), true);
  for (const { headers } of at.cms.requests.slice(before)) assert.equal(headers["authorization"], undefined);
  const after = at.cms.requests.length;
  assert.equal((await eve.browser.open(found[0]![0]!)).status, 404, "who cannot see the request");
  const stranger = await new PersonBrowser(at.kit.gw).open(found[0]![0]!, { stay: true });
  assert.match(stranger.path, /^\/admin\/sign-in\?/);
  assert.equal(at.cms.requests.length, after, "and nothing was asked of the site");
  assert.equal((await bea.browser.open(`${path}/pictures/0123456789abcdef0123`)).status, 404);
  assert.deepEqual(asked(at, after), [], "nor for what no page has named, but for the plan");
  await bea.browser.open(path);
  await bea.browser.submit(`${path}/reject`, {});
  assert.equal((await bea.browser.open(found[0]![0]!)).status, 404, "of what waits no more");
});

Deno.test("what is no picture, too large, elsewhere, private or led away is said in words, and nothing is sent there", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const text = (bytes: string) => new TextEncoder().encode(bytes);
  file(at, "script.png", text("<script>alert(1)</script>"));
  file(at, "drawn.png", text('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>'));
  file(at, "large.png", new Uint8Array([...PIXEL, ...new Uint8Array(9 * 1024 * 1024)]));
  const leads: Readonly<Record<string, string>> = {
    "/away.png": "https://evil.example/x.png",
    "/private.png": "http://169.254.169.254/latest/meta-data",
    "/admin.png": "/wp-admin/admin-ajax.php",
    "/circle.png": "/circle.png",
    "/moved.png": "/wp-content/uploads/2026/11/script.png",
  };
  at.cms.state.leads.push((path) =>
    leads[path] === undefined ? null : { destination: leads[path], status: 302 }
  );
  const uploads = "/wp-content/uploads/2026/11";
  const fetched: readonly [src: string, says: RegExp, asked: readonly string[]][] = [
    [`${uploads}/script.png`, /is no PNG, JPEG, GIF, WebP or AVIF/, [`${uploads}/script.png`]],
    [`${uploads}/drawn.png`, /is no PNG, JPEG, GIF, WebP or AVIF/, [`${uploads}/drawn.png`]],
    [`${uploads}/large.png`, /more than 8388608 bytes/, [`${uploads}/large.png`]],
    [`${uploads}/none.png`, /answers 404 to a visitor/, [`${uploads}/none.png`]],
    ["/away.png", /"https:\/\/evil\.example" is not where its upstream is/, ["/away.png"]],
    ["/private.png", /169\.254\.169\.254" is not where its upstream is/, ["/private.png"]],
    ["/admin.png", /"wp-admin" is where a site is run/, ["/admin.png"]],
    ["/circle.png", /leads on and on/, ["/circle.png", "/circle.png", "/circle.png", "/circle.png"]],
    ["/moved.png", /is no PNG, JPEG/, ["/moved.png", `${uploads}/script.png`]],
    ["/wp-admin/x.png", /"wp-admin" is where a site is run/, []],
    ["/picture.php?id=7", /its query "id" names no page/, []],
  ];
  const unfetched = [
    "http://169.254.169.254/x.png",
    "https://evil.example/x.png",
    "//evil.example/y.png",
    "data:image/png;base64,AAAA",
    "file:///etc/passwd.png",
    "/logo.svg",
    "javascript:alert(1)",
  ];
  const images = [...fetched.map(([src]) => src), ...unfetched].map((src) => `<img src="${src}">`).join("\n");
  const request = await ask(at, edit(at, { content_html: images }));
  const page = await bea.browser.open(`${LIST}/${request.approval.id}`);
  const found = picturesOf(page.text);
  assert.equal(found.length, fetched.length);
  assert.equal(page.text.match(/It is not shown: /g)?.length, unfetched.length);
  assert.match(
    plain(page.text),
    /not shown: it is not at the site's own address\. .*https:\/\/evil\.example\/x\.png/,
  );
  assert.match(plain(page.text), /not shown: it is an SVG, which can hold script/);
  for (const [n, [src, says, paths]] of fetched.entries()) {
    const since = at.cms.requests.length;
    const answer = await bea.browser.open(found[n]![0]!);
    assert.ok(answer.status >= 400, src);
    assert.match(answer.text, says, src);
    assert.equal(answer.headers.get("content-type"), "text/plain; charset=utf-8", src);
    assert.deepEqual(asked(at, since), paths, src);
  }
});

Deno.test("an image that the call would take from an address is had as the call would have it; one that it brings, from it", async () => {
  const left: string[] = [];
  let place = "93.184.216.34";
  let answer = () => new Response(PIXEL);
  await using at = await asking({
    http: { lookup: () => Promise.resolve([place]) },
    fetch: (input, init) => {
      const url = String(input);
      if (url.startsWith("http://127.0.0.1")) return fetch(input, init);
      left.push(url);
      assert.equal(new Headers(init?.headers).has("authorization"), false);
      return Promise.resolve(answer());
    },
  });
  const bea = await approver(at);
  const args = { site_id: "open", filename: "team.png", alt_text: "Us" };
  const uploads = [{ source_url: "https://files.example/team" }, { content_base64: PNG }];
  for (const one of uploads) {
    const request = await ask(at, { ...args, ...one }, "upload_media");
    const page = await bea.browser.open(`${LIST}/${request.approval.id}`);
    const [[src, alt] = []] = picturesOf(page.text);
    assert.equal(alt, "Us");
    left.length = 0;
    const { status, headers } = await bea.browser.open(src!);
    assert.deepEqual([status, headers.get("content-type")], [200, "image/png"]);
    assert.deepEqual(left, one.source_url ? [one.source_url] : []);
  }
  const source_url = "https://files.example/other";
  const request = await ask(at, { ...args, source_url }, "upload_media");
  const [[src] = []] = picturesOf((await bea.browser.open(`${LIST}/${request.approval.id}`)).text);
  const planned = answer;
  answer = () => new Response(Uint8Array.from([...Uint8Array.fromBase64(PNG), 0]));
  const other = await bea.browser.open(src!);
  assert.deepEqual([other.status, other.headers.get("content-type")?.startsWith("text/")], [409, true]);
  assert.match(other.text, /another picture than the plan found there/);
  answer = planned;
  assert.equal((await bea.browser.open(src!)).status, 200);
  const location = "https://169.254.169.254/latest/";
  answer = () => new Response(null, { status: 302, headers: { location } });
  left.length = 0;
  assert.match(
    (await bea.browser.open(src!)).text,
    /^The address "https:\/\/169\.254\.169\.254" is private;/,
  );
  assert.deepEqual(left, [source_url], "a redirect is judged as the address was");
  place = "10.0.0.7";
  assert.match((await bea.browser.open(src!)).text, /private/);
  assert.deepEqual(left, [source_url], "nor anything sent to where the name has moved");
});

Deno.test("who asks for very many pictures that come slowly keeps nobody else from theirs, and is soon refused", async () => {
  const slow = Promise.withResolvers<void>();
  let asked: number | null = null;
  await using at = await asking({
    http: { lookup: () => Promise.resolve(["93.184.216.34"]) },
    fetch: async (input, init) => {
      const url = String(input);
      if (url.startsWith("http://127.0.0.1")) return await fetch(input, init);
      if (url.includes("/slow") && asked !== null) {
        asked++;
        await slow.promise;
      }
      return new Response(PIXEL);
    },
  });
  const [eve, bea] = [await approver(at, "eve@agency.example"), await approver(at)];
  const srcOf = async (source_url: string) => {
    const args = { site_id: "open", filename: "team.png", alt_text: "Us", source_url };
    const request = await ask(at, args, "upload_media");
    const page = await bea.browser.open(`${LIST}/${request.approval.id}`);
    return picturesOf(page.text)[0]![0]!;
  };
  const [slowly, fast] = [
    await srcOf("https://files.example/slow"),
    await srcOf("https://other.example/fast"),
  ];
  asked = 0;
  const flood = Array.from({ length: 60 }, () => eve.browser.stolen().open(slowly));
  const refused = await Promise.any(flood.map(async (one) => {
    const { status } = await one;
    assert.equal(status, 429);
    return status;
  }));
  assert.equal(refused, 429);
  assert.equal((await bea.browser.open(fast)).status, 200, "another person does not wait for them");
  assert.equal(asked, 3, "of one person three are fetched at once");
  slow.resolve();
  const statuses = (await Promise.all(flood)).map(({ status }) => status);
  assert.deepEqual(
    Object.entries(Object.groupBy(statuses, String)).map(([status, all]) => [status, all!.length]),
    [
      ["200", 51],
      ["429", 9],
    ],
  );
});

Deno.test("a page from code is drawn by a route of its own, whose policy lets it do nothing", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const eve = await approver(at, "eve@agency.example", { approve_sites: ["acme"] });
  const html =
    '<h1>Hi</h1><LINK rel=preconnect href="https://evil.example"><meta http-equiv=refresh content="0">';
  const request = await ask(at, edit(at, { content_html: html }));
  const path = `${LIST}/${request.approval.id}`;
  const page = await bea.browser.open(path);
  assert.match(
    page.text,
    /<iframe src="[^"]+\/documents\/0" sandbox="" referrerpolicy="no-referrer" loading="lazy" title="[^"]+" width="375" height="160"/,
  );
  assert.doesNotMatch(page.text, /allow-/);
  assert.match((await bea.browser.open(`${path}?view=side&frame=1280`)).text, /width="1280"/);
  const framed = { headers: { "sec-fetch-dest": "iframe" } };
  const drawn = await bea.browser.open(`${path}/documents/0`, framed);
  assert.equal(
    drawn.headers.get("content-security-policy"),
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self'",
  );
  assert.equal(drawn.headers.get("x-frame-options"), "SAMEORIGIN");
  assert.match(drawn.text, /<h1>Hi<\/h1>\s*<\/body>/);
  assert.doesNotMatch(drawn.text, /<link|<meta|evil/i);
  const alone = await bea.browser.open(`${path}/documents/0`, { headers: { "sec-fetch-dest": "document" } });
  assert.deepEqual([alone.status, alone.headers.get("content-type")], [403, "text/plain; charset=utf-8"]);
  const code = await bea.browser.open(`${path}/documents/0/code`);
  assert.deepEqual([code.text, code.headers.get("content-type")], [html, "text/plain; charset=utf-8"]);
  for (const one of ["documents/0", "documents/0/code", "documents/1", "documents/x"]) {
    const browser = one.endsWith("1") || one.endsWith("x") ? bea.browser : eve.browser;
    assert.equal((await browser.open(`${path}/${one}`, framed)).status, 404, one);
  }
});

Deno.test("however many pictures and pages a request has, its page stays small and says how many more there are", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const quotes = "&quot;".repeat(60);
  const images = Array.from(
    { length: 60 },
    (_, n) => `<img src="/${n}${quotes}.png" alt="${quotes}${n}">`,
  ).join("");
  const ids: string[] = [];
  for (const title of ["One", "Two", "Three"]) {
    const more = { title, content_html: `${images}${title}${"x ".repeat(60_000)}` };
    ids.push((await ask(at, edit(at, more))).approval.id);
  }
  const together = `${LIST}/together?${new URLSearchParams(ids.map((id) => ["id", id]))}`;
  for (const path of [`${LIST}/${ids[0]}`, `${LIST}/${ids[0]}?view=side`, together]) {
    const { text } = await bea.browser.open(path);
    assert.ok(bytesOf(text) < 100_000, `${path}: ${bytesOf(text)}`);
    assert.match(text, /\d+ more pictures are named in the texts above/);
  }
});

Deno.test("of a set, and of several requests together, each item's pictures and pages stand there", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const [old, next] = [file(at, "old.png", PIXEL, "Old"), file(at, "new.png", PIXEL, "New")];
  at.edit(at.draft, { featured_media: old });
  const changes = [
    { tool: "update_draft", arguments: edit(at, { featured_media_id: next }) },
    {
      tool: "create_draft",
      arguments: {
        site_id: "acme",
        title: "Two",
        content_html: '<p>x</p><img src="/wp-content/x.png" alt="X">',
      },
    },
    {
      tool: "upload_media",
      arguments: { site_id: "acme", filename: "a", content_base64: PNG, alt_text: "Us" },
    },
  ];
  const set = await ask(at, { title: "Spring", changes }, "prepare_changes");
  const path = `${LIST}/${set.approval.id}`;
  const page = await bea.browser.open(path);
  const found = picturesOf(page.text);
  assert.deepEqual(found.map(([, alt]) => alt).toSorted(), ["New", "Old", "Us", "X"]);
  for (const [src, alt] of found) {
    assert.equal((await bea.browser.open(src!)).status, alt === "X" ? 502 : 200, alt);
  }
  assert.match(page.text, /<iframe src="[^"]*\/documents\/0" [^>]*title="Drawn: Text of “Two”"/);
  const together = await bea.browser.open(`${LIST}/together?id=${set.approval.id}`);
  assert.equal(picturesOf(together.text).length, 4);
  assert.match(together.headers.get("content-security-policy")!, /; img-src 'self'; form-action/);
  assert.doesNotMatch(together.text, /<iframe/);
  assert.match(together.text, /It is drawn as a page where it is opened by itself/);
});
