/** Held calls on a site with a persistent object cache, what holding costs, and what no hold can stop. */
import assert from "node:assert/strict";
import { became, type Held, heldSuite, told } from "./hold_kit.ts";

const onEach = heldSuite();

const KEPT = [200, null, "committed"];

async function cached(site: Held): Promise<unknown> {
  return (await site.plain("cached")).body["acts"];
}

onEach(
  "an object cache shows others nothing of a call that was taken back, and the new state of one that was kept",
  async (site) => {
    await site.plain("cache_plugin", { on: true });
    try {
      const id = await site.wp.draft("admin", { title: "Before" });
      await site.plain("cache", { id, value: "old" });
      assert.equal(await cached(site), "old");
      const dry = await site.dry("cache", { id, value: "new" });
      assert.deepEqual([told(dry).answer?.body, await cached(site)], [{ seen: "new" }, "old"]);
      const title = async () =>
        ((await site.wp.rest("ed", "GET", `/posts/${id}?context=edit`)).body["title"] as { raw: string }).raw;
      await site.hold("title", { id, title: "Not this" }, "site");
      assert.equal(await title(), "Changed");
      assert.deepEqual(became(await site.hold("title", { id, title: "This" }, "draft")), KEPT);
      assert.equal(await title(), "This");
      assert.deepEqual(became(await site.hold("cache", { id, value: "new" }, "draft")), KEPT);
      assert.notEqual(await cached(site), "old");
    } finally {
      await site.plain("cache_plugin", { on: false });
    }
  },
);

onEach("of more effects than are listed those of posts themselves come first", async (site) => {
  const id = await site.wp.draft("admin", { title: "Before" });
  const { effects } = told(await site.dry("many_fields", { id }));
  assert.deepEqual([effects.length, effects[0]?.table, effects[0]?.key], [200, "posts", String(id)]);
  assert.ok(effects[0]?.fields.some(({ name, to }) => name === "post_title" && to === "Changed"));
});

const median = (all: number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)]!;

onEach("a held call costs less than five plain ones", async (site, engine) => {
  const id = await site.wp.draft("admin");
  const times: Record<"plain" | "held" | "dry", number[]> = { plain: [], held: [], dry: [] };
  for (let turn = 0; turn < 15; turn++) {
    const args = { id, title: `Title ${turn}` };
    const calls = {
      plain: () => site.plain("title", { ...args, title: `Plain ${turn}` }),
      held: () => site.hold("title", args, "draft"),
      dry: () => site.dry("title", { ...args, title: `Dry ${turn}` }),
    };
    for (const [name, call] of Object.entries(calls) as [keyof typeof times, typeof calls.dry][]) {
      const start = performance.now();
      const { status } = await call();
      times[name].push(performance.now() - start);
      assert.equal(status, 200);
    }
  }
  const [plain, held, dry] = [median(times.plain), median(times.held), median(times.dry)];
  const said = `${engine}: plain ${plain.toFixed(1)} ms, held ${held.toFixed(1)} ms (${
    (held / plain).toFixed(2)
  }), dry ${dry.toFixed(1)} ms (${(dry / plain).toFixed(2)})\n`;
  await Deno.stderr.write(new TextEncoder().encode(said));
  assert.ok(held < 5 * plain, said);
});

onEach("what another process writes is not held", async (site) => {
  await site.dry("exec", { name: "exec.txt" });
  assert.ok(Object.keys((await site.state()).files).some((path) => path.endsWith("/uploads/exec.txt")));
});

onEach(
  "what the tool asks of the site itself is not held, but waits where the whole file is locked",
  async (site, engine) => {
    const id = await site.wp.draft("admin", { title: "Before" });
    const answer = await site.dry("curl_back", { id });
    assert.equal(told(answer).outcome, "rolled_back");
    assert.equal(await site.title(id), engine === "sqlite" ? "Before" : "Back");
  },
);
