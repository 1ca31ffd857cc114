/** Who takes back what on the pages: one's own changes by whatever token, an admin those of the sites too; shown first, done once. */
import assert from "node:assert/strict";
import { world } from "../tools/_stand_in.ts";
import { operator, plain, said, signedIn } from "./kit.ts";
import { masterBrowser } from "./master_kit.ts";
import { UNDO } from "./try_kit.ts";
import { asks, changedBy, mia, proofOf } from "./undo_kit.ts";

/** Who asks, of a change by somebody who is a member of all sites, and what the page says; with "Take it back?" it can be done. */
const TABLE: Readonly<Record<string, readonly [grants: object, title: string, says?: RegExp]>> = {
  "another member": [{ role: "member", allowed_sites: ["*"], max_risk: 4 }, "There is no such page"],
  "an admin of the site": [{ role: "admin", allowed_sites: ["open"], max_risk: 3 }, "Take it back?"],
  "an admin of all sites": [{ role: "admin", allowed_sites: ["*"], max_risk: 3 }, "Take it back?"],
  "an admin of another site": [
    { role: "admin", allowed_sites: ["elsewhere"], max_risk: 4 },
    "There is no such page",
  ],
  "an admin who may only read": [
    { role: "admin", allowed_sites: ["open"], max_risk: 0 },
    "That was not done",
    /lies above your ceiling/,
  ],
};

for (const [who, [grants, title, says]] of Object.entries(TABLE)) {
  Deno.test(`of a change by somebody else, ${who} is answered: ${title}`, async () => {
    await using at = await world({ realClock: true });
    const id = await changedBy(at, (await mia(at)).user);
    const { browser, user } = await signedIn(at.kit.gw, "ed@agency.example", grants);
    const writes = at.kit.writes;
    const page = await asks(browser, id);
    assert.equal(page.title, title, said(page));
    if (says !== undefined) assert.match(plain(page.text), says);
    assert.equal(at.kit.writes, writes);
    if (title !== "Take it back?") return;
    assert.match(plain(page.text), /After.*Before/);
    const done = await browser.submit(`${page.path}/confirm`, {});
    assert.equal(done.title, "Taken back", said(done));
    assert.equal(at.draft.title, "Before");
    const [row] = (await at.kit.gw.audit()).filter(({ tool }) => tool === "undo_change");
    assert.deepEqual([row!.owner_user_id, row!.token_name, row!.door], [user.id, "Try", "admin"]);
  });
}

Deno.test("a person takes back what his or her token did, from the overview, the list and the row, and has that back again", async () => {
  await using at = await world({ realClock: true });
  const { browser, user } = await signedIn(at.kit.gw, "mia@agency.example", {
    role: "member",
    allowed_sites: ["open"],
    max_risk: 1,
  });
  const id = await changedBy(at, user);
  for (const path of ["/admin/changes", `/admin/audit/${id}`]) {
    await browser.open(path);
    assert.equal((await browser.submit(UNDO, {})).title, "Take it back?", path);
  }
  assert.match(
    (await browser.open("/admin")).text,
    new RegExp(`href="/admin/audit/${id}" aria-label="Take back`),
  );
  const { path } = await asks(browser, id);
  const csrf = await proofOf(browser);
  const preview = (await browser.open(path)).text;
  const confirm_token = /name="confirm_token" value="([^"]+)"/.exec(preview)![1]!;
  const body = new URLSearchParams({ csrf, confirm_token });
  const writes = at.kit.writes;
  const pressed = await Promise.all([1, 2, 3].map(() => browser.post(`${path}/confirm`, body)));
  for (const { title } of pressed) assert.equal(title, "Taken back");
  assert.equal(at.kit.writes, writes + 1, "it was written once");
  assert.equal(at.draft.title, "Before");
  assert.match(plain((await browser.open(`/admin/audit/${id}`)).text), /Taken back by \w{26}/);
  const { request_id } = (await at.kit.gw.audit()).find(({ tool, outcome }) =>
    tool === "undo_change" && outcome === "made"
  )!;
  const again = await asks(browser, request_id);
  assert.equal(again.title, "Take it back?", said(again));
  await browser.submit(`${again.path}/confirm`, {});
  assert.equal(at.draft.title, "After");
});

