/** A freeze: every write on the site is refused, a confirmed one too, and nothing is sent; reads go on. */
import assert from "node:assert/strict";
import { CODES } from "../../core/errors.ts";
import { openTerminal } from "../unit/admin/open_terminal.ts";
import { gateway, MASTER, site } from "../kit.ts";
import { joined, operator, person } from "../people/kit.ts";
import { masterBrowser } from "../people/master_kit.ts";
import { ground } from "./_ground.ts";
import { test as standIn } from "./_stand_in.ts";
import { nameOf, type Write, WRITES } from "./_writes.ts";

const BY = { by: "master token", reason: "relaunch" };

const isOfFiles = ({ tool, site }: Write) => site !== undefined || tool.split("_").includes("md");

for (const repositories of [false, true]) {
  const kind = repositories ? "of files" : "of a CMS";
  Deno.test(`every write ${kind} is refused on a frozen site before anything is sent, confirmed or not`, async () => {
    await using at = await ground({ repositories });
    const calls = WRITES.filter((write) => isOfFiles(write) === repositories).map((write, n) => ({
      write,
      args: { site_id: write.site ?? "cms", ...write.args(at, n % 16) },
    }));
    for (const id of ["cms", "static"]) await at.gw.store.freezes.set({ scope: "site", id, ...BY });
    at.gw.requests.splice(0);
    for (const { write, args } of calls) {
      for (const more of [{}, { confirm: true }]) {
        const ending = await at.gw.end(write.tool, { ...args, ...more });
        assert.ok(
          "code" in ending && ending.code === "E_FROZEN",
          `${nameOf(write)}: ${JSON.stringify(ending)}`,
        );
        assert.match(
          ending.message,
          /^Site "\w+" is frozen: master token did that at 20\d\d-.*Z \(relaunch\), and nothing is written there/,
        );
      }
    }
    assert.deepEqual([at.gw.requests, CODES.E_FROZEN.status], [[], 423]);
  });
}

standIn(
  "reads go on, what was previewed before is refused confirmed, and goes on once the freeze is lifted",
  async (at) => {
    const { gw } = at.kit;
    const args = { site_id: "open", post_id: at.draft.id, title: "Later" };
    const { confirm_token } = await at.kit.preview("update_draft", args);
    await gw.store.freezes.set({ scope: "all", id: "*", ...BY });
    await gw.refuses(
      "update_draft",
      { ...args, confirm: true, confirm_token },
      "E_FROZEN",
      /with every site/,
    );
    await gw.call("get_post", { site_id: "open", post_id: at.draft.id });
    const { freeze } = await gw.call<{ freeze: Record<string, unknown> }>("get_site", { site_id: "open" });
    assert.deepEqual([freeze["scope"], freeze["by"], freeze["reason"]], ["all", BY.by, BY.reason]);
    const { steps } = await gw.call<{ steps: { step: string; verdict: string; code?: string }[] }>(
      "explain_call",
      {
        site_id: "open",
        tool: "update_draft",
        arguments: { post_id: at.draft.id, title: "x" },
      },
    );
    assert.ok(
      steps.some(({ verdict, code }) => verdict === "refused" && code === "E_FROZEN"),
      JSON.stringify(steps),
    );
    assert.equal(at.kit.writes, 0);
    await gw.store.freezes.lift({ scope: "all", id: "*" });
    await gw.call("update_draft", { ...args, confirm: true, confirm_token });
    assert.equal(at.cms.posts.get(at.draft.id)!.title, "Later");
  },
);

standIn("why something is frozen is told on one line, without signs that nobody sees", async (at) => {
  const { gw } = at.kit;
  await gw.store.freezes.set({
    scope: "site",
    id: "open",
    by: "master token",
    reason: "re\u202elaunch\u200b",
  });
  const args = { site_id: "open", post_id: at.draft.id, title: "Later" };
  const changes = [{ tool: "update_draft", arguments: args }];
  await gw.refuses("update_draft", args, "E_FROZEN", /\(re launch\), and nothing/);
  await gw.refuses("prepare_changes", { title: "A set", changes }, "E_FROZEN", /\(re launch\), and nothing/);
});

standIn("a freeze that comes while a write is planned is met before it writes", async (at) => {
  const { gw } = at.kit;
  let late = true;
  const { of } = gw.store.freezes;
  // Known to another instance between this call's steps and its first write.
  gw.store.freezes.of = function (site) {
    if (late) {
      late = false;
      return null;
    }
    return of.call(this, site);
  };
  await gw.store.freezes.set({ scope: "site", id: "open", ...BY });
  const args = { site_id: "open", post_id: at.draft.id, title: "Later", confirm: true };
  await gw.fails("update_draft", args, "E_FROZEN", /frozen/);
  const [row] = await gw.audit();
  assert.deepEqual([row?.status, row?.outcome, at.kit.writes], ["error", "none", 0]);
});

Deno.test("a project's freeze holds its sites alone", async () => {
  await using gw = await gateway({
    fetch: () => Promise.resolve(Response.json({})),
    sites: [site("acme", "cms", { project_id: "north" }), site("other", "cms")],
  });
  await gw.store.freezes.set({ scope: "project", id: "north", ...BY });
  const of = async (id: string) =>
    (await gw.store.freezes.of((await gw.store.sites.get(id))!))?.scope ?? null;
  assert.deepEqual([await of("acme"), await of("other")], ["project", null]);
});

