/** Held calls on sites with a persistent object cache: nobody sees anything of a preview, and nothing old of what was kept. */
import assert from "node:assert/strict";
import { became, ENGINES, type Held, heldSuite, newId, told } from "./hold_kit.ts";
import type { Json } from "./site.ts";

const onEach = heldSuite();

const KEPT = [200, null, "committed"];

/** Runs something on a site with the cache of the fixture; where the mode lists those of real drop-ins. */
async function withCache(site: Held, mode: string, fn: () => Promise<void>): Promise<void> {
  await site.plain("cache_plugin", { on: true, mode });
  try {
    await fn();
  } finally {
    await site.plain("cache_plugin", { on: false });
  }
}

const cached = async (site: Held) => (await site.plain("cached")).body;
const option = async (site: Held, name: string) => (await site.plain("option_read", { name })).body["value"];
const titleOf = async (site: Held, id: number) =>
  ((await site.wp.rest("ed", "GET", `/posts/${id}?context=edit`)).body["title"] as { raw: string }).raw;

/** Everything of a kind that the cache keeps is changed. */
const KINDS: readonly [act: string, args: (id: number) => Json][] = [
  ["build", (id) => ({ id, text: "New" })],
  ["option", () => ({ name: "blogname", value: "Named anew" })],
  ["option", () => ({ name: "acts_setting", value: "new" })],
  ["option_gone", () => ({ name: "acts_removed" })],
  ["term", () => ({ name: "A term" })],
  ["comment", (id) => ({ id })],
  ["new", () => ({ name: "made" })],
  ["cache", (id) => ({ id, value: "new" })],
  ["cache_transient", (id) => ({ id, value: "new" })],
  ["cache_late", (id) => ({ id })],
];

/** Those of them that go other ways in other caches. */
const SOME = new Set(["build", "option_gone", "cache_late"]);

/** How the fixture's cache may be, and where that is tried. */
const MODES = ["", "instance", "options", "remembers", "unreached"];

for (const mode of MODES) {
  const engines = mode === "" ? ENGINES : ["innodb"] as const;
  const name = mode === "" ? "a plain cache" : `a cache of the kind "${mode}"`;
  onEach(`${name} is after a preview what it was before, to the byte`, async (site) => {
    await withCache(site, mode, async () => {
      const id = await site.wp.draft("admin", { title: "Before" });
      await site.wp.peek({ options: { acts_setting: "old", acts_removed: "old" } });
      for (const [act, args] of mode === "" ? KINDS : KINDS.filter(([act]) => SOME.has(act))) {
        await site.dry(act, args(id)); // reads what a preview reads before it is held
        const answer = await site.leavesNothing(() => site.dry(act, args(id)));
        assert.deepEqual([became(answer), told(answer).why], [[200, null, "rolled_back"], null], act);
      }
    });
  }, engines);

  onEach(`${name} has nothing old of a call that was kept`, async (site) => {
    await withCache(site, mode, async () => {
      const id = await site.wp.draft("admin", { title: "Before" });
      await site.wp.peek({ options: { acts_setting: "old", acts_removed: "old", blogname: "Old" } });
      const held = async (act: string, args: Json) =>
        assert.deepEqual(became(await site.hold(act, args, "draft,settings,site,structure")), KEPT, act);
      await titleOf(site, id);
      for (const name of ["acts_removed", "acts_none"]) await option(site, name);
      await held("title", { id, title: "This" });
      assert.equal(await titleOf(site, id), "This");
      for (
        const [name, value] of Object.entries({
          blogname: "New",
          acts_setting: "new",
          acts_none: "there now",
        })
      ) {
        await held("option", { name, value });
        assert.equal(await option(site, name), value);
      }
      await held("option_gone", { name: "acts_removed" });
      assert.equal(await option(site, "acts_removed"), false);
      await held("cache_late", { id });
      assert.deepEqual((await cached(site))["acts"], false, "what runs late is not kept");
    });
  }, engines);
}

