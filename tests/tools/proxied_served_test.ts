/** Proxied writes at the stand-ins of real tool servers: what is stored, what is proven of it, what goes wrong. */
import assert from "node:assert/strict";
import { all } from "../../sandbox/tool_servers/start.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { type Args, served } from "./_served.ts";

const ADD = "builder-mcp-add-free-widget";
const heading = (post_id: number, parent_id: string, more: Args = {}) => ({
  site_id: "acme",
  post_id,
  parent_id,
  widget_type: "heading",
  settings: { title: "Hello" },
  ...more,
});

/** A draft of the builder's with one section, and that section's id. */
function draft(at: Awaited<ReturnType<typeof served>>, status = "draft") {
  const { id } = at.tools.page({ title: "Page", status });
  return { id, section: at.tools.state.pages.get(id)!.elements[0]!.id };
}

Deno.test("twelve adds to one page at once are all stored, and each is verified", async () => {
  await using at = await served();
  const { id, section } = draft(at);
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => at.gw.proven(ADD, heading(id, section))),
  );
  assert.deepEqual(answers.map(({ proof }) => proof.verified), Array(12).fill(true));
  assert.equal(all(at.tools.state.pages.get(id)!.elements).length, 13);
  const [row] = await at.gw.audit();
  assert.deepEqual([row?.outcome, row?.status], ["made", "ok"]);
});

Deno.test("a success that is not kept, and an error that is, are reported as what they are", async () => {
  await using at = await served();
  const { id, section } = draft(at);
  at.tools.inject({ kind: "forgotten" }, { path: "add-free-widget" });
  const { proof } = await at.gw.proven(ADD, heading(id, section));
  assert.equal(proof.verified, false);
  const stored = () => all(at.tools.state.pages.get(id)!.elements).length;
  const before = stored();
  for (
    const [fault, code] of [
      [{ kind: "html_first" }, "E_UPSTREAM"],
      [
        { kind: "result", result: { isError: true, content: [{ type: "text", text: "Boom" }] } },
        "E_TOOL_ERROR",
      ],
      [{ kind: "http", status: 500 }, "E_UPSTREAM"],
    ] as const
  ) {
    at.tools.inject(fault, { path: "add-free-widget" });
    const ending = await at.gw.end(ADD, heading(id, section)) as Args;
    assert.deepEqual([ending.code, ending.outcome], [code, "made"], fault.kind);
  }
  assert.equal(stored(), before + 3);
  at.tools.inject({ kind: "http", status: 500, applied: false }, { path: "add-free-widget" });
  const lost = await at.gw.end(ADD, heading(id, section)) as Args;
  assert.deepEqual([lost.code, lost.outcome, stored()], ["E_UPSTREAM", "unknown", before + 3]);
});

Deno.test("a write whose answer breaks off, or does not end, is looked for on the page", async () => {
  await using at = await served();
  const { id, section } = draft(at);
  const stored = () => all(at.tools.state.pages.get(id)!.elements).length;
  for (const applied of [true, false]) {
    const before = stored();
    at.tools.inject({ kind: "endless", applied }, { path: "add-free-widget" });
    const endless = await at.gw.end(ADD, heading(id, section)) as Args;
    const outcome = applied ? "made" : "unknown";
    assert.deepEqual([endless.code, endless.outcome], ["E_UPSTREAM", outcome]);
    assert.doesNotMatch(String(endless.message), /a part of/);
    at.tools.inject({ kind: "other_id", applied }, { path: "add-free-widget" });
    const foreign = await at.gw.end(ADD, heading(id, section)) as Args;
    assert.deepEqual([foreign.code, foreign.outcome], ["E_UPSTREAM", outcome]);
    assert.doesNotMatch(String(foreign.message), /a part of/);
    at.cms.inject({ kind: "reset", applied }, { body: /emcp-tools-add-free-widget/ });
    const reset = await at.gw.end(ADD, heading(id, section)) as Args;
    assert.deepEqual([reset.code, reset.outcome], ["E_UPSTREAM", outcome], String(reset.message));
    assert.equal(stored(), before + (applied ? 3 : 0));
  }
});

