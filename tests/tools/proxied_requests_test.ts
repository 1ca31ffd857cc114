/** How often sites and the CRM are asked for one call of a proxied tool, and to keep their catalogues. */
import assert from "node:assert/strict";
import { type Args, served } from "./_served.ts";

const OWN_CLOCK = { realClock: false, settings: { rateLimitToken: 0, rateLimitSite: 0 } };

Deno.test("each call asks as often as it must: a read once, a write with its looks before and after", async () => {
  await using at = await served({ race_ms: 0 }, OWN_CLOCK);
  const { id: post_id } = at.tools.page({ title: "Page" });
  const element_id = at.tools.state.pages.get(post_id)!.elements[0]!.id;
  const page = { site_id: "acme", post_id };
  const contact = { site_id: "crm", contactId: "contact-1" };
  const calls: readonly [requests: number, tool: string, args: Args][] = [
    [1, "builder-mcp-list-pages", { site_id: "acme" }],
    [5, "builder-mcp-add-container", page], // where the site's REST API stands, once; its state; before; the write; after
    [4, "builder-mcp-add-container", page],
    [5, "builder-mcp-update-element", { ...page, element_id, settings: { title: "T" } }],
    [4, "builder-mcp-remove-element", { ...page, element_id }],
    [2, "builder-mcp-create-page", { site_id: "acme", title: "New" }],
    [1, "contacts_get-contact", contact],
    [2, "contacts_add-tags", { ...contact, tags: ["new"] }],
    [3, "builder-mcp-update-global-colors", {
      site_id: "open",
      colors: [{ _id: "a", title: "A", color: "#000" }],
    }],
    [2, "conversations_send-a-new-message", {
      ...contact,
      type: "SMS",
      subType: "SMS",
      status: "pending",
      message: "Hi",
    }],
    [2, "emails_create-template", {
      site_id: "crm",
      type: "html",
      importProvider: "kajabi",
      title: "Welcome",
    }],
  ];
  for (const [requests, tool, args] of calls) {
    const before = at.gw.requests.length;
    await at.gw.call(tool, args);
    assert.equal(at.gw.requests.length - before, requests, tool);
  }
});

Deno.test("a catalogue is asked for once an hour, in the session that is open, and no session is opened for it", async () => {
  await using at = await served({}, OWN_CLOCK);
  const sites = at.gw.requests.length;
  await at.gw.gateway.toolCatalogs.run();
  assert.equal(at.gw.requests.length, sites, "nothing is due");
  const sessions = at.tools.sessions.count(at.cms.users.admin.id);
  assert.ok(sessions > 0 && sessions <= 4, `${sessions} are open`);
  for (let hour = 1; hour <= 3; hour++) {
    at.gw.clock.now += 3_600_000;
    const asked = at.gw.requests.length;
    await at.gw.gateway.toolCatalogs.run();
    // Of two WordPress sites two servers each and the one that is not there; of two sites the CRM's.
    assert.equal(at.gw.requests.length - asked, 8);
  }
  assert.equal(at.tools.sessions.count(at.cms.users.admin.id), sessions);
});
