/** The pages of projects: who sees them, how one is made, given its sites, told what a write needs, and frozen. */
import assert from "node:assert/strict";
import { gateway, site } from "../kit.ts";
import { plain, said, signedIn } from "./kit.ts";
import { masterBrowser } from "./master_kit.ts";

const PATH = "/admin/projects";

const opened = async () =>
  await gateway({ sites: [site("one", "cms"), site("two", "static"), site("three", "cms")] });

Deno.test("a client's project is made, given its sites, told what a write needs, and frozen, by pages alone", async () => {
  await using gw = await opened();
  const master = await masterBrowser(gw);
  assert.match(plain((await master.open(PATH)).text), /There is no project yet/);
  const made = await master.submit(PATH, { name: "North & Co", id: "north", confirm_policy: "preview" });
  assert.equal(made.title, "North & Co");
  assert.match(plain(made.text), /The project is made\. Put its sites into it/);
  const grouped = await master.submit(`${PATH}/north/sites`, { sites: ["one", "two"] });
  assert.match(plain(grouped.text), /Its sites \(2\)/);
  assert.equal((await gw.store.sites.get("one"))!.project_id, "north");
  assert.equal((await gw.store.sites.get("three"))!.project_id, null);
  await master.submit(`${PATH}/north`, { name: "North", confirm_policy: "human" });
  const { created_at: _, ...project } = (await gw.store.projects.get("north"))!;
  assert.deepEqual(project, { id: "north", name: "North", confirm_policy: "human" });
  await master.submit("/admin/freezes", { place: "project north", reason: "unpaid" });
  assert.match(plain((await master.open(`${PATH}/north`)).text), /Nothing is written on its sites now/);
  assert.match(plain((await master.open("/admin/sites/one")).text), /Nothing is written here/);
  await master.open(`${PATH}/north`);
  await master.submit("/admin/freezes/lift", { place: "project north" });
  assert.deepEqual(await gw.store.freezes.list(), []);
  const tools = (await gw.audit()).map(({ tool }) => tool);
  for (const tool of ["project.create", "project.change", "site.change"]) {
    assert.ok(tools.includes(tool), tool);
  }
  assert.equal(gw.requests.length, 0);
});

Deno.test("what is wrong with a project is said, with what was typed, and nothing is changed", async () => {
  await using gw = await opened();
  const master = await masterBrowser(gw);
  await master.open(PATH);
  const bad = await master.submit(PATH, { name: "Typed", id: "No Id" });
  assert.equal(bad.status, 400);
  assert.match(said(bad), /^id: /);
  assert.match(bad.text, /value="Typed"/);
  await gw.store.projects.create({ id: "north", name: "North" });
  await gw.store.projects.create({ id: "south", name: "South" });
  await gw.store.sites.update("one", { project_id: "south" });
  await master.open(PATH);
  assert.match(said(await master.submit(PATH, { name: "Again", id: "north" })), /"north" is taken/);
  await master.open(`${PATH}/north`);
  assert.match(said(await master.submit(`${PATH}/north/sites`, {})), /choose at least one/);
  const moved = await master.submit(`${PATH}/north/sites`, { sites: ["two", "one"] });
  assert.match(said(moved), /one is in the project south; nothing was changed/);
  assert.equal((await gw.store.sites.get("two"))!.project_id, null);
  assert.equal((await master.open(`${PATH}/none`)).status, 404);
});

Deno.test("an admin of all sites groups them, and says no policy; an admin of some sees the projects of those", async () => {
  await using gw = await opened();
  await gw.store.projects.create({ id: "north", name: "North" });
  await gw.store.projects.create({ id: "south", name: "South" });
  await gw.store.sites.update("one", { project_id: "north" });
  const all = (await signedIn(gw, "adam@agency.example", { role: "admin", allowed_sites: ["*"] })).browser;
  const some = (await signedIn(gw, "sue@agency.example", { role: "admin", allowed_sites: ["one"] })).browser;
  const member = (await signedIn(gw, "mia@agency.example", { role: "member", allowed_sites: ["*"] })).browser;
  const page = await all.open(`${PATH}/south`);
  assert.doesNotMatch(page.text, /confirm_policy/);
  await all.submit(`${PATH}/south/sites`, { sites: "two" });
  assert.equal((await gw.store.sites.get("two"))!.project_id, "south");
  assert.doesNotMatch((await some.open(PATH)).text, /South|Make the project/);
  assert.equal((await some.open(`${PATH}/north`)).status, 200);
  assert.equal((await some.open(`${PATH}/south`)).status, 404);
  assert.equal((await member.open(PATH)).status, 403);
});