onEach(
  "an object cache that was emptied in a held call is empty for it, and for all once it is kept",
  async (site) => {
    await withCache(site, "", async () => {
      const id = await site.wp.draft("admin", { title: "Old" });
      for (const group of ["", "posts"]) {
        const title = `By SQL ${group}`;
        const before = await titleOf(site, id);
        const args = { id, title, group };
        await site.dry("cache_flush", args);
        const dry = await site.leavesNothing(() => site.dry("cache_flush", args));
        assert.deepEqual(told(dry).answer?.body, { before, after: title });
        assert.ok(
          told(dry).effects.some(({ label, what }) => label === "cache" && /would be emptied/.test(what)),
        );
        const kept = await site.hold("cache_flush", args, "draft", `; expect=${told(dry).id}`);
        assert.deepEqual([became(kept), kept.body], [KEPT, { before, after: title }]);
        assert.equal(await titleOf(site, id), title);
      }
    });
  },
);

onEach(
  "what only the object cache keeps is written once the call is kept, with the time it lives",
  async (site) => {
    await withCache(site, "", async () => {
      const id = await site.wp.draft("admin", { title: "Before" });
      await site.plain("cache_transient", { id, value: "old" });
      await site.dry("cache_transient", { id, value: "new" });
      assert.deepEqual((await cached(site))["transients"], ["old", "old"]);
      assert.deepEqual(became(await site.hold("cache_transient", { id, value: "new" }, "draft")), KEPT);
      assert.deepEqual((await cached(site))["transients"], ["new", "new"]);
    });
  },
);

onEach(
  "names of drop-ins for what WordPress's cache does are held, and what leads to its server is refused",
  async (site) => {
    await withCache(site, "", async () => {
      const asks = [["wp_cache_set", ["n", 1, "acts"]], ["wp_cache_incr", ["n", 2, "acts"]], [
        "wp_cache_decr",
        ["n", 1, "acts"],
      ], ["->not_there", []]];
      await site.dry("cache_asks", { asks });
      const dry = await site.leavesNothing(() => site.dry("cache_asks", { asks }));
      assert.deepEqual(
        [told(dry).answer?.body, told(dry).labels],
        [{ gave: [true, 3, 2, null] }, []],
      );
      const refused = await site.dry("cache_asks", { asks: [["->redis_instance", []]] });
      assert.deepEqual(told(refused).effects.map(({ label, what }) => [label, what]), [[
        "other",
        "Refused: redis_instance() of the object cache",
      ]]);
    });
  },
);

for (const mode of ["throws", "dies"]) {
  onEach(
    `a call that was committed is answered as that, though the object cache ${mode} after it`,
    async (site) => {
      await withCache(site, "", async () => {
        const id = await site.wp.draft("admin", { title: "Before" });
        await site.plain("cache_mode", { mode });
        const answer = await site.hold("title", { id, title: "After" }, "draft");
        assert.deepEqual([became(answer), answer.body], [KEPT, { id }]);
        assert.match(String(answer.headers.get("content-type")), /^application\/json/);
        await site.plain("cache_mode", { mode: "" });
        assert.equal(await rowTitle(site, id), "After");
      });
    },
  );
}

/** The title in the database. */
async function rowTitle(site: Held, id: number): Promise<unknown> {
  return (await site.wp.peek({ db: ["get_var", `SELECT post_title FROM wp_posts WHERE ID = ${id}`] })).result;
}

onEach("a call whose object cache is lost before its end is taken back, with its files", async (site) => {
  await withCache(site, "", async () => {
    const id = await site.wp.draft("admin", { title: "Before" });
    await site.plain("cache_mode", { mode: "gone" });
    const call = newId();
    const answer = await site.ask("cache_gone", { id }, `hold; id=${call}; allow=draft,files`);
    assert.deepEqual(became(answer), [409, "tool_failed", "rolled_back"]);
    await site.plain("cache_plugin", { on: true });
    assert.equal(await rowTitle(site, id), "Before");
    assert.ok(!Object.keys((await site.state()).files).some((path) => path.endsWith("/uploads/gone.txt")));
  });
});
