/** The page and the commands of webhooks: who may, the secret that is shown once, what was sent, and every word of others as text. */
import assert from "node:assert/strict";
import type { Kit } from "../kit.ts";
import { MASTER, site } from "../kit.ts";
import { openTerminal } from "../unit/admin/open_terminal.ts";
import { happens, hooked, run, sentTo, telling, verified } from "../webhooks_kit.ts";
import { operator, plain, said, signedIn, unescaped } from "./kit.ts";

const PATH = "/admin/webhooks";
const ADMIN = { role: "admin" } as const;
const EVENTS = ["approval.requested", "set.ended"];

/** A gateway with a project of one site. */
async function world() {
  const at = await telling({ sites: [site("acme", "cms", { project_id: "north" })] });
  await operator(at.gw, "POST", "projects", { id: "north", name: "North" });
  return at;
}

const admin = async (gw: Kit) => (await signedIn(gw, "ada@agency.example", ADMIN)).browser;

const FORM = {
  name: "Team",
  url: "https://hooks.example/x/secret-path",
  project: "north",
  format: "standard",
};

Deno.test("a webhook is set up on the page, tried, turned off and on, rotated, sent again and deleted", async () => {
  await using at = await world();
  const { gw, receivers } = at;
  const browser = await admin(gw);
  const list = await browser.open(PATH);
  assert.match(plain(list.text), /Nobody is told of anything yet/);
  const made = await browser.submit(PATH, { ...FORM, events: EVENTS });
  assert.equal(made.title, "The webhook's secret");
  const secret = unescaped(/<code class="secret">([^<]*)</.exec(made.text)![1]!);
  assert.match(secret, /^whsec_/);
  const path = /href="(\/admin\/webhooks\/\w+)"/.exec(made.text)![1]!;
  const id = path.split("/").at(-1)!;
  for (const page of [await browser.open(PATH), await browser.open(path)]) {
    assert.doesNotMatch(page.text, /whsec_|secret-path|<script/);
    assert.match(plain(page.text), /https:\/\/hooks\.example/);
    assert.match(
      page.headers.get("content-security-policy")!,
      /^default-src 'none'; style-src 'self'; form-action/,
    );
    assert.equal(page.headers.get("cache-control"), "no-store");
  }
  receivers.answer = () => new Response("no", { status: 503 });
  const failed = await browser.submit(`${path}/test`, {});
  assert.match(said(failed), /^It did not arrive: its receiver answered 503, after \d+ ms\.$/);
  receivers.answer = () => new Response("ok");
  const tried = await browser.submit(`${path}/test`, {});
  assert.match(plain(tried.text), /It arrived: answered 200 in \d+ ms\./);
  verified(secret, receivers.last);
  assert.equal(receivers.last.url, FORM.url);

  await happens(gw, ["acme"]);
  await run(gw);
  const shown = await browser.open(path);
  assert.match(plain(shown.text), /set\.ended arrived answered 200 in/);
  const before = receivers.all.length;
  const [newest] = (await sentTo(gw, id)).deliveries;
  await browser.submit(`${path}/resend`, { delivery: newest!.id });
  assert.equal(receivers.all.length, before + 1);
  assert.equal(receivers.last.headers["webhook-id"], newest!.id);

  const off = await browser.submit(`${path}/turn`, {});
  assert.match(plain(off.text), /The webhook is off.*Off since .*: somebody turned it off/);
  assert.equal(await happens(gw, ["acme"]), 0);
  assert.match(plain((await browser.submit(`${path}/turn`, {})).text), /The webhook is on/);
  await browser.submit(path, { name: "Other", url: "", events: ["tool.held"] });
  const { webhook } = await sentTo(gw, id);
  assert.deepEqual([webhook.name, webhook.events], ["Other", ["tool.held"]]);
  const rotated = await browser.submit(`${path}/rotate`, {});
  assert.notEqual(unescaped(/<code class="secret">([^<]*)</.exec(rotated.text)![1]!), secret);
  await browser.open(path);
  assert.match(plain((await browser.submit(`${path}/delete`, {})).text), /The webhook is deleted/);
  assert.equal((await browser.open(path)).status, 404);
  const actions = (await gw.audit()).map(({ tool }) => tool).filter((tool) => tool.startsWith("webhook"));
  const wanted = "create test test resend update update update rotate delete".split(" ").reverse();
  assert.deepEqual(actions, wanted.map((one) => `webhook.${one}`));
  assert.doesNotMatch(JSON.stringify(await gw.audit()), /whsec_|secret-path/);
});

