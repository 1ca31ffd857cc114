/** Tokens are made, listed and revoked; none reaches past its owner. */
import assert from "node:assert/strict";
import { kit, NOW } from "./kit.ts";
import { words } from "../../words.ts";
import { until } from "../../e2e/running.ts";
import { changeToken } from "../../../admin/tokens.ts";
import type { AdminPorts } from "../../../admin/ports.ts";
import { callerOfPerson } from "../../../identity/rights.ts";

const BODY = { name: "writer", env: "dev", allowed_sites: ["acme"], allowed_tools: ["*"] };
const PATH = "/admin/api/tokens";

async function prepared() {
  const gw = await kit();
  for (const id of ["acme", "beta"]) {
    await gw.ok("POST", "/admin/api/sites", {
      id,
      name: id,
      platform: "cms",
      base_url: `https://${id}.test`,
    });
  }
  const user = { email: "a@acme.test", role: "member", allowed_sites: ["acme"], max_risk: 2 };
  const { user_id } = await gw.ok<{ user_id: string }>("POST", "/admin/api/users", user);
  return { ...gw, user_id };
}

Deno.test("a token is shown once, with its fields", async () => {
  const gw = await prepared();
  const { token, ...made } = await gw.ok<{ token: string; token_id: string; warnings: string[] }>(
    "POST",
    PATH,
    BODY,
  );
  assert.match(token, /^gate_dev_[\w-]{43}$/);
  assert.equal((await gw.store.tokens.find(token))?.id, made.token_id);
  assert.deepEqual(made, {
    token_id: made.token_id,
    ...BODY,
    max_risk: 1,
    skip_write_confirm: false,
    confirm_policy: "flag",
    owner_user_id: null,
    super_admin: false,
    created_at: NOW,
    revoked_at: null,
    expires_at: null,
    allowed_ips: null,
    old_until: null,
    last_used_at: null,
    warnings: [],
  });
  const listed = await gw.call("GET", PATH);
  const { warnings: _, ...fields } = made;
  assert.deepEqual(listed.body.result, { tokens: [fields] });
  assert.ok(!JSON.stringify(listed.body).includes(token));
});

Deno.test("a token belongs to an owner, and never passes the owner's ceiling", async () => {
  const gw = await prepared();
  const made = await gw.ok("POST", PATH, { ...BODY, owner_user_id: gw.user_id });
  assert.deepEqual([made.owner_user_id, made.max_risk, made.super_admin], [gw.user_id, 1, false]);
  const all = { email: "b@acme.test", role: "admin", allowed_sites: ["*"] };
  const { user_id } = await gw.ok("POST", "/admin/api/users", all);
  assert.equal(
    (await gw.ok("POST", PATH, { ...BODY, allowed_sites: ["*"], owner_user_id: user_id })).max_risk,
    1,
  );
});

Deno.test("a super-admin token may skip the confirmation", async () => {
  const gw = await prepared();
  const asked = { ...BODY, owner_user_id: null, skip_write_confirm: true };
  const made = await gw.ok("POST", PATH, asked);
  assert.deepEqual([made.skip_write_confirm, made.super_admin, made.max_risk], [true, true, 1]);
});

Deno.test("what a token may not ask for", async () => {
  const gw = await prepared();
  const owner_user_id = gw.user_id;
  const cases: [Record<string, unknown>, string][] = [
    [{ allowed_sites: ["acne"] }, 'allowed_sites: no site "acne", did you mean acme'],
    [{ allowed_sites: ["zzzzzz"] }, 'allowed_sites: no site "zzzzzz"; register it first'],
    [{ allowed_sites: ["*", "acme"] }, 'allowed_sites: "*" must be the only entry: ["*"]'],
    [{ allowed_sites: [] }, 'allowed_sites: expected at least one site id, or ["*"] for all'],
    [
      { allowed_sites: ["Acme"] },
      'allowed_sites[0]: expected a site id or "*", not "Acme"',
    ],
    [{ allowed_tools: ["get_pots"] }, 'allowed_tools: no tool "get_pots", did you mean get_post'],
    [{ allowed_tools: ["crm_list_invoices"] }, 'allowed_tools: no tool "crm_list_invoices"'],
    [{ allowed_tools: ["a b"] }, 'allowed_tools[0]: expected a tool name or "*", not "a b"'],
    [{ owner_user_id: "nobody" }, 'owner_user_id: no user "nobody"'],
    [
      { owner_user_id, allowed_sites: ["acme", "beta"] },
      'allowed_sites: "beta" is beyond the owner, who may use acme',
    ],
    [{ owner_user_id, allowed_sites: ["*"] }, 'allowed_sites: "*" is beyond the owner, who may use acme'],
    [{ owner_user_id, max_risk: 3 }, "max_risk: 3 is beyond the owner, who may go up to 2"],
    [
      { owner_user_id, skip_write_confirm: true },
      "skip_write_confirm: only a super-admin token, made with owner_user_id null, may skip the confirmation",
    ],
    [
      { skip_write_confirm: true },
      "skip_write_confirm: only a super-admin token, made with owner_user_id null, may skip the confirmation",
    ],
    [{ max_risk: 5 }, "max_risk: expected a whole number from 0 to 4, not 5"],
    [{ max_risk: "1" }, 'max_risk: expected a whole number from 0 to 4, not "1"'],
    [{ env: "stage" }, 'env: expected one of prod, dev, not "stage"'],
    [{ expires_at: "soon" }, "expires_at: expected a time with its zone"],
    [{ expires_at: "2027-02-30" }, "expires_at: expected a time with its zone"],
    [{ expires_at: NOW }, `expires_at: ${NOW} is not in the future`],
    [{ name: "x".repeat(101) }, "name: expected a name of at most 100 characters, not"],
  ];
  for (const [change, message] of cases) {
    const said = await gw.refused("E_BAD_INPUT", "POST", PATH, { ...BODY, ...change });
    assert.ok(said.startsWith(message), `${said}\n${message}`);
  }
  assert.deepEqual((await gw.ok("GET", PATH)).tokens, []);
});

