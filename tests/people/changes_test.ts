/** What an admin changes stands in the audit: who, what, before and after, and no secret. */
import assert from "node:assert/strict";
import { gateway, type Kit, MASTER, site } from "../kit.ts";
import { operator, person } from "./kit.ts";

const SECRET = "abcd efgh ijkl mnop qrst uvwx";

/** The newest row, as far as these tests look. */
async function last(gw: Kit) {
  const [row] = await gw.audit();
  const { door, token_name, site_id, tool, status, arguments: what } = row!;
  return { door, token_name, site_id, tool, status, what };
}
const by = { door: "admin", token_name: "master token", site_id: null, status: "ok" };

Deno.test("a site's registration and every change of it are audited, of credentials that they changed", async () => {
  await using gw = await gateway();
  const cms = { username: "editor", application_password: SECRET };
  const acme = { id: "acme", name: "Acme", platform: "cms", base_url: "https://acme.example" };
  assert.equal((await operator(gw, "POST", "sites", { ...acme, credentials: { cms } })).status, 200);
  const made = await last(gw);
  assert.deepEqual(
    { ...made, what: null },
    { ...by, site_id: "acme", tool: "site.create", what: null },
  );
  const { after, ...rest } = made.what as { after: Record<string, unknown> };
  assert.deepEqual(rest, { credentials: { cms: "set" } });
  assert.deepEqual({ ...after, ...acme }, after);
  assert.equal(after.confirm_policy, "flag");

  const steps: [object, object][] = [
    [{ flags: { allow_publish: true }, confirm_policy: "preview" }, {
      before: { confirm_policy: "flag", flags: { allow_publish: false } },
      after: { confirm_policy: "preview", flags: { allow_publish: true } },
    }],
    [{ credentials: { cms } }, { before: {}, after: {}, credentials: { cms: "changed" } }],
    [{ base_url: "https://new.example" }, {
      before: { base_url: "https://acme.example" },
      after: { base_url: "https://new.example" },
      credentials: { cms: "removed" },
    }],
  ];
  for (const [patch, what] of steps) {
    assert.equal((await operator(gw, "PATCH", "sites/acme", patch)).status, 200);
    assert.deepEqual(await last(gw), { ...by, site_id: "acme", tool: "site.change", what });
  }
  assert.equal((await operator(gw, "PATCH", "sites/acme", { credentials: { cms: null } })).status, 200);
  assert.doesNotMatch(JSON.stringify(await gw.audit()), /abcd efgh/);
  const rows = (await gw.audit()).length;
  assert.equal((await operator(gw, "PATCH", "sites/acme", { confirm_policy: "nobody" })).status, 400);
  assert.equal((await gw.audit()).length, rows, "a change that was refused is none");
});

Deno.test("users, projects and tokens are audited as they were and as they are", async () => {
  await using gw = await gateway({ sites: [site("acme", "cms")] });
  const ann = { email: "ann@agency.example", role: "member", allowed_sites: ["acme"], max_risk: 1 };
  const { result: { user_id } } = await operator(gw, "POST", "users", ann);
  assert.deepEqual(await last(gw), { ...by, tool: "user.create", what: { user_id, after: ann } });
  await operator(gw, "PATCH", `users/${user_id}`, { role: "admin", allowed_sites: ["*"], max_risk: 1 });
  assert.deepEqual(await last(gw), {
    ...by,
    tool: "user.change",
    what: {
      user_id,
      before: { role: "member", allowed_sites: ["acme"] },
      after: { role: "admin", allowed_sites: ["*"] },
    },
  });
  await operator(gw, "POST", "projects", { id: "north", name: "North" });
  assert.deepEqual(await last(gw), {
    ...by,
    tool: "project.create",
    what: { after: { id: "north", name: "North" } },
  });
  const wanted = { name: "writer", env: "prod", allowed_sites: ["acme"], allowed_tools: ["list_sites"] };
  const { result: token } = await operator(gw, "POST", "tokens", { ...wanted, owner_user_id: null });
  const made = await last(gw);
  assert.equal(made.tool, "token.create");
  assert.deepEqual(made.what, {
    token: token.token_id,
    after: {
      ...wanted,
      max_risk: 1,
      skip_write_confirm: false,
      confirm_policy: "flag",
      owner_user_id: null,
      super_admin: true,
    },
  });
  assert.doesNotMatch(JSON.stringify(made), new RegExp(token.token));
  await operator(gw, "PATCH", `tokens/${token.token_id}`, { allowed_tools: ["*"], max_risk: 1 });
  assert.deepEqual((await last(gw)).what, {
    token: token.token_id,
    before: { allowed_tools: ["list_sites"] },
    after: { allowed_tools: ["*"] },
  });
});

Deno.test("of a long list the audit keeps what came and what went", async () => {
  const ids = Array.from({ length: 60 }, (_, index) => `site-${index}`);
  await using gw = await gateway({ sites: ids.map((id) => site(id, "cms")) });
  const ann = await person(gw, "ann@agency.example", { allowed_sites: ids.slice(0, 50) });
  await operator(gw, "PATCH", `users/${ann.id}`, { allowed_sites: ids.slice(2, 52) });
  const { what } = await last(gw);
  assert.deepEqual(what, {
    user_id: ann.id,
    before: { allowed_sites: { count: 50, removed: ["site-0", "site-1"] } },
    after: { allowed_sites: { count: 50, added: ["site-50", "site-51"] } },
  });
});

Deno.test("signing in and out with the master token is audited, a wrong one and a session that is over are not", async () => {
  await using gw = await gateway();
  const send = (path: string, master_token: string, cookie = "") =>
    gw.http(path, {
      method: "POST",
      as: null,
      headers: { "content-type": "application/json", cookie },
      body: JSON.stringify({ master_token }),
    });
  assert.equal((await send("/admin/login", "not the master token, which is longer")).status, 401);
  assert.deepEqual(await gw.audit(), []);
  const [cookie] = (await send("/admin/login", MASTER)).headers.getSetCookie();
  assert.deepEqual(await last(gw), { ...by, tool: "session.sign_in", what: { method: "master token" } });
  for (let times = 0; times < 2; times++) await send("/admin/logout", "", cookie!.split(";")[0]);
  assert.deepEqual((await gw.audit()).map(({ tool }) => tool), ["session.sign_out", "session.sign_in"]);
});
