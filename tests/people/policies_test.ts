/** Who asks for more than confirm: true, and who may approve: policies of projects, the right to approve, four eyes. */
import assert from "node:assert/strict";
import { gateway, site } from "../kit.ts";
import { admin } from "../operator.ts";
import { operator, signedIn } from "./kit.ts";

const MADE = { title: "Made", content_html: "<p>x</p>" };

Deno.test("a project's policy holds on its sites where it is the stricter one, at once and for no other site", async () => {
  const given = { project_id: "north" };
  await using gw = await gateway({
    sites: [
      site("one", "cms", given),
      site("two", "cms", { ...given, confirm_policy: "preview" }),
      site("three", "cms"),
    ],
  });
  await operator(gw, "POST", "projects", { id: "north", name: "North" });
  const policies = async () => {
    const asked = ["one", "two", "three"].map(async (site_id) => {
      const { confirm } = await gw.call<{ confirm: { policy: string } }>("explain_call", {
        ...{ site_id, tool: "create_draft" },
        arguments: MADE,
      });
      return confirm.policy;
    });
    return (await Promise.all(asked)).join(" ");
  };
  assert.equal(await policies(), "flag preview flag");
  const changed = await operator(gw, "PATCH", "projects/north", { confirm_policy: "preview" });
  assert.equal(changed.result["confirm_policy"], "preview");
  assert.equal(await policies(), "preview preview flag");
  const shown = await gw.call<Record<string, unknown>>("get_site", { site_id: "one" });
  assert.deepEqual([shown["confirm_policy"], shown["project_confirm_policy"]], ["flag", "preview"]);
  assert.equal("project_confirm_policy" in await gw.call<object>("get_site", { site_id: "three" }), false);
  const rows = (await gw.audit()).filter(({ tool }) => tool === "project.change");
  assert.deepEqual(rows.map(({ arguments: what }) => what), [
    { id: "north", before: { confirm_policy: null }, after: { confirm_policy: "preview" } },
  ]);
});

Deno.test("only the master token changes a project's policy, and no admin takes a site out from under it", async () => {
  await using gw = await gateway({ sites: [site("one", "cms", { project_id: "north" })] });
  await operator(gw, "POST", "projects", { id: "north", name: "North", confirm_policy: "preview" });
  const { browser } = await signedIn(gw, "adam@agency.example", { role: "admin", allowed_sites: ["*"] });
  const refused: [string, string, object][] = [
    ["PATCH", "projects/north", { confirm_policy: "flag" }],
    ["POST", "projects", { id: "south", name: "South", confirm_policy: "preview" }],
    ["PATCH", "sites/one", { project_id: null }],
    ["PATCH", "sites/one", { four_eyes: true }],
    ["PATCH", "sites/one", { confirm_proxied: false }],
  ];
  for (const [method, path, body] of refused) {
    const { error } = await browser.api(method, path, body);
    assert.equal(error?.code, "E_FORBIDDEN", `${path} ${JSON.stringify(body)}`);
  }
  assert.equal((await gw.store.sites.get("one"))!.project_id, "north");
  assert.equal((await browser.api("PATCH", "sites/one", { project_id: "north", name: "One" })).status, 200);
  assert.equal((await operator(gw, "PATCH", "projects/south", { name: "x" })).status, 404);
});

Deno.test("who approves is said with the master token alone, on sites of that person", async () => {
  await using gw = await gateway({ sites: [site("one", "cms"), site("two", "cms")] });
  const bea = { email: "bea@agency.example", role: "member", allowed_sites: ["one"] };
  const made = await operator(gw, "POST", "users", { ...bea, approve_sites: ["one"] });
  assert.deepEqual(made.result["approve_sites"], ["one"]);
  const id = String(made.result["user_id"]);
  for (const approve_sites of [["two"], ["one", "two"]]) {
    const { error } = await operator(gw, "PATCH", `users/${id}`, { approve_sites });
    assert.match(error!.message, /^approve_sites: a person approves on sites of allowed_sites only/);
  }
  const { browser } = await signedIn(gw, "adam@agency.example", { role: "admin", allowed_sites: ["*"] });
  const further = { email: "new@agency.example", role: "member", allowed_sites: ["one"], max_risk: 1 };
  const refused: [string, string, object][] = [
    ["POST", "users", { ...further, approve_sites: ["one"] }],
    ["PATCH", `users/${id}`, { approve_sites: [] }],
    ["POST", `users/${id}/invite`, {}], // whoever holds the link would approve in her name
  ];
  for (const [method, path, body] of refused) {
    assert.equal((await browser.api(method, path, body)).error?.code, "E_FORBIDDEN", path);
  }
  const { out } = await admin(gw, "user", "update", id, "--approve-sites", "*", "--json");
  assert.deepEqual(JSON.parse(out).approve_sites, ["*"]);
  const eyes = await admin(gw, "site", "update", "one", "--four-eyes", "true", "--json");
  assert.equal(JSON.parse(eyes.out).four_eyes, true);
  assert.equal((await gw.call<{ four_eyes: boolean }>("get_site", { site_id: "one" })).four_eyes, true);
  const first = await admin(gw, "site", "update", "one", "--confirm-proxied", "true", "--json");
  assert.equal(JSON.parse(first.out).confirm_proxied, true);
});
