/** Every kind of entry that SCHEMA.md names is known as one that goes by itself or one that stays. */
import assert from "node:assert/strict";
import { isPassing } from "../../../store/ends.ts";
import { Expiries } from "../../../store/expiry.ts";

const NOW = Date.parse("2026-03-01T12:00:00.000Z");
const DAY_MS = 24 * 60 * 60_000;

/** The kinds of the page, with what it says of how long they live. */
async function kindsOfThePage(): Promise<[kind: string, lives: string][]> {
  const page = await Deno.readTextFile(new URL("../../../store/SCHEMA.md", import.meta.url));
  return page.split("\n").filter((line) => line.startsWith('| `["')).map((line) => {
    const cells = line.split("|").map((one) => one.trim());
    return [cells[1]!.split('"')[1]!, cells.at(-2)!];
  });
}

/** How the page begins to say of an entry that it stays until something is done with it. */
const STAYS = [
  "for ever",
  "as its token",
  "while the user",
  "until set to null",
  "until forgotten",
  "until the user is removed",
]
  .concat([
    "as the passkey",
    "until other tools",
    "until it is disconnected",
    "until it is lifted",
    "until its last pass",
    "until retention",
    "until the outcome",
  ])
  .concat(["as its segment", "until all is there", "until it is packed", "as its bundle"])
  .concat(["until it is deleted", "as long as a webhook listens"]);

Deno.test("an entry goes by itself where the page says so, and no other does", async () => {
  const kinds = await kindsOfThePage();
  assert.ok(kinds.length > 40);
  for (const [kind, lives] of kinds) {
    const stays = STAYS.some((words) => lives.startsWith(words));
    assert.equal(isPassing(kind), !stays, `${kind}: ${lives}`);
  }
});

Deno.test("where no file tells, a record that names its end goes then, and another not later than its kind may live", async () => {
  using kv = await Deno.openKv(":memory:");
  await kv.set(["kept", "hash"], { id: "parts", parts: 1, at: NOW, expires_at: NOW + 5 });
  using expiries = await Expiries.of(kv, ":memory:", Date.now);
  const cases: [key: Deno.KvKey, value: unknown, ends_at: number | null][] = [
    [["tokens", "a"], { expires_at: NOW }, null],
    [["sessions", "a"], { ends_at: NOW + 5, lifetime_ms: 10 }, NOW + 5],
    [["sessions", "damaged"], "no record", NOW + DAY_MS / 2],
    [["person_sessions_by_hash", "a"], { user_id: "u", id: "s" }, NOW + DAY_MS / 2],
    [["consents", "a"], { expires_at: NOW + 7 }, NOW + 7],
    [["kept_parts", "parts", 0], new Uint8Array(), NOW + 5],
    [["kept_parts", "without a head", 0], new Uint8Array(), NOW + DAY_MS],
    [["snapshots", "clarity", "acme", "2026-02-28"], {}, Date.parse("2026-03-01") + 400 * DAY_MS],
    [["oauth_grants", "a"], { ended_at: null, expires_at: NOW }, NOW + 30 * DAY_MS],
    [
      ["oauth_grants", "b"],
      { ended_at: new Date(NOW - 1).toISOString(), expires_at: NOW },
      NOW - 1 + 30 * DAY_MS,
    ],
    [["oauth_codes", "a"], { grant_id: null, expires_at: NOW }, NOW + 60_000],
    [["oauth_codes", "b"], { grant_id: "g", order: { granted: { expires_at: NOW } } }, NOW + 30 * DAY_MS],
  ];
  for (const [key, value, ends_at] of cases) {
    assert.equal(expiries.of({ key, value }, NOW), ends_at, key.join("/"));
  }
});
