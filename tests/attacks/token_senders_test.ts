/** Tokens by where they come from: bound to networks, replaced by a new text, guessed; and what a flood leaves in the audit. */
import assert from "node:assert/strict";
import { LIMITS } from "../../core/model.ts";
import { gateway, type Kit, type KitOptions } from "../kit.ts";

const BASE = "http://127.0.0.1:8000";
const MINUTE_MS = 60_000;

/** What a request with that token is answered, sent from that address. */
async function sent(gw: Kit, token: string, hostname = "203.0.113.7", forwarded?: string) {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    ...forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
  };
  const info = { remoteAddr: { transport: "tcp", hostname, port: 1 } } as const;
  const init = { method: "POST", headers, body: "{}" };
  const answer = await gw.gateway.fetch(new Request(`${BASE}/api/v1/tools/list_sites`, init), info);
  const { error } = await answer.json();
  return { status: answer.status, code: error?.code, wait: answer.headers.get("retry-after") };
}

/** A gateway, and a token of it with what is given. */
async function world(more: object = {}, options: KitOptions = {}) {
  const gw = await gateway(options);
  const { token, text } = await gw.store.tokens.create({
    name: "bound",
    env: "dev",
    allowed_sites: ["*"],
    allowed_tools: ["*"],
    max_risk: 0,
    skip_write_confirm: false,
    owner_user_id: null,
    super_admin: false,
    ...more,
  });
  return { gw, token, text };
}

Deno.test("a token that is bound to networks works from there alone, of both families, and behind a trusted proxy", async () => {
  const allowed_ips = ["203.0.113.0/24", "2001:db8:1::/48", "198.51.100.9"];
  const settings = { trustedProxies: [{ address: "10.0.0.0", bits: 8 }] };
  const { gw, text } = await world({ allowed_ips }, { settings });
  await using _ = gw;
  for (const from of ["203.0.113.7", "::ffff:203.0.113.7", "198.51.100.9", "2001:db8:1:2::3"]) {
    assert.equal((await sent(gw, text, from)).status, 200, from);
  }
  for (const from of ["203.0.114.7", "198.51.100.10", "2001:db8:2::1", "127.0.0.1"]) {
    assert.deepEqual(await sent(gw, text, from), { status: 401, code: "E_AUTH", wait: null }, from);
  }
  assert.equal((await sent(gw, text, "10.1.1.1", "203.0.113.7")).status, 200, "the proxy is believed");
  assert.equal(
    (await sent(gw, text, "10.1.1.1", "203.0.113.7, 192.0.2.1")).status,
    401,
    "the last hop counts",
  );
  assert.equal((await sent(gw, text, "192.0.2.1", "203.0.113.7")).status, 401, "a stranger is not believed");
  assert.equal(
    (await gw.http("/api/v1/whoami", { headers: { authorization: `Bearer ${text}` } })).status,
    401,
  );
});

Deno.test("a token that is known and refused, from elsewhere, revoked or over, leaves one row a minute that names it", async () => {
  const { gw, token, text } = await world({ allowed_ips: ["203.0.113.0/24"] });
  await using _ = gw;
  const until = new Date(gw.clock.now + MINUTE_MS).toISOString();
  const other = await gw.store.tokens.create({
    ...token,
    name: "over",
    allowed_ips: undefined,
    expires_at: until,
  });
  gw.clock.now += 2 * MINUTE_MS;
  const revoked = await gw.store.tokens.create({ ...token, name: "revoked", allowed_ips: undefined });
  await gw.store.tokens.revoke(revoked.token.id);
  const tries = [[text, "198.51.100.9"], [other.text, "203.0.113.7"], [revoked.text, "203.0.113.7"]] as const;
  for (const [one, from] of tries) {
    for (let at = 0; at < 5; at++) {
      assert.deepEqual(await sent(gw, one, from), { status: 401, code: "E_AUTH", wait: null });
    }
  }
  await gw.gateway.counted.flush();
  const rows = (await gw.audit()).filter(({ tool }) => tool === "token.refused");
  const said = rows.map((row) => {
    const { address, count } = row.arguments as { address: string; count: number };
    return [row.token_name, row.token_id, address, count, row.status];
  });
  assert.deepEqual(said.toSorted((one, next) => one[0]! < next[0]! ? -1 : 1), [
    ["bound", token.id, "198.51.100.9", 5, "denied"],
    ["over", other.token.id, "203.0.113.7", 5, "denied"],
    ["revoked", revoked.token.id, "203.0.113.7", 5, "denied"],
  ]);
});

