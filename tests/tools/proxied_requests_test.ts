/** How often sites and the CRM are asked for one call of a proxied tool, and to keep their catalogues. */
import assert from "node:assert/strict";
import { Meter } from "../requests_kit.ts";
import { type Args, served } from "./_served.ts";

const CONTACT = { site_id: "crm", contactId: "contact-1" };
const OWN_CLOCK = { realClock: false, settings: { rateLimitToken: 0, rateLimitSite: 0 } };

const SESSIONS_MS = 13 * 3_600_000;

Deno.test("each call takes as many requests and ways there and back as it must, warm and where nothing is remembered", async () => {
  const settings = { title: "T" };
  type Row = readonly [
    tool: string,
    warm: string,
    cold: string,
    args: (page: Args, element_id: string) => Args,
  ];
  const rows: readonly Row[] = [
    ["builder-mcp-list-pages", "1 in 1", "3 in 3", () => ({ site_id: "acme" })],
    // The page's state; what posts and pages are public; the write; what is public again. Cold: where the REST API stands,
    // which types are public, whether a companion plugin holds the write, a session and the notice that it is open.
    ["builder-mcp-add-container", "6 in 4", "11 in 7", (page) => page],
    [
      "builder-mcp-update-element",
      "6 in 4",
      "11 in 7",
      (page, element_id) => ({ ...page, element_id, settings }),
    ],
    ["builder-mcp-create-page", "5 in 3", "10 in 7", () => ({ site_id: "acme", title: "New" })],
    ["contacts_get-contact", "1 in 1", "1 in 1", () => CONTACT],
    ["contacts_add-tags", "2 in 2", "2 in 2", () => ({ ...CONTACT, tags: ["new"] })],
  ];
  const meter = new Meter();
  await using at = await served({ race_ms: 0 }, { ...OWN_CLOCK, fetch: meter.fetch });
  for (const [tool, warm, cold, args] of rows) {
    const { id: post_id } = at.tools.page({ title: "Page" });
    const element_id = at.tools.state.pages.get(post_id)!.elements[0]!.id;
    const call = () => at.gw.call(tool, args({ site_id: "acme", post_id }, element_id));
    at.gw.clock.now += SESSIONS_MS;
    assert.equal((await meter.cost(call)).cost, cold, `${tool}, cold`);
    assert.equal((await meter.cost(call)).cost, warm, `${tool}, warm`);
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
    // Of two WordPress sites two servers each and the one that is not there, and whether a companion plugin holds what they
    // write, which takes two; of two sites the CRM's.
    assert.equal(at.gw.requests.length - asked, 12);
  }
  assert.equal(at.tools.sessions.count(at.cms.users.admin.id), sessions);
});