Deno.test("an operator freezes and lifts on the command line, and each is in the audit", async () => {
  await using gw = await gateway({ sites: [site("acme", "cms")] });
  await operator(gw, "POST", "projects", { id: "north", name: "North" });
  const fetch = (request: Request) => Promise.resolve(gw.gateway.fetch(request));
  const cli = await openTerminal({ fetch }, { MASTER_TOKEN: MASTER });
  assert.equal((await cli.good("freeze")).out, "Nothing is frozen.\n");
  assert.match(
    (await cli.good("freeze", "--site", "acme", "--reason", "relaunch")).out,
    /^The site "acme" is frozen by master token since .*Z: relaunch\.\n$/,
  );
  await cli.good("freeze", "--project", "north");
  await cli.good("freeze", "--all");
  assert.equal((await cli.good("freeze")).out.trim().split("\n").length, 3);
  assert.match((await cli.run("gateway", "health")).out, /Every site is frozen by master token/);
  assert.match(await cli.bad("freeze", "--all"), /is frozen already/);
  assert.match(await cli.bad("freeze", "--site", "nope"), /E_NOT_FOUND/);
  assert.match(await cli.bad("freeze", "--site", "acme", "--all"), /give one of them/);
  assert.match(await cli.bad("unfreeze"), /give one of them/);
  assert.match(
    (await cli.good("unfreeze", "--all")).out,
    /^The freeze of every site is lifted\. .* still are/,
  );
  assert.match(
    await cli.bad("unfreeze", "--all"),
    /E_NOT_FOUND: There is no freeze of every site; freeze lists/,
  );
  assert.equal(
    (await cli.good("unfreeze", "--site", "acme")).out,
    'The freeze of the site "acme" is lifted.\n',
  );
  const rows = (await gw.audit()).filter(({ door }) => door === "admin").map(({ tool }) => tool);
  assert.deepEqual(rows.filter((tool) => /freeze/.test(tool)).length, 5, rows.join());
});

Deno.test("an admin freezes sites of his or her own on the page; a member does not, nor does an admin lift the operator's", async () => {
  await using gw = await gateway({ sites: [site("acme", "cms"), site("other", "cms")] });
  const admin = await joined(
    gw,
    await person(gw, "ann@agency.example", { role: "admin", allowed_sites: ["acme"] }),
  );
  const page = await admin.open("/admin/freezes");
  assert.match(page.text, /Nothing is frozen/);
  assert.doesNotMatch(page.text, /site other|every site/);
  const frozen = await admin.submit("/admin/freezes", { place: "site acme", reason: "<b>relaunch</b>" });
  assert.match(frozen.text, /&lt;b&gt;relaunch/);
  assert.match(
    (await admin.post("/admin/freezes", new URLSearchParams({ place: "all" }))).text,
    /Nothing was sent yet|admin of all sites/,
  );
  await admin.open("/admin/freezes");
  assert.match((await admin.submit("/admin/freezes/lift", { place: "site acme" })).text, /freeze is lifted/);
  await operator(gw, "POST", "freezes", { scope: "site", id: "acme" });
  const { error } = await admin.api("POST", "freezes/lift", { scope: "site", id: "acme" });
  assert.match(error?.message ?? "", /master token, which alone lifts/);
  assert.equal(
    (await admin.api("POST", "freezes", { scope: "site", id: "other" })).error?.code,
    "E_NOT_FOUND",
  );
  assert.equal((await admin.api("POST", "freezes", { scope: "all" })).error?.code, "E_FORBIDDEN");
  const member = await joined(
    gw,
    await person(gw, "bob@agency.example", { role: "member", allowed_sites: ["acme"] }),
  );
  assert.match((await member.open("/admin/freezes")).text, /Only an admin/);
  assert.doesNotMatch((await member.open("/admin/tokens")).text, /Freezes/);
  assert.equal((await member.api("GET", "freezes")).error?.code, "E_FORBIDDEN");
});

Deno.test("of many sites one is found on the page of freezes, nothing is chosen unseen, and what was typed stays", async () => {
  const sites = Array.from(
    { length: 300 },
    (_, n) => site(`s${n + 100}`, "cms", { name: `Shop ${n + 100}` }),
  );
  await using gw = await gateway({ sites });
  const browser = await masterBrowser(gw);
  const listed = (text: string) => [...text.matchAll(/<option value="site /g)].length;
  const page = await browser.open("/admin/freezes");
  assert.equal(listed(page.text), 39);
  assert.match(page.text, /The first 40 of 301: find what is missing/);
  const found = await browser.open("/admin/freezes?q=shop+399");
  assert.equal(listed(found.text), 1);
  const none = await browser.submit("/admin/freezes", { place: "", reason: "relaunch" });
  assert.match(none.text, /What: choose a site, a project or every site; nothing was frozen/);
  assert.match(none.text, /name="reason" type="text" value="relaunch"/);
  assert.deepEqual(await gw.store.freezes.list(), []);
  await browser.submit("/admin/freezes", { place: "site s399", reason: "relaunch" });
  const again = await browser.submit("/admin/freezes", { place: "site s399", reason: "once more" });
  assert.match(again.text, /is frozen already[\s\S]*<option value="site s399" selected/);
});
