/** What OAuth adds to a call: the first after a code is redeemed, and the look-up of a token among 100,000. */
import { hash } from "node:crypto";
import { type Granted, OAUTH_PREFIX, type User } from "../core/model.ts";
import type { Store } from "../store/store.ts";
import { openStore } from "../store/kv.ts";
import { type Gateway, inFolder, startGateway } from "./gateway.ts";
import { type Line, ms } from "./table.ts";
import { median, timed } from "./timing.ts";

const TOKENS = 100_000;
const PER_COMMIT = 500;
const DAY_MS = 24 * 60 * 60_000;
const VERIFIER = "verifier-of-the-bench-0123456789-abcdefghijklmnop";
const REDIRECT = "http://127.0.0.1/callback";
const KEY = new Uint8Array(32).fill(3);

const tokenText = (at: number) => `${OAUTH_PREFIX.access}${hash("sha256", `bench ${at}`, "base64url")}`;

const granted = (user: User): Granted => ({
  user_id: user.id,
  client_id: "bench",
  client_name: "Bench",
  redirect_host: "127.0.0.1",
  allowed_sites: ["acme"],
  groups: ["discovery"],
  max_risk: 1,
  expires_at: Date.now() + DAY_MS,
});

/** A store on that file, as the gateway's. */
const storeAt = (path: string) =>
  openStore({
    path,
    keys: [KEY],
    siteShape: { blank: () => ({}), credentialKinds: [], addressBound: [] },
    tokenPrefix: "gate",
  });

/** A code as the page of consent issues one. */
const codeFor = (store: Store, user: User) =>
  store.oauthGrants.issueCode({
    granted: granted(user),
    redirect_uri: REDIRECT,
    challenge: hash("sha256", VERIFIER, "base64url"),
    resource: null,
  });

/** A user, and 100,000 access tokens of one grant; written as the store writes them. */
async function filled(path: string): Promise<User> {
  const store = await storeAt(path);
  const user = await store.users.create({
    email: "bench@gateway.example",
    role: "member",
    allowed_sites: ["*"],
    max_risk: 1,
  });
  const redeemed = await store.oauthGrants.redeem(await codeFor(store, user!), () => null);
  if (redeemed.outcome !== "redeemed") throw new Error(redeemed.outcome);
  await store.close();
  using kv = await Deno.openKv(path);
  const access = { grant_id: redeemed.tokens.grant.id, resource: null, expires_at: Date.now() + DAY_MS };
  for (let at = 0; at < TOKENS;) {
    const change = kv.atomic();
    for (let count = 0; count < PER_COMMIT; count++, at++) {
      change.set(["oauth_access", hash("sha256", tokenText(at))], access);
    }
    await change.commit();
  }
  return user!;
}

async function ask(url: string, token: string, body?: unknown): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(url, {
    headers,
    ...body === undefined ? {} : { method: "POST", body: JSON.stringify(body) },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${text}`);
}

/** Redeems a code; answers its access token. */
async function redeem({ url }: Gateway, code: string): Promise<string> {
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    client_id: "bench",
    code,
    redirect_uri: REDIRECT,
    code_verifier: VERIFIER,
  });
  const { access_token } = await (await fetch(`${url}/oauth/token`, { method: "POST", body })).json();
  if (!access_token) throw new Error("the code was refused");
  return access_token;
}

/** The rows of RESULTS.md. */
export function oauthRows(rounds: number): Promise<Line[]> {
  return inFolder(async (folder) => {
    const path = `${folder}/store`;
    const user = await filled(path);
    await using gateway = await startGateway(folder, [], { ENCRYPTION_KEYS: KEY.toBase64() });
    const store = await storeAt(path);
    const call = (token: string) => timed(() => ask(`${gateway.url}/api/v1/tools/list_sites`, token, {}));
    const whoami = (token: string) => timed(() => ask(`${gateway.url}/api/v1/whoami`, token));
    const times = { redeem: [], first: [], second: [], fresh: [], cached: [], own: [] } as Record<
      string,
      number[]
    >;
    for (let round = 0; round <= rounds; round++) {
      const code = await codeFor(store, user);
      let token = "";
      const took: Record<string, number> = {
        redeem: await timed(async () => token = await redeem(gateway, code)),
        first: await call(token),
        second: await call(token),
        fresh: await whoami(tokenText(round)),
        cached: await whoami(tokenText(round)),
        own: await whoami(gateway.token),
      };
      if (round > 0) { for (const [name, time] of Object.entries(took)) times[name]!.push(time); }
    }
    await store.close();
    const shown = (name: string) => ms(median(times[name]!));
    return [
      {
        name: "a code is redeemed",
        figure: shown("redeem"),
        beside: `${shown("second")}, a call of list_sites`,
        aim: "",
      },
      {
        name: "the first call after it, list_sites",
        figure: shown("first"),
        beside: `${shown("second")}, the next`,
        aim: "under 20 ms",
      },
      {
        name: "whoami with one of 100,000 access tokens, not seen before",
        figure: shown("fresh"),
        beside: `${shown("cached")}, seen before; ${shown("own")}, with a token of the gateway's own`,
        aim: "under 10 ms",
      },
    ];
  });
}
