/** Projects and users. */
import assert from "node:assert/strict";
import { kit, NOW } from "./kit.ts";

const USER = { email: "a@acme.test", role: "member", allowed_sites: ["acme"] };

async function prepared() {
  const gw = await kit();
  const site = { id: "acme", name: "Acme", platform: "cms", base_url: "https://acme.test" };
  await gw.ok("POST", "/admin/api/sites", site);
  return gw;
}

Deno.test("a project is made once and listed", async () => {
  const gw = await prepared();
  const made = await gw.ok("POST", "/admin/api/projects", { id: "client", name: "  Client  " });
  assert.deepEqual(made, { id: "client", name: "Client", created_at: NOW });
  assert.deepEqual(await gw.ok("GET", "/admin/api/projects"), { projects: [made] });
  assert.equal(
    await gw.refused("E_BAD_INPUT", "POST", "/admin/api/projects", { id: "client", name: "Again" }),
    'id: "client" is taken; choose another id',
  );
  assert.match(
    await gw.refused("E_BAD_INPUT", "POST", "/admin/api/projects", { id: "A b", name: "" }),
    /^id: expected 1 to 63 .*; name: expected a name of one line, not ""$/,
  );
});

Deno.test("a user is made, listed and changed", async () => {
  const gw = await prepared();
  const made = await gw.ok("POST", "/admin/api/users", USER);
  assert.deepEqual(made, { user_id: made.user_id, ...USER, max_risk: 1, approve_sites: [], created_at: NOW });
  assert.deepEqual(await gw.ok("GET", "/admin/api/users"), { users: [made] });
  const changed = await gw.ok("PATCH", `/admin/api/users/${made.user_id}`, {
    role: "admin",
    allowed_sites: ["*"],
    max_risk: 0,
  });
  assert.deepEqual(changed, { ...made, role: "admin", allowed_sites: ["*"], max_risk: 0 });
  await gw.ok("POST", "/admin/api/users", { ...USER, email: "none@acme.test", allowed_sites: [] });
  const byEmail = await gw.ok("PATCH", `/admin/api/users/${encodeURIComponent(USER.email)}`, { max_risk: 2 });
  assert.deepEqual(byEmail, { ...changed, max_risk: 2 });
  assert.match(
    await gw.refused("E_NOT_FOUND", "PATCH", "/admin/api/users/nobody@acme.test", { max_risk: 2 }),
    /^No user "nobody@acme.test"/,
  );
});

Deno.test("what a user may not be", async () => {
  const gw = await prepared();
  const { user_id } = await gw.ok("POST", "/admin/api/users", USER);
  const cases: [Record<string, unknown>, string][] = [
    [{ email: "A@ACME.test" }, 'email: "A@ACME.test" is another user\'s; change that user'],
    [{ email: "nobody" }, 'email: expected an e-mail address, not "nobody"'],
    [{ email: "a b@c" }, "email: expected an e-mail address"],
    [{ email: `${"a".repeat(260)}@c` }, "email: expected at most 254 characters"],
    [{ role: "owner" }, "role: expected one of admin, member"],
    [{ allowed_sites: ["acne"] }, 'allowed_sites: no site "acne", did you mean acme'],
    [{ max_risk: -1 }, "max_risk: expected a whole number from 0 to 4, not -1"],
  ];
  for (const [change, message] of cases) {
    const said = await gw.refused("E_BAD_INPUT", "POST", "/admin/api/users", {
      ...USER,
      email: "b@c",
      ...change,
    });
    assert.ok(said.startsWith(message), said);
  }
  assert.equal(
    await gw.refused("E_BAD_INPUT", "PATCH", `/admin/api/users/${user_id}`, {}),
    "The body: names nothing to change",
  );
  await gw.refused("E_BAD_INPUT", "PATCH", `/admin/api/users/${user_id}`, { allowed_sites: ["gone"] });
  for (const id of ["u99", "%00", "a%2Fb"]) {
    assert.match(
      await gw.refused("E_NOT_FOUND", "PATCH", `/admin/api/users/${id}`, { role: "admin" }),
      /^No user "/,
    );
  }
});
