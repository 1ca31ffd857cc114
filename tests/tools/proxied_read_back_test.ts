/** What stands after proxied writes whose records another of the site's own tools shows, at stand-ins of the real servers. */
import assert from "node:assert/strict";
import { container, widget } from "../../sandbox/tool_servers/start.ts";
import { DOORS } from "../cms_kit.ts";
import { type Args, blogPost as blog, served } from "./_served.ts";
import { says, world } from "./_proxied.ts";

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

Deno.test("the site's colours and fonts are compared with all that stand under their names", async () => {
  await using at = await served();
  const colours = (colors: Args[]) => ({ site_id: "open", colors });
  const verdict = async (tool: string, args: Args) => (await at.gw.proven(tool, args)).proof;
  for (const door of DOORS) {
    const own = { _id: `brand-${door}`, title: "Brand", color: "#FF5733" };
    const { proof } = await at.gw.proven("builder-mcp-update-global-colors", colours([own]), { door });
    assert.equal(proof.verified, true);
  }
  // The stand-in appends another "primary", as the real one does, and the old one goes on to hold.
  const primary = await verdict(
    "builder-mcp-update-global-colors",
    colours([{ _id: "primary", title: "Primary", color: "#000000" }]),
  );
  assert.deepEqual([primary.verified, primary.warnings], [false, [
    'colors: what is under the _id "primary" is not as it was sent, or not alone',
  ]]);
  const font = { _id: "brand", title: "Brand", typography_font_size: { unit: "px", size: 20 } };
  const fonts = await verdict("builder-mcp-update-global-typography", {
    site_id: "open",
    typography: [font],
  });
  assert.equal(fonts.verified, true);
});

Deno.test("a failure after which the colours stand is made, and one after which they do not is not", async () => {
  await using at = await served();
  const tool = "builder-mcp-update-global-colors";
  const boom = { isError: true, content: [{ type: "text" as const, text: "Boom" }] };
  for (const [applied, outcome] of [[true, "made"], [false, "none"]] as const) {
    const colors = [{ _id: `brand-${applied}`, title: "Brand", color: "#FF5733" }];
    at.tools.inject({ kind: "result", result: boom, applied }, { path: "update-global-colors" });
    const end = await at.gw.end(tool, { site_id: "open", colors }) as Args;
    assert.deepEqual([end.code, end.outcome], ["E_TOOL_ERROR", outcome]);
  }
});

Deno.test("a saved template, and a script of a page, are read back; a medium where its reader is offered", async () => {
  await using at = await served();
  const { id: post_id } = at.tools.page({ title: "Page" });
  const parent_id = at.tools.state.pages.get(post_id)!.elements[0]!.id;
  const page = { site_id: "open", post_id };
  const template = { ...page, title: "Kept", template_type: "page" };
  assert.equal((await at.gw.proven("builder-mcp-save-as-template", template)).proof.verified, true);
  const script = { ...page, parent_id, js: "start();" };
  assert.equal((await at.gw.proven("builder-mcp-add-custom-js", script)).proof.verified, true);
  const image = { site_id: "acme", url: "https://example.test/a.jpg", title: "A" };
  const { done, proof } = await at.gw.proven<Args>("builder-mcp-sideload-image", image);
  assert.deepEqual([proof.verified, proof.verified_reason], [
    null,
    '"get-media" shows what this tool writes, and this site does not offer it',
  ]);
  assert.equal(
    (await at.gw.audit())[0]!.result_id,
    done.attachment_id,
    "what was made is known all the same",
  );
});

Deno.test("a medium is read back where an operator approved the tool that shows it", async () => {
  await using at = await world();
  const read = { writes: false, effect: "read" } as const;
  at.source.offer("emcp-tools-sideload-image", ["acme"], { writes: true, effect: "new" });
  at.source.offer("emcp-tools-get-media", ["acme"], read);
  at.servers.answers.set("emcp-tools-sideload-image", () => says({ attachment_id: 7 }));
  const image = { site_id: "acme", url: "https://example.test/a.jpg", title: "A", alt_text: "Sea" };
  for (
    const [stored, verified, words] of [
      [{ title: "A", alt: "sea" }, null, /is as it was sent, but for what does not show in it: url$/],
      [{ title: "B", alt: "sea" }, false, /^title: /],
    ] as const
  ) {
    at.servers.answers.set("emcp-tools-get-media", () => says({ id: 7, ...stored }));
    const { proof } = await at.gw.proven("builder-mcp-sideload-image", image);
    assert.equal(proof.verified, verified);
    assert.match(`${proof.verified_reason ?? ""}${proof.warnings}`, words);
    assert.deepEqual(at.servers.reached.at(-1)?.args, { id: 7 });
  }
});

Deno.test("a saved template is compared with what it is a copy of", async () => {
  await using at = await served();
  const one = container({}, [widget("heading", { title: "One" })]);
  const { id: post_id } = at.tools.page({ title: "Page", elements: [one, container()] });
  const call = { site_id: "open", post_id, title: "Kept", template_type: "page" };
  const { templates } = at.tools.state;
  const verdict = async (more: Args) =>
    (await at.gw.proven("builder-mcp-save-as-template", { ...call, ...more })).proof;
  assert.equal((await verdict({})).verified, true);
  assert.equal((await verdict({ element_id: one.id })).verified, true);
  const set = templates.set.bind(templates);
  templates.set = (id, template) => set(id, { ...template, elements: template.elements.slice(1) });
  const whole = await verdict({});
  assert.deepEqual([whole.verified, whole.warnings], [false, [
    "post_id: the copy does not show what the page shows, or the element of it",
  ]]);
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
