/** What the tests of connected accounts share: stores with a user and an upstream, and instances that are simulated. */
import assert from "node:assert/strict";
import { Accounts } from "../../../store/accounts.ts";
import { Database } from "../../../store/database.ts";
import type { Sealer } from "../../../store/seal.ts";
import type {
  FreshToken,
  NoToken,
  Refresh,
  RefreshAnswer,
  Store,
  TokenRequest,
} from "../../../store/store.ts";
import { interfere, KEY, open } from "./kit.ts";
import { type Rotation, Upstream } from "./token_server.ts";
import { SharedKv, VirtualTime } from "./virtual_time.ts";

export const HOUR = 3_600_000;
export const LEASE_MS = 30_000;
export const WAIT_MS = 20_000;
export const USER = "ann";
export const GRANTED = { account: "ann@x.example", scopes: ["a", "b"] };

/** Fails where it is asked. */
export const never: Refresh = () => Promise.reject(new Error("the upstream must not be asked"));

/** Fails unless that is a token. */
export function assertOk(token: FreshToken | NoToken): asserts token is FreshToken {
  assert.equal(token.state, "ok", JSON.stringify(token));
}

/** Which states answers have. */
export function states(answers: (FreshToken | NoToken)[]): string[] {
  return [...new Set(answers.map(({ state }) => state))];
}

/** A user of that e-mail. */
export async function addUser(store: Store, email: string): Promise<string> {
  const user = await store.users.create({ email, role: "member", allowed_sites: [], max_risk: 1 });
  assert.ok(user);
  return user.id;
}

/** A store with one user, and an upstream, on one clock. */
export async function world(options: { path?: string; keys?: Uint8Array[]; rotation?: Rotation } = {}) {
  const time = new VirtualTime();
  const upstream = new Upstream(options.rotation ?? "strict", time.now);
  const store = await open({
    now: time.now,
    elapsed: time.now,
    delay: time.delay,
    path: options.path ?? ":memory:",
    keys: options.keys ?? [KEY],
  });
  const user = (await store.users.list())[0]?.id ?? await addUser(store, "ann@x.example");
  return {
    time,
    upstream,
    store,
    user,
    ...calls(store.accounts, user, upstream),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

function calls(accounts: Store["accounts"], user: string, upstream: Upstream) {
  const refresh: Refresh = (token) => Promise.try(() => upstream.refresh(token));
  return {
    connect: (kind = "mail") => accounts.connect(user, kind, { ...GRANTED, ...upstream.grant() }),
    token: (request: Partial<TokenRequest> = {}, kind = "mail") =>
      accounts.token(user, kind, { refresh, wait_ms: WAIT_MS, ...request }),
  };
}

/** Keeps texts as they are, for the record they belong to. */
const PLAIN: Pick<Sealer, "seal" | "unseal"> = {
  seal: (text, record) =>
    Promise.resolve({
      key: "plain",
      iv: new Uint8Array(),
      data: new TextEncoder().encode(JSON.stringify([record, text])),
    }),
  unseal: (sealed, record) => {
    const [of, text] = JSON.parse(new TextDecoder().decode(sealed.data));
    assert.deepEqual(of, record);
    return Promise.resolve(text);
  },
};

/** A KV in memory that knows the user. */
export async function sharedKv(written?: (before: unknown, after: unknown) => void): Promise<SharedKv> {
  const kv = new SharedKv(written);
  await kv.client(() => Promise.resolve()).atomic().set(["users", USER], { id: USER }).commit();
  return kv;
}

/** One process's accounts on a shared KV; `pass` is what its calls of the KV wait for. */
export function instance(
  kv: SharedKv,
  time: VirtualTime,
  pass: () => Promise<void> = () => Promise.resolve(),
  now: () => number = time.now,
): Accounts {
  return new Accounts(new Database(kv.client(pass), now, time.now), PLAIN, time.delay);
}

/** Two instances, all of it simulated: nothing happens but by the clock. Commits of the first can be made to fail. */
export async function simulated(
  rotation: Rotation = "strict",
  { failing = "before" as "before" | "after" } = {},
) {
  const time = new VirtualTime();
  const kv = await sharedKv();
  const upstream = new Upstream(rotation, time.now);
  let [passing, failures] = [Infinity, 0];
  const unsure = interfere(kv.client(() => Promise.resolve()), async (real) => {
    if (passing-- > 0 || failures-- <= 0) return await real();
    if (failing === "after") await real();
    throw new Error("disk I/O error");
  });
  const one = new Accounts(new Database(unsure, time.now, time.now), PLAIN, time.delay);
  const other = instance(kv, time);
  return {
    time,
    upstream,
    one,
    ...calls(one, USER, upstream),
    other: calls(other, USER, upstream).token,
    /** After so many more commits so many fail. */
    failNext(count: number, after: number) {
      [passing, failures] = [after, count];
    },
  };
}

/** A refresh whose answer waits until it is told. */
export function heldRefresh(upstream: Upstream) {
  const answered = Promise.withResolvers<RefreshAnswer>();
  const asked = Promise.withResolvers<void>();
  const held = {
    asked: asked.promise,
    /** What the upstream answered. */
    answer: undefined as RefreshAnswer | undefined,
    refresh: (token: string) => {
      held.answer = upstream.refresh(token);
      asked.resolve();
      return answered.promise;
    },
    release: () => answered.resolve(held.answer!),
    fail: (error: Error) => answered.reject(error),
  };
  return held;
}