Deno.test("the token that takes back is for that change, tool and site alone, and ends with the session", async () => {
  await using at = await world({ realClock: true });
  const { browser, user } = await mia(at);
  const id = await changedBy(at, user);
  const page = await asks(browser, id);
  const made = (await at.kit.gw.audit()).find(({ tool }) => tool === "token.create")!;
  const { store } = at.kit.gw;
  const token = await store.tokens.get(String((made.arguments as { token: string }).token));
  assert.deepEqual(
    [token!.allowed_sites, token!.allowed_tools, token!.undoes, token!.max_risk, token!.skip_write_confirm],
    [["open"], ["undo_change", "update_draft"], [id], 3, false],
  );
  const changed = await operator(at.kit.gw, "PATCH", `tokens/${token!.id}`, { max_risk: 4 });
  assert.match(JSON.stringify(changed), /that of a trial on the console, which nobody changes/);
  const writes = at.kit.writes;
  const csrf = await proofOf(browser);
  const confirm_token = /name="confirm_token" value="([^"]+)"/.exec(
    (await browser.open(page.path)).text,
  )![1]!;
  await store.personSessions.end(user.id, (await store.personSessions.list(user.id))[0]!.id);
  const late = await browser.post(`${page.path}/confirm`, new URLSearchParams({ csrf, confirm_token }));
  assert.notEqual(late.title, "Taken back");
  assert.equal(at.kit.writes, writes);
});

Deno.test("a freeze, a person's policy and a lowered ceiling hold for what is taken back too, and nothing is sent", async () => {
  await using at = await world({ realClock: true });
  const { browser, user } = await mia(at);
  const id = await changedBy(at, user);
  const writes = at.kit.writes;
  await operator(at.kit.gw, "POST", "freezes", { scope: "site", id: "open", reason: "the relaunch" });
  const frozen = await asks(browser, id);
  assert.equal(frozen.title, "It was not taken back");
  assert.match(plain(frozen.text), /the relaunch/);
  await operator(at.kit.gw, "POST", "freezes/lift", { scope: "site", id: "open" });
  const asked = await asks(browser, id);
  await at.kit.gw.store.users.update(user.id, { max_risk: 0 });
  const lowered = await browser.submit(`${asked.path}/confirm`, {});
  assert.equal(lowered.title, "It was not taken back", said(lowered));
  await at.kit.gw.store.users.update(user.id, { max_risk: 3 });
  await at.kit.gw.store.sites.update("open", { confirm_policy: "human" });
  const waits = await asks(browser, id);
  assert.match(plain(waits.text), /A person has to approve it/, said(waits));
  assert.equal(at.kit.writes, writes);
  assert.equal(at.draft.title, "After");
});

Deno.test("several changes of one site are taken back as one list, of two sites they are refused", async () => {
  await using at = await world({ realClock: true });
  const { browser, user } = await mia(at);
  const ids = [await changedBy(at, user, "First"), await changedBy(at, user, "Second")];
  const master = await masterBrowser(at.kit.gw);
  for (const who of [browser, master]) {
    const page = await asks(who, ...ids);
    assert.equal(page.title, "Take it back?", said(page));
    assert.match(plain(page.text), /2 changes/);
  }
  await operator(at.kit.gw, "POST", "projects", { id: "north", name: "North" });
  const elsewhere = (await at.kit.gw.audit()).find(({ site_id }) => site_id === null)!;
  assert.equal((await asks(master, ids[0]!, elsewhere.request_id)).status, 400);
  assert.equal((await asks(browser, ...Array.from({ length: 51 }, (_, n) => `${n}`))).status, 400);
  const both = await asks(browser, ...ids);
  await browser.submit(`${both.path}/confirm`, {});
  assert.equal(at.draft.title, "Before");
});
