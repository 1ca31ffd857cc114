/** Who decides edits a text: that is another request, planned anew; the one of the agent ends, and the agent is told of both. */
import assert from "node:assert/strict";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import type { Args } from "../cms_kit.ts";
import { operator } from "../people/kit.ts";
import { approver, ask, type Asked, asking, confirm, edit, master, refused } from "./_approvals.ts";
import type { World } from "./_stand_in.ts";

type Person = Awaited<ReturnType<typeof approver>>;

const TEXT = "<p>From an agent</p>";
const args = (at: World): Args => edit(at, { content_html: TEXT });
const byApi = (who: Person, id: string, texts: Args) => who.edit(id, texts);
const told = (at: World, approval_id: string) =>
  at.kit.gw.call<Args & { answer: Args }>("get_approval", { approval_id }, { as: "asks" });

/** A person who has edited what an agent asked for. */
async function edited(at: World, who: Person) {
  const asked = await ask(at, args(at));
  const { status, result, error } = await byApi(who, asked.approval.id, { content_html: "<p>From Bea</p>" });
  assert.equal(status, 200, JSON.stringify(error));
  return { asked, made: result };
}

Deno.test("an edited text is a request of its own, and its yes writes that; the agent is told of both", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const { asked, made } = await edited(at, bea);
  assert.equal(at.kit.writes, 0, "editing writes nothing");
  assert.notEqual(made.id, asked.approval.id);
  assert.deepEqual(
    [made.state, made.edited_from, made.editors, made.tool],
    ["pending", asked.approval.id, [{ by: "bea@agency.example", user_id: bea.user.id }], "update_draft"],
  );

  const ended = await confirm(at, asked, args(at));
  assert.ok("code" in ended);
  assert.equal(ended.code, "E_APPROVAL_REJECTED");
  assert.ok(ended.message.includes(made.id), ended.message);
  const first = await told(at, asked.approval.id);
  assert.deepEqual([first["state"], first["reason"], first["edited_to"]], ["rejected", "edited", made.id]);
  assert.equal((await told(at, made.id))["state"], "pending");
  const { approvals } = at.kit.gw.store;
  assert.equal(await approvals.args(asked.approval.id), null, "the arguments of the first are erased");

  const { result } = await bea.show(made.id);
  assert.equal(result.arguments!["content_html"], "<p>From Bea</p>");
  assert.equal(result.arguments!["title"], "From an agent", "what was not edited stays");
  const done = await bea.approve(made.id);
  assert.equal(done.status, 200, JSON.stringify(done.error));
  assert.deepEqual([at.kit.writes, at.draft.content, at.draft.title], [
    1,
    "<p>From Bea</p>",
    "From an agent",
  ]);
  const second = await told(at, made.id);
  assert.deepEqual([second["state"], second.answer["verified"]], ["approved", true]);

  const rows = (await at.kit.gw.audit()).filter(({ edited_by, shown_to }) =>
    edited_by !== undefined && shown_to === undefined
  );
  assert.deepEqual(
    rows.map(({ status, approval_id, edited_by, edited_from, approved_by, token_name }) => [
      ...[status, approval_id, edited_by, edited_from, approved_by, token_name],
    ]),
    [
      ["ok", made.id, "bea@agency.example", undefined, "bea@agency.example", "asks"],
      ["needs_confirmation", made.id, "bea@agency.example", asked.approval.id, undefined, "asks"],
    ],
  );
});

Deno.test("over REST the refusal of the first names the second as data", async () => {
  await using at = await asking();
  const { asked, made } = await edited(at, await approver(at));
  const response = await at.kit.gw.http("/api/v1/tools/update_draft", {
    method: "POST",
    headers: { authorization: `Bearer ${at.kit.gw.token("asks")}`, "content-type": "application/json" },
    body: JSON.stringify({ ...args(at), confirm: true, confirm_token: asked.confirm_token }),
  });
  const { error } = await response.json();
  assert.equal(response.status, 403);
  assert.deepEqual(error.approval, {
    ...{ id: asked.approval.id, url: asked.approval.url, state: "rejected", reason: "edited" },
    edited_to: made.id,
  });
});