Deno.test("wrong tokens from very many addresses leave a hundred rows a minute, and one for all the rest", async () => {
  const { gw, text } = await world({ allowed_ips: ["203.0.113.0/24"] });
  await using _ = gw;
  for (let at = 0; at < 300; at++) {
    const from = `2001:db8:${at.toString(16)}::1`;
    await sent(gw, "gate_dev_x", from);
    await sent(gw, text, from);
  }
  for (let at = 0; at < 5; at++) await sent(gw, "gate_dev_x", "198.51.100.9");
  await gw.gateway.counted.flush();
  const rows = (await gw.store.audit.list({ tool: "token.refused" }, { limit: 500 })).rows.filter((
    { tool },
  ) => tool === "token.refused");
  assert.equal(rows.length, 2 * 101);
  const of = (name: string) =>
    rows.filter(({ token_name }) => token_name === name).map(({ arguments: args }) => args);
  for (const [name, count] of [["unknown token", 305], ["bound", 300]] as const) {
    const all = of(name) as { address: string; count: number; addresses?: number }[];
    assert.equal(all.reduce((sum, one) => sum + one.count, 0), count);
    assert.deepEqual(all.filter(({ address }) => address === "others").map(({ addresses }) => addresses), [
      name === "bound" ? 200 : 201,
    ]);
  }
  const most = of("unknown token") as { address: string }[];
  assert.ok(most.some(({ address }) => address === "198.51.100.9"), "who sent most is named");
});

Deno.test("a token that is rotated has a new text, and the old one works until the stated time alone", async () => {
  const { gw, token, text } = await world();
  await using _ = gw;
  const until = gw.clock.now + 10 * MINUTE_MS;
  const made = await gw.store.tokens.rotate(token.id, until);
  assert.ok(made !== null && made.text !== text && made.token.id === token.id);
  assert.deepEqual([(await sent(gw, text)).status, (await sent(gw, made.text)).status], [200, 200]);
  gw.clock.now = until - 1;
  assert.equal((await sent(gw, text)).status, 200);
  gw.clock.now = until;
  assert.deepEqual([(await sent(gw, text)).code, (await sent(gw, made.text)).status], ["E_AUTH", 200]);
  const again = await gw.store.tokens.rotate(token.id, gw.clock.now + MINUTE_MS);
  const last = await gw.store.tokens.rotate(token.id, gw.clock.now + MINUTE_MS);
  const texts = [text, made.text, again!.text, last!.text];
  const codes = [];
  for (const one of texts) codes.push((await sent(gw, one)).status);
  assert.deepEqual(codes, [401, 401, 200, 200], "of older texts only the last is accepted");
  const ended = await gw.store.tokens.rotate(token.id, gw.clock.now);
  assert.deepEqual([(await sent(gw, last!.text)).status, (await sent(gw, ended!.text)).status], [401, 200]);
  await gw.store.tokens.revoke(token.id);
  assert.equal((await sent(gw, ended!.text)).code, "E_AUTH");
});

Deno.test("wrong tokens over the limit of an address are answered 429, while a valid one from there passes", async () => {
  const { gw, text } = await world();
  await using _ = gw;
  const most = LIMITS.WRONG_TOKENS_PER_MINUTE;
  for (let at = 0; at < most; at++) assert.equal((await sent(gw, `gate_dev_${at}`)).status, 401);
  for (const wrong of ["gate_dev_x", "oat_x", "nonsense"]) {
    const { status, code, wait } = await sent(gw, wrong);
    assert.deepEqual([status, code, Number(wait) > 0], [429, "E_RATE_LIMITED", true], wrong);
  }
  assert.equal((await sent(gw, text)).status, 200, "a valid one passes");
  assert.equal((await sent(gw, "gate_dev_x", "198.51.100.9")).status, 401, "another address is another one");
  gw.clock.now += MINUTE_MS;
  assert.equal((await sent(gw, "gate_dev_x")).status, 401, "in the next minute it is counted anew");
  await gw.gateway.counted.flush();
  const rows = (await gw.audit()).filter(({ tool }) => tool === "token.refused");
  const counts = rows.map((row) => {
    const { address, count } = row.arguments as { address: string; count: number };
    return [address, count, row.status, row.error];
  });
  assert.deepEqual(counts.toSorted(), [
    ["198.51.100.9", 1, "denied", "E_AUTH"],
    ["203.0.113.7", 1, "denied", "E_AUTH"],
    ["203.0.113.7", most + 3, "denied", "E_AUTH"],
  ]);
});

Deno.test("calls over a token's rate leave one row a minute with their number, and none each", async () => {
  const { gw, token, text } = await world({}, { settings: { rateLimitToken: 5 } });
  await using _ = gw;
  const codes = [];
  for (let at = 0; at < 45; at++) codes.push((await sent(gw, text)).status);
  assert.deepEqual([codes.filter((one) => one === 200).length, codes.filter((one) => one === 429).length], [
    5,
    40,
  ]);
  gw.clock.now += MINUTE_MS;
  await gw.gateway.counted.run();
  const rows = (await gw.audit()).filter(({ token_id }) => token_id === token.id);
  assert.equal(rows.filter(({ tool }) => tool === "list_sites").length, 5);
  const limited = rows.filter(({ tool }) => tool === "calls.limited");
  assert.deepEqual(limited.map((row) => [(row.arguments as { count: number }).count, row.error]), [
    [40, "E_RATE_LIMITED"],
  ]);
});