Deno.test("what is wrong with a form stands on it, and what was filled in stays", async () => {
  await using at = await world();
  const browser = await admin(at.gw);
  await browser.open(PATH);
  const cases = [
    [{ ...FORM, url: "http://10.0.0.1/" }, /url: The address "http:\/\/10\.0\.0\.1" is not https/],
    [{ ...FORM, url: "https://10.0.0.1/" }, /is private/],
    [{ ...FORM, name: " " }, /name: expected what it is called/],
    [{ ...FORM, project: "*" }, /a webhook for every site takes the master token/],
    [{ ...FORM, project: "nowhere" }, /There is no project "nowhere"/],
    [{ ...FORM, format: "xml" }, /format: expected one of standard, slack, teams/],
    [{ ...FORM, events: [] }, /events: expected at least one event/],
    [{ ...FORM, events: ["all"] }, /events\[0\]: expected one of approval\.requested/],
  ] as const;
  for (const [form, says] of cases) {
    const page = await browser.submit(PATH, { events: EVENTS, ...form });
    assert.ok([400, 403, 404].includes(page.status), String(page.status));
    assert.match(said(page), says);
    assert.equal(page.text.includes('value="Team"'), form.name === "Team");
  }
  assert.equal(at.receivers.all.length, 0);
  assert.deepEqual(await at.gw.store.webhooks.list(), []);
});

Deno.test("markup in a name, and in what a receiver's address says, is text; a form of another site does nothing", async () => {
  await using at = await world();
  const { gw, receivers } = at;
  const name = '"><script>alert(1)</script><img src=x>';
  const { webhook } = await hooked(gw, { name, project_id: "north" });
  receivers.answer = () => new Response("<script>alert(2)</script>", { status: 500, statusText: "bad" });
  const browser = await admin(gw);
  await browser.open(`${PATH}/${webhook.id}`);
  const tried = await browser.submit(`${PATH}/${webhook.id}/test`, {});
  for (const { text } of [tried, await browser.open(PATH)]) {
    assert.doesNotMatch(text, /<script|<img|alert\(2\)/);
    assert.ok(unescaped(text).includes(name));
  }
  const sent = receivers.all.length;
  const forged = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
  for (const action of ["test", "rotate", "delete", "turn", "resend"]) {
    const page = await browser.post(`${PATH}/${webhook.id}/${action}`, new URLSearchParams(), {
      headers: forged,
    });
    assert.equal(page.status, 403, action);
  }
  assert.equal(receivers.all.length, sent);
});

Deno.test("who may: an admin of all sites those of projects, the master token all, nobody else any", async () => {
  await using at = await world();
  const { gw } = at;
  const every = await hooked(gw, { name: "every site" });
  const own = await hooked(gw, { name: "north", project_id: "north" });
  const ada = await admin(gw);
  const some = (await signedIn(gw, "sam@agency.example", { ...ADMIN, allowed_sites: ["acme"] })).browser;
  const member = (await signedIn(gw, "mia@agency.example", { approve_sites: ["*"] })).browser;
  const ids = async (who: typeof ada) =>
    ((await who.api("GET", "webhooks")).result?.webhooks ?? []).map(({ id }: { id: string }) => id);
  assert.deepEqual(await ids(ada), [own.webhook.id]);
  assert.deepEqual(await ids(some), []);
  assert.equal((await member.api("GET", "webhooks")).status, 403);
  for (const who of [some, member]) assert.equal((await who.open(PATH)).status, 403);
  const calls = ["test", "rotate", "delete", "deliveries/msg_x/resend"].map((one) => ["POST", one] as const);
  for (const [method, more] of [...calls, ["GET", "deliveries"] as const]) {
    const path = `webhooks/${every.webhook.id}/${more}`;
    const body = method === "GET" ? undefined : {};
    assert.equal((await ada.api(method, path, body)).status, 404, more);
    assert.equal((await some.api(method, path.replace(every.webhook.id, own.webhook.id), body)).status, 404);
    assert.equal((await member.api(method, path, body)).status, 403);
  }
  const body = { name: "x", url: "https://hooks.example/", project_id: null };
  assert.match((await ada.api("POST", "webhooks", body)).error!.message, /takes the master token/);
  const theirs = await some.api("POST", "webhooks", { ...body, project_id: "north" });
  assert.match(theirs.error!.message, /an admin of all sites/);
  assert.equal((await ada.api("PATCH", `webhooks/${every.webhook.id}`, { on: false })).status, 404);
  assert.equal((await gw.http(`/admin/api/webhooks`, { as: "all" })).status, 401);
  assert.equal((await gw.store.webhooks.list()).every(({ on }) => on), true);
});