/** Edits that are refused: nothing is sent, and the request waits on. */
const REFUSED: Readonly<Record<string, readonly [texts: Args, code: string, says: RegExp]>> = {
  "an id": [
    { post_id: "12" },
    "E_BAD_INPUT",
    /^post_id: is no text that can be edited here; title, content_html can/,
  ],
  "a site": [{ site_id: "acme" }, "E_BAD_INPUT", /^site_id: is no text/],
  "a text that was not sent": [{ excerpt: "x" }, "E_BAD_INPUT", /^excerpt: is no text/],
  "a name of every object": [{ constructor: "x" }, "E_BAD_INPUT", /^constructor: is no text/],
  "the same text": [{ title: "From an agent" }, "E_BAD_INPUT", /none differs/],
  "the same text with other line ends": [{ content_html: `${TEXT}` }, "E_BAD_INPUT", /none differs/],
  "nothing": [{}, "E_BAD_INPUT", /none differs/],
  "no text": [{ title: 1 }, "E_BAD_INPUT", /texts/],
  "what the schema refuses": [{ title: "x".repeat(501) }, "E_BAD_INPUT", /^title: .*500/],
  "what would publish": [{ title: "" }, "E_BAD_INPUT", /^title/],
};

Deno.test("what cannot be edited is refused by name, nothing is sent, and the request waits as it was", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const asked = await ask(at, args(at));
  for (const [name, [texts, code, says]] of Object.entries(REFUSED)) {
    refused(await byApi(bea, asked.approval.id, texts), code, says);
    assert.equal((await at.kit.gw.store.approvals.find(asked.approval.id))!.state, "pending", name);
  }
  assert.deepEqual([at.kit.writes, (await at.kit.gw.store.approvals.list()).length], [0, 1]);
  assert.equal((await bea.approve(asked.approval.id)).status, 200, "it can be approved as it was");
});

Deno.test("who may not decide edits nothing, and what was decided or has ended is not edited", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const eve = await approver(at, "eve@agency.example", { approve_sites: ["acme"] });
  const asked = await ask(at, args(at));
  const { id } = asked.approval;
  const texts = { title: "Another" };
  refused(await byApi(eve, id, texts), "E_NOT_FOUND", /There is no request/);
  await at.kit.gw.store.freezes.set({ scope: "site", id: "open", by: "x", reason: null });
  refused(await byApi(bea, id, texts), "E_FROZEN", /frozen/);
  await at.kit.gw.store.freezes.lift({ scope: "site", id: "open" });
  await at.kit.gw.store.users.update(bea.user.id, { approve_sites: ["acme"] });
  refused(await byApi(bea, id, texts), "E_NOT_FOUND", /There is no request/);
  await at.kit.gw.store.users.update(bea.user.id, { approve_sites: ["*"] });
  await bea.reject(id, "No");
  refused(await byApi(bea, id, texts), "E_STALE_PREVIEW", /was rejected already, by bea@/);
  const other = await ask(at, args(at));
  const token = (await at.kit.gw.store.tokens.list()).find(({ name }) => name === "asks")!;
  await at.kit.gw.store.tokens.revoke(token.id);
  refused(await byApi(bea, other.approval.id, texts), "E_STALE_PREVIEW", /does not stand any more/);
  assert.equal(at.kit.writes, 0);
});

Deno.test("of two edits and a yes at once one holds", async () => {
  for (let n = 0; n < 6; n++) {
    await using at = await asking();
    const [bea, cal] = [await approver(at), await approver(at, "cal@agency.example")];
    const asked = await ask(at, args(at));
    const { id } = asked.approval;
    const shown = (await bea.show(id)).result.preview!.shown;
    const acts = [
      () => byApi(bea, id, { title: "Bea's" }),
      () => cal.approve(id, shown),
      () => byApi(cal, id, { title: "Cal's" }),
    ];
    const ends = await Promise.all([...acts.slice(n % 3), ...acts.slice(0, n % 3)].map((act) => act()));
    assert.equal(ends.filter(({ status }) => status === 200).length, 1, JSON.stringify(ends));
    const all = await at.kit.gw.store.approvals.list();
    const first = all.find((one) => one.id === id)!;
    const made = all.filter((one) => one.edited_from !== undefined);
    assert.deepEqual(made.map((one) => one.id), first.edited_to === undefined ? [] : [first.edited_to]);
    assert.equal(at.kit.writes, first.state === "approved" ? 1 : 0);
  }
});

