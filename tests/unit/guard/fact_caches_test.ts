/** What is known of upstreams: kept apart, kept for a while, and found out once. */
import assert from "node:assert/strict";
import { FactCaches } from "../../../guard/fact_caches.ts";
import { site } from "../platforms/_site.ts";

const ACME = site({});

Deno.test("facts are kept apart: by connector, by site, by what a site was, and from the gateway's own", () => {
  const cache = new FactCaches(() => 0);
  const places = [
    cache.of(null, "a"),
    cache.of(null, "b"),
    cache.of(ACME, "a"),
    cache.of(ACME, "b"),
    cache.of(site({ id: "beta" }), "a"),
    cache.of(site({ credentials_version: 2 }), "a"),
    cache.of(site({ updated_at: "2026-01-01T00:00:00.001Z" }), "a"),
  ];
  places.forEach((place, at) => place.set("root", at, 1000));
  assert.deepEqual(places.map((place) => place.get("root")), places.map((_, at) => at));
  assert.equal(cache.of(ACME, "a").get("root"), 2);
});

Deno.test("a fact is known until its time is up", () => {
  let now = 0;
  const facts = new FactCaches(() => now).of(ACME, "a");
  facts.set("root", "x", 1000);
  now = 999;
  assert.equal(facts.get("root"), "x");
  now = 1000;
  assert.equal(facts.get("root"), undefined);
});

Deno.test("a fact holds no longer than its time where the clock is set back", async () => {
  const day = 86_400_000;
  for (const back of [1, 2 * 3_600_000, 400 * day]) {
    let now = 1000 * day;
    const facts = new FactCaches(() => now).of(ACME, "a");
    await facts.once("rights", 60_000, () => Promise.resolve("may publish"));
    now -= back;
    assert.equal(facts.get("rights"), undefined);
    assert.equal(await facts.once("rights", 60_000, () => Promise.resolve("may not")), "may not");
  }
});

Deno.test("of those who ask at once one finds out, and the others get what it found", async () => {
  const cache = new FactCaches(() => 0);
  const found = Promise.withResolvers<string>();
  let asked = 0;
  const find = () => (asked++, found.promise);
  const all = Array.from({ length: 10 }, () => cache.of(ACME, "a").once("root", 1000, find));
  const other = cache.of(ACME, "b").once("root", 1000, () => Promise.resolve("other"));
  found.resolve("x");
  assert.deepEqual(await Promise.all(all), Array(10).fill("x"));
  assert.equal(await other, "other");
  assert.equal(await cache.of(ACME, "a").once("root", 1000, find), "x");
  assert.equal(asked, 1);
});

Deno.test("who waited for what failed tries itself, one at a time and once", async () => {
  const facts = new FactCaches(() => 0).of(null, "a");
  let [asked, atOnce, most] = [0, 0, 0];
  const fail = async () => {
    asked++;
    most = Math.max(most, ++atOnce);
    await Promise.resolve();
    atOnce--;
    throw new Error(`in vain ${asked}`);
  };
  const ends = await Promise.allSettled(Array.from({ length: 10 }, () => facts.once("root", 1000, fail)));
  assert.ok(ends.every(({ status }) => status === "rejected"));
  assert.deepEqual([asked, most], [2, 1]);
  assert.equal(await facts.once("root", 1000, () => Promise.resolve("x")), "x");
});

Deno.test("what is dropped is found out anew, and what was under way meanwhile is answered but not kept", async () => {
  const facts = new FactCaches(() => 0).of(ACME, "a");
  facts.set("root", "old", 1000);
  facts.drop("root");
  assert.equal(facts.get("root"), undefined);
  const late = Promise.withResolvers<string>();
  const underWay = facts.once("root", 1000, () => late.promise);
  facts.drop("root");
  const next = facts.once("root", 1000, () => Promise.resolve("new"));
  late.resolve("late");
  assert.deepEqual(await Promise.all([underWay, next]), ["late", "new"]);
  assert.equal(facts.get("root"), "new");
});
