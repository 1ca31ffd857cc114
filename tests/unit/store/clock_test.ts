/** What is open while the clock is set: nothing made under a clock that was ahead outlives it, and nobody is shut out. */
import assert from "node:assert/strict";
import { LIMITS, OAUTH_LIMITS, PEOPLE_LIMITS } from "../../../core/model.ts";
import type { SignIn, Store } from "../../../store/store.ts";
import { Clock, GRANTED, open, START } from "./kit.ts";

const HOUR_MS = 60 * 60_000;
const AHEAD_MS = 400 * 24 * HOUR_MS;
const NOTHING: SignIn = { passphrase: null, passkeys: [] };

/** Something that is made to last, and whether it stands. */
type Made = (store: Store, clock: Clock) => Promise<{ stands(): Promise<boolean>; readonly life_ms: number }>;

const grant = async ({ oauthGrants }: Store, clock: Clock) => {
  const granted = {
    ...GRANTED,
    expires_at: clock.ms + 24 * HOUR_MS,
  } as const;
  return await oauthGrants.issueCode({ granted, redirect_uri: "x", challenge: "x", resource: null });
};

const MADE: Readonly<Record<string, Made>> = {
  "a person's session": async ({ personSessions }) => {
    const input = { user_id: "ann", method: "passkey", agent: "" } as const;
    const made = await personSessions.create(input, await personSessions.mark("ann"));
    return {
      stands: async () => await personSessions.find(made!.text) !== null,
      life_ms: PEOPLE_LIMITS.SESSION_IDLE_MS,
    };
  },
  "an admin session": async ({ sessions }) => {
    const text = await sessions.create(LIMITS.SESSION_MS, "master");
    return { stands: () => sessions.valid(text, "master"), life_ms: LIMITS.SESSION_MS };
  },
  "an invitation": async ({ invitations }) => {
    const { text } = await invitations.create("ann", null);
    return { stands: () => invitations.take(text, NOTHING), life_ms: PEOPLE_LIMITS.INVITATION_MS };
  },
  "a challenge": async ({ challenges }) => {
    const text = await challenges.create("browser");
    return { stands: () => challenges.take(text, "browser"), life_ms: PEOPLE_LIMITS.CHALLENGE_MS };
  },
  "a code": async (store, clock) => {
    const code = await grant(store, clock);
    const redeem = () => store.oauthGrants.redeem(code, () => null);
    return { stands: async () => (await redeem()).outcome === "redeemed", life_ms: OAUTH_LIMITS.CODE_MS };
  },
  "a grant": async (store, clock) => {
    const redeemed = await store.oauthGrants.redeem(await grant(store, clock), () => null);
    assert.equal(redeemed.outcome, "redeemed");
    const { refresh_token } = (redeemed as Extract<typeof redeemed, { outcome: "redeemed" }>).tokens;
    const refresh = () => store.oauthGrants.refresh(refresh_token, () => {});
    return { stands: async () => (await refresh()).outcome === "refreshed", life_ms: 24 * HOUR_MS };
  },
  "the way to connect an account": async ({ connectLinks }) => {
    const { link } = await connectLinks.create({ user_id: "ann", kind: "google", rights: [] });
    const cookie = await connectLinks.bind(link.id);
    const begun = await connectLinks.begin(link.id);
    const take = () => connectLinks.take(begun!.state, () => cookie!);
    return { stands: async () => (await take()).outcome === "taken", life_ms: LIMITS.CONNECT_LINK_MS };
  },
};

for (const [name, make] of Object.entries(MADE)) {
  Deno.test(`${name} that was made under a clock that was ahead does not outlive it`, async () => {
    const clock = new Clock();
    await using store = await open({ now: clock.now });
    clock.ms = START + AHEAD_MS;
    const { stands } = await make(store, clock);
    clock.ms = START;
    assert.equal(await stands(), false);
  });

  Deno.test(`${name} stands where the clock goes back a little, and is over where it has gone on`, async () => {
    const clock = new Clock();
    await using store = await open({ now: clock.now });
    const { stands, life_ms } = await make(store, clock);
    clock.ms = START - life_ms / 2;
    assert.equal(await stands(), true);
    clock.ms = START;
    const late = await make(store, clock);
    clock.ms = START + late.life_ms;
    assert.equal(await late.stands(), false);
  });
}

Deno.test("a refresh token that was used is forgiven for a minute, however far the clock goes back", async () => {
  const clock = new Clock();
  await using store = await open({ now: clock.now });
  const redeemed = await store.oauthGrants.redeem(await grant(store, clock), () => null);
  const { refresh_token } = (redeemed as Extract<typeof redeemed, { outcome: "redeemed" }>).tokens;
  const refresh = async () => (await store.oauthGrants.refresh(refresh_token, () => {})).outcome;
  assert.deepEqual([await refresh(), await refresh()], ["refreshed", "repeated"]);
  clock.ms -= OAUTH_LIMITS.REPEAT_MS;
  assert.equal(await refresh(), "used");
});

Deno.test("a session is in use by the clock as it is, once that has gone back", async () => {
  const clock = new Clock();
  await using store = await open({ now: clock.now });
  const { personSessions } = store;
  const made = await personSessions.create({ user_id: "ann", method: "passkey", agent: "" }, null);
  clock.ms -= HOUR_MS;
  assert.equal((await personSessions.find(made!.text))?.seen_at, clock.ms);
  clock.ms += PEOPLE_LIMITS.SESSION_IDLE_MS;
  assert.equal(await personSessions.find(made!.text), null);
});