/** An agent's token that stands for a person. */
async function ofAnn(at: World, ann: Person): Promise<Asked> {
  const { text } = await at.kit.gw.store.tokens.create({
    ...{ name: "ann's", env: "prod", allowed_sites: ["*"], allowed_tools: ["*"], max_risk: 2 },
    ...{ skip_write_confirm: false, confirm_policy: "human", owner_user_id: ann.user.id },
  });
  const response = await at.kit.gw.http("/api/v1/tools/update_draft", {
    method: "POST",
    headers: { authorization: `Bearer ${text}`, "content-type": "application/json" },
    body: JSON.stringify(args(at)),
  });
  return (await response.json()).result;
}

Deno.test("under four eyes neither who asked nor whoever edited approves, not even over two edits", async () => {
  await using at = await asking();
  const [ann, bea, cal, dan] = [
    await approver(at, "ann@agency.example"),
    await approver(at),
    await approver(at, "cal@agency.example"),
    await approver(at, "dan@agency.example"),
  ];
  const asked = await ofAnn(at, ann);
  await at.kit.gw.store.sites.update("open", { four_eyes: true });
  refused(await byApi(ann, asked.approval.id, { title: "Hers" }), "E_FORBIDDEN", /whose client asked/);
  const byMaster = await operator(at.kit.gw, "POST", `approvals/${asked.approval.id}/edit`, {
    texts: { title: "x" },
  });
  assert.equal(byMaster.error?.code, "E_FORBIDDEN");
  const first = await byApi(bea, asked.approval.id, { title: "Bea's" });
  assert.equal(first.status, 200, JSON.stringify(first.error));
  refused(await bea.approve(first.result.id), "E_FORBIDDEN", /than the one who edited it must approve/);
  const second = await byApi(cal, first.result.id, { content_html: "<p>Cal's</p>" });
  assert.deepEqual(second.result.editors!.map(({ by }) => by), ["bea@agency.example", "cal@agency.example"]);
  for (const who of [ann, bea, cal, master(at)]) {
    const { status, error } = await who.approve(second.result.id);
    assert.deepEqual([status, error?.code], [403, "E_FORBIDDEN"]);
  }
  assert.equal(at.kit.writes, 0);
  assert.equal((await dan.approve(second.result.id)).status, 200);
  assert.deepEqual([at.draft.title, at.draft.content], ["Bea's", "<p>Cal's</p>"]);
});

Deno.test("an editor who has lost the right since is in the way of a yes, and another edits it or says no", async () => {
  await using at = await asking();
  const [bea, cal] = [await approver(at), await approver(at, "cal@agency.example")];
  const { made } = await edited(at, bea);
  await at.kit.gw.store.users.update(bea.user.id, { approve_sites: ["acme"] });
  refused(
    await cal.approve(made.id),
    "E_FORBIDDEN",
    /bea@agency\.example has edited it and may not approve on open/,
  );
  assert.equal(at.kit.writes, 0);
  assert.equal((await cal.reject(made.id)).status, 200);
});

Deno.test("killed while an edit is kept the request waits on, and a second edit of it is made", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const asked = await ask(at, args(at));
  const { audit, approvals, consents } = at.kit.gw.store;
  const append = audit.append.bind(audit);
  audit.append = () => Promise.reject(new Error("killed"));
  const cut = await byApi(bea, asked.approval.id, { title: "Cut off" });
  assert.equal(cut.error?.code, "E_INTERNAL");
  audit.append = append;
  assert.equal((await approvals.find(asked.approval.id))!.state, "pending");
  assert.equal((await consents.find(asked.confirm_token))!.state, "running");
  at.kit.gw.clock.now += 5 * 60_000;
  const again = await byApi(bea, asked.approval.id, { title: "Once more" });
  assert.equal(again.status, 200, JSON.stringify(again.error));
  assert.equal(at.kit.writes, 0);
});

