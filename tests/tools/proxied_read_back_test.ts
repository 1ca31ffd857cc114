/** What stands after writes of the CRM whose records another of its own tools shows, at a stand-in of the real server. */
import assert from "node:assert/strict";
import { DOORS } from "../cms_kit.ts";
import { type Args, blogPost as blog, served } from "./_served.ts";

Deno.test("each write of the CRM is read back by the tool that shows it", async () => {
  await using at = await served();
  const message = { site_id: "crm", type: "SMS", subType: "SMS", contactId: "contact-1", status: "pending" };
  const social = {
    site_id: "crm",
    type: "post",
    accountIds: ["account-0"],
    userId: "user-0",
    status: "draft",
  };
  const writes: readonly [tool: string, args: () => Args][] = [
    ["blogs_create-blog-post", () => blog()],
    ["blogs_update-blog-post", () => blog({ path_postId: "post-0", title: "First visit, again" })],
    [
      "emails_create-template",
      () => ({ site_id: "crm", type: "html", importProvider: "kajabi", title: "Welcome" }),
    ],
    ["conversations_send-a-new-message", () => ({ ...message, message: "See you at 9" })],
    ["social-media-posting_create-post", () => ({ ...social, summary: "We are open" })],
    ["social-media-posting_edit-post", () => ({ ...social, id: "social-0", summary: "Closed on Monday" })],
    [
      "contacts_create-contact",
      () => ({ site_id: "crm", firstName: "Ann", email: `${crypto.randomUUID()}@a.test` }),
    ],
    [
      "opportunities_update-opportunity",
      () => ({ site_id: "crm", path_id: "opp-0", name: "Whitening" }),
    ],
  ];
  for (const [tool, args] of writes) {
    for (const door of DOORS) {
      const before = at.hosted.ran.length;
      const { proof } = await at.gw.proven(tool, args(), { door });
      assert.deepEqual([tool, proof.verified, proof.warnings], [tool, true, []], proof.verified_reason);
      assert.equal(at.hosted.ran.slice(before).filter((one) => one.tool === tool).length, 1, tool);
    }
  }
});

Deno.test("what the CRM did not keep, or keeps otherwise, is not verified, and what does not show is named", async () => {
  await using at = await served();
  const { records } = at.hosted;
  const verdict = async (tool: string, args: Args) => (await at.gw.proven(tool, args)).proof;
  const keep = records.blog_posts.push.bind(records.blog_posts);
  Object.assign(records.blog_posts, { push: () => 0 });
  const lost = await verdict("blogs_create-blog-post", blog());
  assert.equal(lost.verified, false);
  assert.match(
    lost.warnings[0]!,
    /"blogs_get-blog-post" does not show "post-made-\d+", which the tool reports/,
  );
  Object.assign(records.blog_posts, { push: (row: Args) => keep({ ...row, title: "Otherwise" }) });
  assert.deepEqual((await verdict("blogs_create-blog-post", blog())).warnings, [
    "title: the record does not have it as it was sent",
  ]);
  const { rawHTML: _, ...rest } = blog();
  Object.assign(records.blog_posts, { push: ({ rawHTML: _, ...row }: Args) => keep(row) });
  const short = await verdict("blogs_create-blog-post", { ...rest, rawHTML: "<p>Long</p>" });
  assert.deepEqual([short.verified, short.warnings], [null, []]);
  assert.match(short.verified_reason!, /is as it was sent, but for what does not show in it: rawHTML$/);
});

Deno.test("a message that failed, or does not show, is no sent one; one for later need not show yet", async () => {
  await using at = await served();
  const { messages } = at.crm.state.world;
  const message = { site_id: "crm", type: "SMS", subType: "SMS", contactId: "contact-1", status: "pending" };
  const send = async (more: Args) =>
    (await at.gw.proven("conversations_send-a-new-message", { ...message, message: "Hello", ...more }))
      .proof;
  const keep = messages.push.bind(messages);
  Object.assign(messages, { push: (row: never) => keep(Object.assign(row, { status: "failed" })) });
  assert.deepEqual((await send({})).warnings, ['status: is "failed"']);
  Object.assign(messages, { push: () => 0 });
  assert.equal((await send({})).verified, false);
  const later = await send({ scheduledTimestamp: 4_102_444_800 });
  assert.deepEqual([later.verified, later.warnings], [null, []]);
  assert.match(later.verified_reason!, /is for later/);
});

Deno.test("what a record cannot show of a write is named, and a message of another kind is not proven", async () => {
  await using at = await served();
  const template = {
    site_id: "crm",
    type: "html",
    importProvider: "kajabi",
    title: "Welcome",
    builderVersion: "2",
  };
  const made = (await at.gw.proven("emails_create-template", template)).proof;
  assert.equal(made.verified, null);
  assert.match(made.verified_reason!, /but for what does not show in it: builderVersion$/);
  const { messages } = at.crm.state.world;
  const keep = messages.push.bind(messages);
  Object.assign(messages, { push: (row: never) => keep(Object.assign(row, { messageType: "TYPE_EMAIL" })) });
  const message = { site_id: "crm", type: "SMS", subType: "SMS", contactId: "contact-1", status: "pending" };
  const sent = (await at.gw.proven("conversations_send-a-new-message", { ...message, message: "Hi" })).proof;
  assert.equal(sent.verified, null);
  assert.match(sent.verified_reason!, /does not show in it: type, subType$/);
});

Deno.test("a social post and its changes are read back, as the CRM wraps them", async () => {
  await using at = await served({ race_ms: 0 });
  const accountIds = [String(at.hosted.records.social_accounts[0]!.id)];
  const post = { site_id: "crm", accountIds, summary: "Hello", type: "post", status: "draft", userId: "u" };
  const made = await at.gw.proven("social-media-posting_create-post", { ...post, media: [] });
  assert.equal(made.proof.verified, true, JSON.stringify(made));
  const [row] = await at.gw.audit();
  assert.equal(row?.result_id, at.hosted.records.social_posts.at(-1)!._id);
  const edit = { ...post, id: row?.result_id, summary: "Other", media: [] };
  const edited = await at.gw.proven("social-media-posting_edit-post", edit);
  assert.equal(edited.proof.verified, true, JSON.stringify(edited));
});