Deno.test("settings are stored and read back, and removing an element is seen", async () => {
  await using at = await served();
  const { id, section } = draft(at);
  const { element_id } = await at.gw.call<{ element_id: string }>(ADD, heading(id, section));
  const update = { site_id: "acme", post_id: id, element_id, settings: { title: "Other" } };
  const answer = await at.gw.proven("builder-mcp-update-element", update);
  assert.equal(answer.proof.verified, true, JSON.stringify(answer));
  const { proof } = await at.gw.proven("builder-mcp-remove-element", {
    site_id: "acme",
    post_id: id,
    element_id,
  });
  assert.equal(proof.verified, true);
  const made = await at.gw.proven("builder-mcp-create-page", { site_id: "acme", title: "New page" });
  assert.equal(made.proof.verified, true, JSON.stringify(made));
});

Deno.test("a published page is left as it is without allow_publish, whichever way it is written to", async () => {
  await using at = await served();
  const { id, section } = draft(at, "publish");
  await at.gw.refuses(ADD, heading(id, section), "E_FORBIDDEN_OP");
  const parameters = { post_id: id, parent_id: section, widget_type: "heading" };
  const run = { site_id: "acme", ability_name: "emcp-tools/add-free-widget", parameters };
  await at.gw.refuses("mcp-adapter-execute-ability", run, "E_FORBIDDEN_OP");
  assert.deepEqual(at.writes(), []);
  const answer = await at.gw.proven("mcp-adapter-execute-ability", { ...run, site_id: "open" });
  assert.equal(answer.proof.verified, true, JSON.stringify(answer));
  assert.equal(at.gw.requests.filter(({ url }) => url.includes("wp-abilities")).length, 0);
});

Deno.test("text that was not made with the builder is never replaced by it, whichever way and whatever the site allows", async () => {
  await using at = await served();
  const text = "<!-- wp:paragraph --><p>Ours</p><!-- /wp:paragraph -->";
  for (const [type, status] of [["page", "draft"], ["post", "draft"], ["page", "publish"]] as const) {
    const { id } = addPost(at.cms.state, { type, status, author: 1, title: "Text", content: text });
    const page = { site_id: "open", post_id: id };
    for (
      const [tool, args] of [
        ["builder-mcp-add-container", page],
        ["builder-mcp-update-page-settings", { ...page, settings: { hide_title: "yes" } }],
        ["builder-mcp-apply-template", { ...page, template_id: 901 }],
        ["mcp-adapter-execute-ability", {
          site_id: "open",
          ability_name: "emcp-tools/add-container",
          parameters: { post_id: id },
        }],
      ] as const
    ) {
      const message = await at.gw.refuses(tool, args, "E_FORBIDDEN_OP");
      assert.match(
        message,
        new RegExp(`post_id: page ${id} has text that was not made with the page builder`),
      );
    }
    assert.deepEqual([at.writes(), at.cms.posts.get(id)!.content], [[], text]);
  }
  const empty = at.tools.page({ title: "New", elements: [] }).id;
  const args = { site_id: "open", post_id: empty };
  assert.equal((await at.gw.proven("builder-mcp-add-container", args)).proof.verified, true);
  assert.equal((await at.gw.proven("builder-mcp-add-container", args)).proof.verified, true);
});

Deno.test("a tag added through the hosted tools shows up in the next read and in tag hygiene", async () => {
  await using at = await served();
  const [contact] = at.crm.state.world.contacts;
  const contactId = String(contact!.id);
  const tags = { site_id: "crm", contactId, tags: ["quite-new"] };
  await at.gw.refuses("contacts_add-tags", { ...tags, site_id: "closed" }, "E_CRM_WRITE_NOT_ALLOWED");
  const answer = await at.gw.proven("contacts_add-tags", tags);
  assert.equal(answer.proof.verified, true, JSON.stringify(answer));
  const read = await at.gw.call("contacts_get-contact", { site_id: "crm", contactId });
  assert.match(JSON.stringify(read), /quite-new/);
  const hygiene = await at.gw.call("crm_compute_tag_hygiene", { site_id: "crm", threshold: 5 });
  assert.match(JSON.stringify(hygiene), /quite-new/);
  assert.ok(at.hosted.ran.every(({ location_id }) => location_id === at.crm.location_id));
});