Deno.test("what looks like a credential, what a form would change, and what is too long is not edited", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const rows: readonly (readonly [more: Args, names: readonly string[] | undefined])[] = [
    [{ content_html: "<p>x</p>", excerpt: "y" }, ["title", "content_html", "excerpt"]],
    [{ content_html: `<p>Bearer ${"k".repeat(40)}</p>` }, ["title"]],
    [{ content_html: "<p>bell \u0007</p>" }, ["title"]],
    [{ content_html: "x".repeat(300_000) }, undefined],
  ];
  for (const [more, names] of rows) {
    const { approval } = await ask(at, edit(at, more));
    assert.deepEqual((await bea.show(approval.id)).result.texts, names, JSON.stringify(more).slice(0, 60));
  }
  const { approval } = await ask(at, { site_id: "open", post_id: at.draft.id }, "publish_post");
  assert.equal((await bea.show(approval.id)).result.texts, undefined);
});

Deno.test("the name of an editor who is erased is in no request any more", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const { made } = await edited(at, bea);
  const { status, error } = await operator(at.kit.gw, "POST", "erase", {
    user: bea.user.id,
    confirm: bea.user.id,
  });
  assert.equal(status, 200, JSON.stringify(error));
  const kept = await at.kit.gw.store.approvals.list();
  assert.deepEqual(kept.find(({ id }) => id === made.id)!.editors, [{ by: "(erased)", user_id: null }]);
  assert.doesNotMatch(JSON.stringify([kept, await at.kit.gw.audit()]), /bea@agency/);
});

Deno.test("in the figures an edit is no decision, and what was edited is counted once", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const { made } = await edited(at, bea);
  const figures = async () => {
    const { result } = await operator(at.kit.gw, "GET", "approvals/report");
    const { asked, edited, pending, approved, rejected, rejected_percent } = result as unknown as Args;
    return { asked, edited, pending, approved, rejected, rejected_percent };
  };
  const none = { approved: 0, rejected: 0, rejected_percent: null };
  assert.deepEqual(await figures(), { asked: 1, edited: 1, pending: 1, ...none });
  await bea.approve(made.id);
  const yes = { approved: 1, rejected: 0, rejected_percent: 0 };
  assert.deepEqual(await figures(), { asked: 1, edited: 1, pending: 0, ...yes });
});

Deno.test("a text that makes the arguments too large is refused, and the request can be decided at once", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const asked = await ask(at, args(at));
  const long = "x".repeat(1024 * 1024);
  const path = `/admin/approvals/${asked.approval.id}/edit`;
  await bea.browser.open(path);
  const answer = await bea.browser.submit(path, { "text.content_html": long });
  assert.equal(answer.status, 413);
  assert.match(answer.text, /1048576 are kept at most/);
  assert.ok(answer.text.includes(long), "what was typed is on the page");
  const { consents } = at.kit.gw.store;
  assert.equal((await consents.find(asked.confirm_token))!.state, "open");
  assert.deepEqual([at.kit.writes, (await at.kit.gw.store.approvals.list()).length], [0, 1]);
  assert.equal((await bea.approve(asked.approval.id)).status, 200);
});

Deno.test("the new text of a replacement is edited, and a place that was found is left out of it", async () => {
  await using at = await asking();
  const bea = await approver(at);
  at.edit(at.draft, { content: "<p>Teh workshop</p>" });
  const other = addPost(at.cms.state, {
    type: "post",
    author: 2,
    title: "Two",
    content: "<p>Teh workshop</p>",
  });
  const order = { site_id: "open", find: "Teh workshop", replace: "The workshop" };
  const asked = await ask(at, order, "replace_text");
  const { refused: why } = (await bea.show(asked.approval.id)).result;
  assert.equal(why, null, "what is filled in for others than the agent's arguments is not taken for given");
  const edited = await byApi(bea, asked.approval.id, { replace: "Our workshop" });
  assert.equal(edited.status, 200, JSON.stringify(edited.error));
  const { result: { preview } } = await bea.show(edited.result.id);
  assert.equal(preview!.items!.length, 2);
  const item = preview!.changes.find(({ field }) => field.startsWith("item 1:"));
  assert.match(String(item!.to), /Our workshop/);
  assert.equal(at.kit.writes, 0);
  const done = await bea.approve(edited.result.id, preview!.shown, [2]);
  assert.equal(done.status, 200, JSON.stringify(done.error));
  const texts = [at.draft.content, other.content];
  assert.deepEqual(texts.filter((text) => text.includes("Our workshop")).length, 1);
  assert.deepEqual(texts.filter((text) => text.includes("Teh workshop")).length, 1);
  assert.equal(at.kit.writes, 1);
});
