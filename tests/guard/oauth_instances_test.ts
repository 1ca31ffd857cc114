/** Two instances on one store: codes, refreshes, ends and what a person narrows are one whichever of them is asked. */
import assert from "node:assert/strict";
import { CLOCK } from "../../core/async.ts";
import { LIMITS } from "../../core/model.ts";
import { scratchFolder } from "../../sandbox/core/scratch.ts";
import { gateway, type Kit } from "../kit.ts";
import { scenes } from "../scenes.ts";
import { type Answered, oauth, REDIRECT, VERIFIER, type World } from "./oauth_kit.ts";

/** A world on a file, and a second gateway on the same one; their clocks stand. */
interface Pair extends AsyncDisposable {
  readonly at: World;
  readonly other: Kit;
  readonly both: readonly Kit[];
  /** So much time passes that each of them looks up what the other changed. */
  lookAnew(): void;
}

async function pair(): Promise<Pair> {
  const folder = await scratchFolder("test-");
  const settings = { kvPath: `${folder}/kv.db`, rateLimitToken: 0 };
  let elapsed = 0;
  const storage = { clock: { ...CLOCK, elapsed: () => elapsed } };
  const at = await oauth({ settings, storage });
  const other = await gateway({ settings, storage });
  return {
    at,
    other,
    both: [at.gw, other],
    lookAnew: () => void (elapsed += LIMITS.CACHE_CHECK_MS),
    async [Symbol.asyncDispose]() {
      await other[Symbol.asyncDispose]();
      await at[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** One request of the token endpoint of an instance. */
async function token(kit: Kit, form: Record<string, string>): Promise<Answered> {
  const response = await kit.http("/oauth/token", {
    method: "POST",
    as: null,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: String(new URLSearchParams(form)),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

async function whoami(kit: Kit, access_token: string): Promise<number> {
  const headers = { authorization: `Bearer ${access_token}` };
  const response = await kit.http("/api/v1/whoami", { as: null, headers });
  await response.body?.cancel();
  return response.status;
}

const test = scenes(() => pair());

test("a code sent to two instances at once is redeemed by one, and what it gave is ended at both", async (pairOf) => {
  const { at, both } = pairOf;
  const { client_id } = (await at.register()).body;
  for (let round = 0; round < 3; round++) {
    const code = await at.code(client_id);
    const answers = await Promise.all(both.map((kit) => exchange(kit, client_id, code)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
    const given = answers.find(({ status }) => status === 200)!;
    pairOf.lookAnew();
    for (const kit of both) assert.equal(await whoami(kit, given.body.access_token), 401);
  }
});

const exchange = (kit: Kit, client_id: string, code: string) =>
  token(
    kit,
    { grant_type: "authorization_code", client_id, code, redirect_uri: REDIRECT, code_verifier: VERIFIER },
  );

test("two instances that refresh one token at once give one answer, and the family goes on", async (pairOf) => {
  const { at, both } = pairOf;
  let { client_id, refresh_token } = await at.connect();
  for (let round = 0; round < 5; round++) {
    const form = { grant_type: "refresh_token", client_id, refresh_token };
    const answers = await Promise.all([...both, ...both].map((kit) => token(kit, form)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1);
    for (const kit of both) assert.equal(await whoami(kit, answers[0]!.body.access_token), 200);
    refresh_token = answers[0]!.body.refresh_token;
  }
  assert.equal((await at.gw.store.oauthGrants.list()).length, 1);
});

test("a token used at one instance is a used one at the other", async (pairOf) => {
  const { at, other } = pairOf;
  const { client_id, refresh_token, access_token } = await at.connect();
  const second = (await at.refresh(client_id, refresh_token)).body;
  await token(other, { grant_type: "refresh_token", client_id, refresh_token: second.refresh_token });
  const reused = await token(other, { grant_type: "refresh_token", client_id, refresh_token });
  assert.equal(reused.body.error, "invalid_grant");
  assert.equal(await whoami(other, access_token), 401);
  pairOf.lookAnew();
  assert.equal(await whoami(at.gw, access_token), 401);
});

test("an end while a refresh is in flight leaves nothing that calls", async (pairOf) => {
  const { at, other } = pairOf;
  for (let round = 0; round < 5; round++) {
    const { client_id, refresh_token, access_token } = await at.connect();
    const { grant } = (await at.gw.store.oauthGrants.list()).at(-1)!;
    const [refreshed] = await Promise.all([
      token(other, { grant_type: "refresh_token", client_id, refresh_token }),
      at.gw.store.oauthGrants.end(grant.id, "its user ended it"),
    ]);
    const texts = [access_token, ...refreshed.status === 200 ? [refreshed.body.access_token] : []];
    pairOf.lookAnew();
    for (const kit of pairOf.both) {
      for (const text of texts) assert.equal(await whoami(kit, text), 401);
    }
  }
});

test("what is narrowed of a person at one instance is narrowed at the other within a second", async (pairOf) => {
  const { at, other } = pairOf;
  const { access_token } = await at.connect({ sites: ["acme", "other"] });
  const sites = async () => {
    const headers = { authorization: `Bearer ${access_token}` };
    const { result } = await (await other.http("/api/v1/sites", { as: null, headers })).json();
    return result.sites.map(({ id }: { id: string }) => id);
  };
  assert.deepEqual(await sites(), ["acme", "other"]);
  await at.gw.store.users.update(at.user.id, { allowed_sites: ["acme"] });
  pairOf.lookAnew();
  assert.deepEqual(await sites(), ["acme"]);
});
