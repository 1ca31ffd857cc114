/** Guarded writes on sites with caches: what is written is seen by nobody before it is committed, and by everybody after it. */
import assert from "node:assert/strict";
import { ENGINES, type Held, heldSuite } from "./hold_kit.ts";
import { type Answer, fixture, type Json } from "./site.ts";

const onEach = heldSuite(fixture("caches-standin"));

const parts = async (site: Held, id: number) =>
  (await site.wp.call("admin", "GET", `/guarded/posts/${id}`)).body["parts"] as Json;

const write = async (site: Held, id: number, fields: Json): Promise<Answer> =>
  await site.wp.call("admin", "POST", `/guarded/posts/${id}`, {
    expected: await parts(site, id),
    fields,
    allow_publish: true,
  });

const option = async (site: Held, name: string) => (await site.plain("option_read", { name })).body["value"];

async function withCache(site: Held, fn: () => Promise<void>): Promise<void> {
  await site.plain("cache_plugin", { on: true });
  try {
    await fn();
  } finally {
    await site.plain("cache_plugin", { on: false });
  }
}

/** Waits until a file is there. */
async function there(path: string): Promise<void> {
  const folder = path.slice(0, path.lastIndexOf("/"));
  using watcher = Deno.watchFs(folder);
  const is = () => Deno.stat(path).then(() => true, () => false);
  if (await is()) return;
  for await (const _ of watcher) if (await is()) return;
}

onEach("what a visitor reads while a post goes live does not stay in the object cache", async (site) => {
  await withCache(site, async () => {
    const folder = await Deno.makeTempDir();
    const id = await site.wp.draft("admin", { title: "Due now" });
    const address = `/?p=${id}`;
    assert.equal((await site.wp.send(null, "GET", address)).status, 404);
    await site.wp.peek({ options: { acts_pause: folder } });
    try {
      const published = write(site, id, { status: "publish" });
      await there(`${folder}/started`);
      assert.equal((await site.wp.send(null, "GET", address)).status, 404, "nobody sees it yet");
      await Deno.writeTextFile(`${folder}/go`, "");
      assert.equal((await published).status, 200);
    } finally {
      await site.wp.peek({ options: { acts_pause: "" } });
      await Deno.remove(folder, { recursive: true });
    }
    // WordPress leads from the number to the address.
    assert.equal((await site.wp.send(null, "GET", address)).status, 301);
  });
}, ["innodb"]);

onEach("a write that fails half way leaves nothing in the object cache", async (site) => {
  await withCache(site, async () => {
    const id = await site.wp.draft("admin", { title: "Stays" });
    await site.wp.peek({ options: { acts_setting: "old", acts_setting_off: "old" } });
    await write(site, id, { title: "[acts fails] first" });
    const expected = await parts(site, id);
    const body = { expected, fields: { title: "[acts fails]" } };
    const answer = await site.leavesNothing(() =>
      site.wp.call("admin", "POST", `/guarded/posts/${id}`, body)
    );
    assert.equal(answer.status, 500);
    for (const name of ["acts_setting", "acts_setting_off"]) {
      assert.equal(await option(site, name), "old", name);
    }
    assert.equal((await write(site, id, { title: "Written" })).status, 200);
    const { title } = (await site.wp.rest("ed", "GET", `/posts/${id}?context=edit`)).body;
    assert.equal((title as { raw: string }).raw, "Written");
  });
}, ENGINES);

onEach(
  "page caches drop a page once its new state is committed, and are named all the same",
  async (site) => {
    const id = await site.wp.draft("admin", { title: "Goes live" });
    const answer = await write(site, id, { status: "publish" });
    assert.match(String(answer.headers.get("x-site-ops-caches")), /^WP Rocket, /);
    assert.equal(await option(site, "caches_standin_saw"), "publish");
  },
  ["innodb"],
);
