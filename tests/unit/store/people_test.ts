/** How people sign in where the store fails half-way: what belongs together is done whole or not at all. */
import assert from "node:assert/strict";
import { Database } from "../../../store/database.ts";
import { Invitations } from "../../../store/invitations.ts";
import type { KeptPassphrase, SignIn } from "../../../store/people_types.ts";
import { PersonSessions } from "../../../store/person_sessions.ts";
import { Sealer } from "../../../store/seal.ts";
import { SignIns } from "../../../store/sign_ins.ts";
import { Clock, interfere, KEY } from "./kit.ts";

const ANN = "ann";
const SESSION = { user_id: ANN, method: "passphrase", agent: "" } as const;

const signIn = (salt: string): SignIn => {
  const passphrase: KeptPassphrase = { algorithm: "scrypt", n: 2, r: 8, p: 1, salt, hash: "aGFzaA==" };
  return { passphrase, passkeys: [] };
};
const [BEFORE, AFTER] = [signIn("YmVmb3Jl"), signIn("YWZ0ZXI=")];

/** When a commit is answered as failed: before it is made, or after, which nobody can tell apart. */
type Way = "refused" | "lost";

interface World extends AsyncDisposable {
  readonly sessions: PersonSessions;
  readonly signIns: SignIns;
  readonly invitations: Invitations;
  /** The cookies of two sessions. */
  readonly cookies: readonly string[];
  /** The ids of those sessions. */
  readonly ids: readonly string[];
  readonly invitation: string;
  /** Has that commit from now on fail, counted from 0, and those after it. */
  fail(at: number, way: Way): void;
  /** Whether it came to that; the store does as it should again. */
  mend(): boolean;
}

/** Ann, who has a passphrase, two sessions and an invitation. */
async function world(): Promise<World> {
  let left = Infinity;
  let way: Way = "refused";
  const kv = await Deno.openKv(":memory:");
  const db = new Database(
    interfere(kv, async (real) => {
      if (left-- > 0) return await real();
      if (way === "lost") await real();
      throw new TypeError("disk I/O error");
    }),
    new Clock().now,
    () => 0,
  );
  const sessions = new PersonSessions(db);
  const signIns = new SignIns(db, await Sealer.open([KEY]), sessions);
  const invitations = new Invitations(db, signIns);
  await signIns.change(ANN, () => BEFORE);
  const mark = await sessions.mark(ANN);
  const made = [await sessions.create(SESSION, mark), await sessions.create(SESSION, mark)];
  const { text } = await invitations.create(ANN, null);
  return {
    sessions,
    signIns,
    invitations,
    cookies: made.map((one) => one!.text),
    ids: made.map((one) => one!.session.id),
    invitation: text,
    fail(at, how) {
      [left, way] = [at, how];
    },
    mend() {
      const failed = left < 0;
      left = Infinity;
      return failed;
    },
    async [Symbol.asyncDispose]() {
      await Promise.resolve(db.close());
    },
  };
}

async function standing({ sessions, signIns, invitations, cookies, invitation }: World) {
  const found = await Promise.all(cookies.map((cookie) => sessions.find(cookie)));
  return {
    passphrase: (await signIns.get(ANN)).passphrase?.salt,
    sessions: found.map((one) => one !== null),
    listed: (await sessions.list(ANN)).length,
    invitation: (await invitations.find(invitation))?.state,
  };
}

const UNTOUCHED = { passphrase: "YmVmb3Jl", sessions: [true, true], listed: 2, invitation: "open" };

/** Does it with each of its commits failing, and asserts that it is done whole or not at all. */
async function assertWhole(work: (at: World) => Promise<unknown>, done: object): Promise<void> {
  for (const way of ["refused", "lost"] as const) {
    for (let at = 0, failed = true; failed; at++) {
      assert.ok(at < 20);
      await using here = await world();
      here.fail(at, way);
      const ending = await work(here).then(() => "done", () => "failed");
      failed = here.mend();
      const expected = ending === "done" || way === "lost" ? done : UNTOUCHED;
      assert.deepEqual(await standing(here), expected, `${way} at commit ${at}: ${ending}`);
      if (!failed) assert.equal(ending, "done");
    }
  }
}

Deno.test("an invitation is used, what it sets is set and every session ends, or nothing of it", async () => {
  await assertWhole(
    async ({ invitations, invitation }) => {
      assert.equal(await invitations.take(invitation, AFTER), true);
      assert.equal(await invitations.take(invitation, BEFORE), false, "it works once");
    },
    { passphrase: "YWZ0ZXI=", sessions: [false, false], listed: 0, invitation: "used" },
  );
});

Deno.test("another passphrase is set and every other session ends, or nothing of it", async () => {
  await assertWhole(
    async ({ signIns, ids }) => assert.equal(await signIns.replace(ANN, () => AFTER, ids[0]), 1),
    { passphrase: "YWZ0ZXI=", sessions: [true, false], listed: 1, invitation: "open" },
  );
});

Deno.test("all sessions end, or none", async () => {
  await assertWhole(
    async ({ sessions }) => assert.equal(await sessions.endAll(ANN), 2),
    { ...UNTOUCHED, sessions: [false, false], listed: 0 },
  );
});

Deno.test("a session that is to stay, and has ended, is not brought back", async () => {
  await using here = await world();
  const { sessions, cookies, ids } = here;
  here.fail(1, "refused"); // its record is not deleted
  assert.equal(await sessions.endAll(ANN), 2);
  assert.ok(here.mend());
  assert.equal(await sessions.endAll(ANN, ids[0]), 0);
  assert.equal(await sessions.find(cookies[0]!), null);
});

Deno.test("a passphrase that no key opens is kept beside what changes, and is gone once another way in takes its place", async () => {
  const kv = await Deno.openKv(":memory:");
  const db = new Database(kv, new Clock().now, () => 0);
  const sessions = new PersonSessions(db);
  const other = new SignIns(db, await Sealer.open([new Uint8Array(32).fill(9)]), sessions);
  const own = new SignIns(db, await Sealer.open([KEY]), sessions);
  const passkey = {
    id: "key",
    public_key: "",
    counter: 0,
    transports: [],
    name: "Key",
    created_at: "",
    last_used_at: null,
  };
  await own.change(ANN, () => BEFORE);
  const found = await other.get(ANN);
  assert.deepEqual([found.passphrase, found.unopened?.code], [null, "E_MISSING_SECRET"]);
  await other.change(ANN, (now) => ({ ...now, passkeys: [passkey] }));
  const kept = await own.get(ANN);
  assert.deepEqual([kept.passphrase?.salt, kept.passkeys.length], ["YmVmb3Jl", 1]);
  await other.replace(ANN, () => ({ passphrase: null, passkeys: [passkey] }));
  assert.equal((await own.get(ANN)).passphrase, null, "it does not come back with its key");
  db.close();
});