Deno.test("by command a webhook is made, listed with its reason, tried, sent again, turned off, rotated and deleted", async () => {
  await using at = await world();
  const { gw, receivers } = at;
  const fetch = (request: Request) => Promise.resolve(gw.gateway.fetch(request));
  const cli = await openTerminal({ fetch }, { MASTER_TOKEN: MASTER });
  const options = ["--name", "Team", "--address", "https://hooks.example/secret-path"];
  assert.match(await cli.bad("webhooks", "create", ...options), /--project, --all: give one of them/);
  const made = await cli.good(
    "webhooks",
    "create",
    ...options,
    "--project",
    "north",
    "--events",
    EVENTS.join(","),
  );
  assert.match(made.out, /^secret +whsec_\S+$/m);
  assert.match(made.err, /Keep the secret now/);
  const id = /^id +(\S+)$/m.exec(made.out)![1]!;
  const list = async () => (await cli.good("webhooks", "list")).out;
  assert.match(
    await list(),
    new RegExp(`${id} +Team +north +https://hooks.example +standard +${EVENTS} +on`),
  );
  assert.match((await cli.good("webhooks", "test", id)).out, /^msg_\w+ arrived: 200 in \d+ ms\.\n$/);
  receivers.answer = () => new Response(null, { status: 410 });
  const failed = await cli.run("webhooks", "test", id);
  assert.equal(failed.code, 1);
  assert.match(failed.out, /did not arrive: its receiver answered 410/);
  await happens(gw, ["acme"]);
  await run(gw);
  assert.match(
    await list(),
    /off since \S+: its receiver answered 410, which asks that nothing more is sent/,
  );
  const health = await cli.run("gateway", "health");
  assert.equal(health.code, 1);
  assert.match(
    health.out,
    new RegExp(`The webhook Team \\(${id}\\): off since .*webhooks update ${id} --on true`),
  );
  receivers.answer = () => new Response("");
  const sent = (await cli.good("webhooks", "deliveries", id)).out;
  const delivery = /^(msg_\w+) .*set\.ended +given_up +1 +410/m.exec(sent)![1]!;
  assert.match((await cli.good("webhooks", "resend", id, delivery)).out, /arrived: 200/);
  assert.match((await cli.good("webhooks", "update", id, "--on", "true")).out, /^state +on$/m);
  assert.match(await cli.bad("webhooks", "update", id, "--on", "yes"), /--on: true or false/);
  assert.match((await cli.good("webhooks", "rotate", id)).out, /^secret +whsec_/m);
  assert.match((await cli.good("webhooks", "delete", id)).out, /^The webhook Team is deleted\.\n$/);
  assert.match(await cli.bad("webhooks", "test", id), /E_NOT_FOUND: There is no webhook/);
  assert.doesNotMatch(sent + health.out, /secret-path|whsec_/);
});

Deno.test("of two who change one webhook at once the second is told, keeps what was typed, and overwrites nothing unseen", async () => {
  await using at = await world();
  const { gw } = at;
  const { webhook: { id } } = await hooked(gw, { name: "Ours", project_id: "north" });
  const [first, second] = [await admin(gw), (await signedIn(gw, "bea@agency.example", ADMIN)).browser];
  for (const browser of [first, second]) await browser.open(`${PATH}/${id}`);
  await first.submit(`${PATH}/${id}`, { name: "The first's", events: EVENTS });
  const told = await second.submit(`${PATH}/${id}`, { name: "The second's", events: ["set.ended"] });
  assert.equal(told.status, 409);
  assert.match(said(told), /Somebody else changed this webhook while the form was open/);
  assert.match(plain(told.text), /Set now: The first's; told of approval\.requested, set\.ended/);
  assert.match(told.text, /name="name" type="text" value="The second&#39;s"/);
  assert.equal((await gw.store.webhooks.list())[0]!.name, "The first's");
  await second.submit(`${PATH}/${id}`, { name: "The second's", events: ["set.ended"] });
  assert.equal((await gw.store.webhooks.list())[0]!.name, "The second's");
});
