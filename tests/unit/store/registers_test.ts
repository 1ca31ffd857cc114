/** Records that were changed, added, removed or put back past the gateway are refused, named, and accepted by an operator alone. */
import assert from "node:assert/strict";
import { acceptRecords } from "../../../store/accept.ts";
import { checkStore } from "../../../store/check.ts";
import type { Token } from "../../../core/model.ts";
import { copyStore, restoreStore } from "../../../store/maintenance.ts";
import type { Store } from "../../../store/store.ts";
import { openPlace } from "../../../store/engines.ts";
import { sha256 } from "../../../store/database.ts";
import { listKind } from "../../../store/registered_kind.ts";
import { registeredKv } from "../../../store/registered_kv.ts";
import { RecordKeys } from "../../../store/seal.ts";
import { instead } from "../../instead.ts";
import { folder, interfere, KEY, newToken, open } from "./kit.ts";

const HOW =
  ", so calls that need it are refused; look at the store (deno task admin store check), then put back a copy (deno task " +
  "admin store restore), or accept its records as they are (deno task admin store accept-records)";

const foreign = (message: string) => ({ code: "E_INTERNAL", message: message + HOW });

/** A store of a site, a person, a project and two tokens, and who writes into its file past the gateway. */
async function place() {
  const dir = await folder();
  const path = `${dir.path}/gateway.sqlite3`;
  const known = `${dir.path}/known`;
  const opened = () => open({ path, known });
  const store = await opened();
  const credentials = { cms: { username: "u", application_password: "aaaa bbbb" } };
  const site = {
    id: "acme",
    name: "A",
    platform: "cms",
    base_url: "https://a.example",
    credentials,
  } as const;
  assert.ok(await store.sites.create(site));
  assert.ok(await store.projects.create({ id: "p", name: "P" }));
  const { token, text } = await store.tokens.create(newToken({ max_risk: 0 }));
  const other = await store.tokens.create(newToken({ name: "Other" }));
  await store.close();
  const past = async (write: (kv: Deno.Kv) => Promise<unknown>) => {
    const kv = await openPlace(path);
    await write(kv);
    kv.close();
  };
  const file = { path, keys: [KEY], now: 1, known };
  return {
    path,
    known,
    file,
    opened,
    past,
    token,
    text,
    other,
    dir: dir.path,
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

type Place = Awaited<ReturnType<typeof place>>;

const check = ({ path }: Place) => checkStore({ path, keys: [KEY], now: Date.now });
/** Reads that a call makes, and what each must not believe. */
const ATTACKS: Readonly<
  Record<
    string,
    (
      p: Place,
    ) => { readonly write: (kv: Deno.Kv) => Promise<unknown>; read: (store: Store) => unknown; says: string }
  >
> = {
  "a token that was given more rights past the gateway is refused by name until an operator accepts it": (
    { token, text },
  ) => ({
    write: async (kv) => {
      const { value } = await kv.get<Token>(["tokens", token.id]);
      await kv.set(["tokens", token.id], { ...value, max_risk: 4 });
    },
    read: (store) => store.tokens.find(text),
    says:
      `The record ["tokens","${token.id}"] is not as the gateway wrote it: it was changed, or an older one was put back`,
  }),
  "a text that was made another token's past the gateway is refused by name until an operator accepts it": (
    { text, other },
  ) => ({
    write: (kv) => kv.set(["tokens_by_hash", sha256(text)], other.token.id),
    read: (store) => store.tokens.find(text),
    says:
      `The record ["tokens_by_hash","${
        sha256(text)
      }"] is not as the gateway wrote it: it was changed, or an older ` +
      "one was put back",
  }),
  "a site that was given another address past the gateway is refused by name until an operator accepts it":
    () => ({
      write: async (kv) => {
        const { value } = await kv.get<object>(["sites", "acme"]);
        await kv.set(["sites", "acme"], { ...value, base_url: "https://thief.example" });
      },
      read: (store) => store.sites.get("acme"),
      says:
        'The record ["sites","acme"] is not as the gateway wrote it: it was changed, or an older one was put back',
    }),
  "a person who was added past the gateway is refused by name until an operator accepts it": () => ({
    write: (kv) =>
      kv.set(["users", "eve"], { id: "eve", email: "e@x.example", role: "admin", allowed_sites: ["*"] }),
    read: (store) => store.users.get("eve"),
    says: 'The record ["users","eve"] was not written by the gateway',
  }),
  "a list with a person who was added past the gateway is refused until an operator accepts it": () => ({
    write: (kv) =>
      kv.set(["users", "eve"], { id: "eve", email: "e@x.example", role: "admin", allowed_sites: ["*"] }),
    read: (store) => store.users.list(),
    says: 'The record ["users","eve"] was not written by the gateway',
  }),
  "a project that was removed past the gateway is refused by name until an operator accepts it": () => ({
    write: (kv) => kv.delete(["projects", "p"]),
    read: (store) => store.projects.get("p"),
    says: 'The record ["projects","p"] was removed, and not by the gateway',
  }),
  "a list from which a project was removed past the gateway is refused until an operator accepts it": () => ({
    write: (kv) => kv.delete(["projects", "p"]),
    read: (store) => store.projects.list(),
    says: "The record of the projects was removed, and not by the gateway",
  }),
  "a register that was changed past the gateway is refused until an operator accepts it": () => ({
    write: async (kv) => {
      const { value } = await kv.get<object>(["registers", "sites"]);
      await kv.set(["registers", "sites"], { ...value, n: 99 });
    },
    read: () => null,
    says: "The register of the sites is missing, or was changed or put back, and not by the gateway",
  }),
  "a register without a bucket that was removed past the gateway is refused until an operator accepts it":
    () => ({
      write: async (kv) => {
        for await (const { key } of kv.list({ prefix: ["registers", "sites"] })) await kv.delete(key);
      },
      read: (store) => store.sites.list(),
      says: "The register of the sites is missing, or was changed or put back, and not by the gateway",
    }),
};

for (const [what, attack] of Object.entries(ATTACKS)) {
  Deno.test(what, async () => {
    await using p = await place();
    const { write, read, says } = attack(p);
    await p.past(write);
    await assert.rejects(async () => {
      await using store = await p.opened();
      await read(store);
    }, foreign(says));
    const { ok, faults } = await check(p);
    assert.ok(!ok && faults.length > 0, faults.join("\n"));
    const before = await acceptRecords(p.file, false);
    assert.deepEqual((await check(p)).faults, faults, "looking changes nothing");
    assert.deepEqual(await acceptRecords(p.file, true), before);
    await using store = await p.opened();
    await read(store);
    const [row] = (await store.audit.list({}, { limit: 1 })).rows;
    assert.deepEqual([row?.tool, row?.token_name, row?.arguments], [
      "store.accept_records",
      "store accept-records",
      { records: before },
    ]);
    assert.deepEqual((await check(p)).faults, []);
  });
}

Deno.test("an older record, put back with its part of the register, is refused, by a running gateway too", async () => {
  await using p = await place();
  const old: Deno.KvEntry<unknown>[] = [];
  await p.past(async (kv) => {
    for (const prefix of [["tokens"], ["registers", "tokens"]]) {
      old.push(...await Array.fromAsync(kv.list({ prefix })));
    }
    old.push(await kv.get(["registers", "tokens"]) as Deno.KvEntry<unknown>);
  });
  await using store = await p.opened();
  await store.tokens.revoke(p.token.id);
  await p.past(async (kv) => {
    for (const { key, value } of old.slice(0, -1)) await kv.set(key, value);
  });
  await assert.rejects(
    async () => await store.tokens.find(p.text),
    foreign(
      "The register of the tokens is missing, or was changed or put back, and not by the gateway",
    ),
  );
  await p.past((kv) => kv.set(old.at(-1)!.key, old.at(-1)!.value));
  await assert.rejects(
    async () => await store.tokens.find(p.text),
    foreign(
      "The register of the tokens is missing, or was changed or put back, and not by the gateway",
    ),
  );
});

Deno.test("a whole copy put in the place of the store by hand is refused by the machine that saw a newer one, and taken as restored", async () => {
  await using p = await place();
  const { copy } = await copyStore(p.file, `${p.dir}/copy.sqlite3`);
  {
    await using store = await p.opened();
    await store.tokens.revoke(p.token.id);
  }
  await Deno.copyFile(copy, p.path);
  await assert.rejects(p.opened, {
    code: "E_INTERNAL",
    message:
      /^KV_PATH: ".*" holds older tokens than it did when this machine saw it last \(change \d+ in the place of \d+\)/,
  });
  await acceptRecords(p.file, true);
  await (await p.opened()).close();
  await Deno.copyFile(copy, p.path);
  await restoreStore(p.file, copy);
  await using store = await p.opened();
  assert.equal((await store.tokens.get(p.token.id))?.revoked_at, null);
});

Deno.test("a store whose mark says no more that its records are proven is refused, and so is one without a mark", async () => {
  await using p = await place();
  await p.past(async (kv) => {
    const { value } = await kv.get<object>(["store"]);
    await kv.set(["store"], { ...value, format: 4, lowest: { format: 4, version: "0.4.0" } });
  });
  await assert.rejects(p.opened, { message: /^KV_PATH: the mark of ".*" was changed/ });
  await p.past((kv) => kv.delete(["store"]));
  await assert.rejects(p.opened, {
    message:
      /^KV_PATH: the records of ".*" were proven by the gateway, and its mark does not say so any more/,
  });
});

Deno.test("two processes that change records of one kind at once prove all of them", async () => {
  await using p = await place();
  await using one = await p.opened();
  await using two = await p.opened();
  const made = await Promise.all(
    Array.from({ length: 30 }, (_, n) => [one, two][n % 2]!.projects.create({ id: `p${n}`, name: "P" })),
  );
  assert.ok(made.every((project) => project !== null));
  await Promise.all([one, two].map((store) => store.sites.update("acme", { name: "B" })));
  assert.equal((await two.projects.list()).length, 31);
  assert.deepEqual((await check(p)).faults, []);
});

Deno.test("what a call reads from memory costs no read more, and a change of a record one read and three entries", async () => {
  const kv = await Deno.openKv(":memory:");
  const asked = { reads: 0, commits: 0 };
  const counting = new Proxy(kv, {
    get(target, name) {
      const own = Reflect.get(target, name) as unknown;
      if (name === "getMany" || name === "get") asked.reads++;
      if (name === "atomic") asked.commits++;
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
  await using store = await open({ open: () => Promise.resolve(counting), elapsed: () => 0 });
  const { text } = await store.tokens.create(newToken());
  await store.tokens.find(text);
  asked.reads = asked.commits = 0;
  for (let n = 0; n < 100; n++) assert.ok(await store.tokens.find(text));
  assert.deepEqual(asked, { reads: 0, commits: 0 });
  await store.projects.create({ id: "p", name: "P" });
  assert.deepEqual(asked, { reads: 1, commits: 1 });
});

Deno.test("a thousand changes at once are all made, each in its turn and none tried again", async () => {
  const commits = { asked: 0, refused: 0 };
  await using store = await open({
    around: (kv) =>
      interfere(kv, async (real) => {
        commits.asked++;
        const committed = await real();
        if (!committed.ok) commits.refused++;
        return committed;
      }),
  });
  commits.asked = 0;
  const made = await Promise.all(
    Array.from({ length: 1000 }, (_, n) => store.projects.create({ id: `p${n}`, name: `P ${n}` })),
  );
  assert.equal(made.filter((one) => one !== null).length, 1000);
  assert.deepEqual(commits, { asked: 1000, refused: 0 });
  assert.equal((await store.projects.list()).length, 1000);
});

Deno.test("who writes alone reads no register again, and who writes beside others reads it once more", async () => {
  await using dir = await folder();
  const path = `${dir.path}/store.sqlite3`;
  let reads = 0;
  const counted = (kv: Deno.Kv) =>
    instead(kv, { getMany: ((keys: Deno.KvKey[]) => (reads++, kv.getMany(keys))) as never });
  await using one = await open({ path, around: counted });
  await using other = await open({ path });
  for (let n = 0; n < 20; n++) await one.projects.create({ id: `p${n}`, name: `P ${n}` });
  const first = reads;
  assert.ok(first <= 20, `${first} reads: a bucket is read when something of it is first changed`);
  for (let n = 0; n < 20; n++) await one.projects.update(`p${n}`, { name: `Q ${n}` });
  assert.equal(reads - first, 20, "each reads its record, and nothing for the proof");
  await other.projects.create({ id: "others", name: "Others" });
  const before = reads;
  await one.projects.create({ id: "own", name: "Own" });
  assert.equal(reads - before, 1, "the register is read anew, and once");
  assert.equal((await one.projects.list()).length, 22);
});

Deno.test("a listing that others write beneath all the time is whole, and nothing of it is called foreign", async () => {
  await using dir = await folder();
  const path = `${dir.path}/store.sqlite3`;
  await (await open({ path })).close();
  const raw = await openPlace(path);
  const keys = new RecordKeys([KEY]);
  const other = registeredKv(raw, keys);
  const [made, kept] = [400, 350];
  const put = (change: Deno.AtomicOperation, id: string) => change.set(["projects", id], { id });
  const first = other.atomic();
  for (let n = 0; n < made; n++) put(first, `p${n}`);
  assert.ok((await first.commit()).ok);
  let writes = 0;
  // Before whatever is read another process has written: a change, a new record, and as long as there is one a removal.
  const getMany = async (wanted: Deno.KvKey[]) => {
    const n = writes++;
    const change = put(other.atomic(), `p${(n * 37) % kept}`);
    put(change, `new${n}`);
    if (kept + n < made) change.delete(["projects", `p${kept + n}`]);
    assert.ok((await change.commit()).ok);
    return await raw.getMany(wanted);
  };
  const { entries, found } = await listKind(instead(raw, { getMany: getMany as never }), keys, {
    prefix: ["projects"],
  });
  assert.deepEqual(found, []);
  assert.ok(writes > 20, `${writes} writes`);
  const ids = new Set(entries.map(({ key }) => key[1]));
  for (let n = 0; n < kept; n++) assert.ok(ids.has(`p${n}`));
  await raw.set(["projects", "p1"], { id: "p1", name: "Changed past the gateway" });
  const after = await listKind(raw, keys, { prefix: ["projects"] });
  assert.deepEqual(after.found, [{ key: ["projects", "p1"], fault: "changed" }]);
  raw.close();
});