Deno.test("all that is wrong is told at once", async () => {
  const gw = await prepared();
  const said = await gw.refused("E_BAD_INPUT", "POST", PATH, {
    ...BODY,
    allowed_sites: ["gone"],
    allowed_tools: ["nope_nope"],
    owner_user_id: "nobody",
    skip_write_confirm: true,
  });
  assert.equal(said.split("; ").length, 5, said);
});

Deno.test("a site's own tool may be named before a site offers it, with a warning", async () => {
  const gw = await prepared();
  const allowed_tools = words("get_post forms_get-submissions builder-mcp-list-pages contacts_get-contact");
  const made = await gw.ok("POST", PATH, { ...BODY, allowed_tools: [...allowed_tools, "get_post"] });
  assert.deepEqual(made.allowed_tools, allowed_tools);
  assert.deepEqual(made.warnings, [
    'allowed_tools: no site offers "contacts_get-contact" now; it holds once one does',
  ]);
});

Deno.test("a token is revoked for good", async () => {
  const gw = await prepared();
  const { token, token_id } = await gw.ok<{ token: string; token_id: string }>("POST", PATH, BODY);
  const revoked = await gw.ok("POST", `${PATH}/${token_id}/revoke`);
  assert.equal(revoked.revoked_at, NOW);
  assert.equal((await gw.store.tokens.find(token))?.revoked_at, NOW);
  assert.deepEqual(await gw.ok("POST", `${PATH}/${token_id}/revoke`), revoked);
  assert.ok(!("token" in revoked));
  for (const id of ["t99", "..%2Ft1", "%00", "%zz", "x".repeat(300), encodeURIComponent("a b")]) {
    assert.match(await gw.refused("E_NOT_FOUND", "POST", `${PATH}/${id}/revoke`), /^No token "/);
  }
});

Deno.test("a token may have an end, which its person brings nearer and only the master token takes away", async () => {
  const gw = await prepared();
  const made = await gw.ok("POST", PATH, { ...BODY, expires_at: "2026-12-24" });
  assert.equal(made.expires_at, "2026-12-24T23:59:59.000Z");
  const path = `${PATH}/${made.token_id}`;
  const sooner = await gw.ok("PATCH", path, { expires_at: "2026-12-01T08:00:00+01:00" });
  assert.equal(sooner.expires_at, "2026-12-01T07:00:00.000Z");
  assert.equal((await gw.ok("PATCH", path, { name: "other" })).expires_at, "2026-12-01T07:00:00.000Z");
  assert.match(
    await gw.refused("E_BAD_INPUT", "PATCH", path, { expires_at: "2026-11-01" }),
    /^expires_at: 2026-11-01T23:59:59.000Z is not in the future/,
  );
  const user = (await gw.store.users.get(gw.user_id))!;
  const owned = await gw.store.tokens.create({
    ...{ name: "own", env: "dev", allowed_sites: ["acme"], allowed_tools: ["*"], max_risk: 1 },
    ...{ skip_write_confirm: false, owner_user_id: user.id, expires_at: "2026-12-01T00:00:00.000Z" },
  });
  const [ports, caller] = [{ ...gw, store: gw.store } as unknown as AdminPorts, callerOfPerson(user)];
  const change = (expires_at: string | null) =>
    changeToken({ ...ports, ...changing }, caller, owned.token.id, { expires_at });
  const changing = {
    now: () => Date.parse(NOW),
    toolNames: () => Promise.resolve([]),
    record: () => Promise.resolve(),
  };
  for (const later of [null, "2026-12-02T00:00:00.000Z"]) {
    await assert.rejects(change(later), /expires_at: a token can be made to do less, not more/);
  }
  assert.equal((await change("2026-11-30T00:00:00.000Z")).token.expires_at, "2026-11-30T00:00:00.000Z");
  const endless = await gw.ok("PATCH", path, { expires_at: null });
  assert.equal(endless.expires_at, null);
  assert.ok(!("expires_at" in (await gw.store.tokens.get(made.token_id as string))!));
});

Deno.test("a list says when each token was used last", async () => {
  const gw = await prepared();
  const { token_id } = await gw.ok<{ token_id: string }>("POST", PATH, BODY);
  gw.store.tokens.used(token_id);
  gw.store.tokens.used("nobody");
  await until(async () => (await gw.store.tokens.uses([token_id])).size > 0, 5000);
  const { tokens } = await gw.ok<{ tokens: { last_used_at: string }[] }>("GET", PATH);
  assert.deepEqual(tokens.map(({ last_used_at }) => last_used_at), [NOW]);
  assert.deepEqual(
    [...(await gw.store.tokens.uses([token_id, "nobody"])).keys()],
    [token_id],
    "of a token there is not, nothing",
  );
});
