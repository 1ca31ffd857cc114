/** What a build left, served as Pages serves it: addresses, its page for what is not there, and `_headers`. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { startFiles } from "../../sandbox/cloudflare_pages/files.ts";
import { folder } from "../folder.ts";

async function write(files: Readonly<Record<string, string>>, into: string): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(`${into}/${path}`), { recursive: true });
    await Deno.writeTextFile(`${into}/${path}`, text);
  }
}

const SITE = {
  "index.html": "home",
  "about/index.html": "about",
  "flat.html": "flat",
  "404.html": "nothing",
  "blog/404.html": "no post",
  "_astro/a.css": "css",
  "a b/é.txt": "letters",
  "_headers":
    "# a comment\n/*\n  X-Robots-Tag: all\n  Referrer-Policy: no-referrer\n/_astro/*\n  Cache-Control: immutable\n" +
    "/posts/:name/x\n  X-Post: yes\n/flat\n  ! Referrer-Policy\n",
  "_redirects": "/a /b",
};

Deno.test("an address is answered by its file, and one with an ending or without a slash leads to the one it has", async () => {
  await using place = await folder();
  await write(SITE, place.path);
  await using server = startFiles(place.path);
  const cases: readonly [path: string, status: number, what: string][] = [
    ["/", 200, "home"],
    ["/about/", 200, "about"],
    ["/about", 308, "/about/"],
    ["/about/index.html", 308, "/about/"],
    ["/index.html", 308, "/"],
    ["/flat", 200, "flat"],
    ["/flat.html", 308, "/flat"],
    ["/flat/", 308, "/flat"],
    ["/_astro/a.css", 200, "css"],
    ["/a%20b/%C3%A9.txt", 200, "letters"],
    ["/nothing/here", 404, "nothing"],
    ["/blog/first/", 404, "no post"],
    ["/_headers", 404, "nothing"],
    ["/_redirects", 404, "nothing"],
  ];
  for (const [path, status, what] of cases) {
    const response = await fetch(`${server.origin}${path}`, { redirect: "manual" });
    const text = await response.text();
    assert.deepEqual([response.status, response.headers.get("location") ?? text], [status, what], path);
  }
});

Deno.test("headers are those that the site names for an address, and a preview asks search engines to stay away", async () => {
  await using place = await folder();
  await write(SITE, place.path);
  await using server = startFiles(place.path);
  const get = async (path: string, from = server) => {
    const response = await fetch(`${from.origin}${path}`);
    await response.body?.cancel();
    return response.headers;
  };
  const style = await get("/_astro/a.css");
  assert.deepEqual(
    ["content-type", "cache-control", "referrer-policy", "x-robots-tag"].map((name) => style.get(name)),
    ["text/css; charset=utf-8", "immutable", "no-referrer", "all"],
  );
  assert.equal((await get("/flat")).get("referrer-policy"), null);
  assert.equal((await get("/posts/a/x")).get("x-post"), "yes");
  assert.equal((await get("/posts/a/b/x")).get("x-post"), null);
  await Deno.remove(`${place.path}/_headers`);
  await using preview = startFiles(place.path, { preview: true });
  assert.equal((await get("/", preview)).get("x-robots-tag"), "noindex");
  assert.equal((await get("/")).get("x-robots-tag"), null);
});

Deno.test("nothing outside the folder is served, and without a page for it an unknown address gets the start page", async () => {
  await using place = await folder();
  await write({ "site/index.html": "home", "other/index.html": "other", "secret.txt": "secret" }, place.path);
  await Deno.symlink(`${place.path}/secret.txt`, `${place.path}/site/link.txt`);
  await using server = startFiles(`${place.path}/site`);
  for (
    const path of ["/link.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "/a/..%2f..%2fsecret.txt", "/%ff"]
  ) {
    const response = await fetch(`${server.origin}${path}`);
    assert.equal(await response.text(), "home", path);
  }
  const posted = await fetch(server.origin, { method: "POST" });
  assert.deepEqual([posted.status, await posted.text()], [405, "Method not allowed"]);
  server.show(`${place.path}/other`);
  assert.equal(await (await fetch(server.origin)).text(), "other");
});
