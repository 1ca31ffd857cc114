/** What ends the right to take back between what is shown and the yes, and what a row cannot put into a token. */
import assert from "node:assert/strict";
import type { User } from "../../core/model.ts";
import { type World, world } from "../tools/_stand_in.ts";
import { operator, plain, said, signedIn } from "./kit.ts";
import { agentCalls, asks, changedBy, mia } from "./undo_kit.ts";

/** A change of Mia's on "open", which Ed, an admin, is shown what taking back would put there. */
async function shownToAdmin(at: World) {
  const { gw } = at.kit;
  const id = await changedBy(at, (await mia(at)).user);
  const ed = { role: "admin", allowed_sites: ["*"], max_risk: 3 } as const;
  const { browser, user } = await signedIn(gw, "ed@agency.example", ed);
  return { browser, user, page: await asks(browser, id), writes: at.kit.writes };
}

const LOSES: Readonly<Record<string, (at: World, user: User) => Promise<unknown>>> = {
  "is no admin any more": ({ kit }, { id }) => operator(kit.gw, "PATCH", `users/${id}`, { role: "member" }),
  "has not the site any more": ({ kit }, { id }) =>
    kit.gw.store.users.update(id, { allowed_sites: ["elsewhere"] }),
  "may only read": ({ kit }, { id }) => kit.gw.store.users.update(id, { max_risk: 0 }),
  "is removed": ({ kit }, { id }) => operator(kit.gw, "POST", `users/${id}/remove`, {}),
};

for (const [loses, lose] of Object.entries(LOSES)) {
  Deno.test(`an admin who ${loses} takes back nobody else's change that was shown before`, async () => {
    await using at = await world({ realClock: true });
    const { browser, user, page, writes } = await shownToAdmin(at);
    assert.equal(page.title, "Take it back?", said(page));
    await lose(at, user);
    const done = await browser.submit(`${page.path}/confirm`, {});
    assert.notEqual(done.title, "Taken back", said(done));
    assert.equal(at.kit.writes, writes);
    assert.equal(at.draft.title, "After");
  });
}

Deno.test("what an admin asked for is not approved once he or she is none", async () => {
  await using at = await world({ realClock: true });
  const { gw } = at.kit;
  const id = await changedBy(at, (await mia(at)).user);
  await gw.store.sites.update("open", { confirm_policy: "human" });
  const { browser, user } = await signedIn(gw, "ed@agency.example", {
    ...{ role: "admin", allowed_sites: ["*"], max_risk: 3 },
  });
  const page = await asks(browser, id);
  assert.match(plain(page.text), /A person has to approve it/, said(page));
  const [waiting] = await gw.store.approvals.list(["pending"]);
  const path = `approvals/${waiting!.id}`;
  const { result } = await operator(gw, "GET", path);
  const { shown } = (result as { readonly preview: { readonly shown: string } }).preview;
  const writes = at.kit.writes;
  await operator(gw, "PATCH", `users/${user.id}`, { role: "member" });
  const { status, error } = await operator(gw, "POST", `${path}/approve`, { shown });
  assert.notEqual(status, 200, JSON.stringify(error));
  assert.equal(at.kit.writes, writes);
  assert.equal(at.draft.title, "After");
});

Deno.test("the name of a tool that a caller made up puts no tool into the token that takes its row back", async () => {
  await using at = await world({ realClock: true });
  const { gw } = at.kit;
  const { browser, user } = await mia(at);
  const refused = await agentCalls(at, user, "*", {});
  assert.equal(refused.status, 404, await refused.text());
  const row = (await gw.audit()).find(({ tool }) => tool === "*")!;
  const page = await asks(browser, row.request_id);
  assert.equal(page.title, "It was not taken back", said(page));
  const made = (await gw.audit()).find(({ tool }) => tool === "token.create")!;
  const token = await gw.store.tokens.get(String((made.arguments as { token: string }).token));
  assert.deepEqual(token!.allowed_tools, ["undo_change"]);
});
