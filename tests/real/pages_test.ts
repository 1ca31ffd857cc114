/** Pages on a real WordPress with the companion plugin: by builder, from code, scheduled, published, and left alone. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { ahead, type Args, DOORS } from "../cms_kit.ts";
import { fresh, onWordPress, Real } from "./_wordpress.ts";

const plugin = new URL("../../companion/site-ops", import.meta.url).pathname;

interface Made {
  readonly id: number;
  readonly status: string;
  readonly scope_class: string;
}

const raw = (value: unknown) => (value as { raw: string }).raw;

async function opened(site: CmsSandbox) {
  const at = await Real.open(site);
  const call = (tool: string, args: Args, door?: "rest" | "mcp") =>
    at.kit.gw.call<Made>(tool, { site_id: "acme", confirm: true, ...args }, { door });
  return { at, call };
}

onWordPress({
  async "the same page draft through both doors stands twice as a draft, hidden from a visitor"(site) {
    const { at, call } = await opened(site);
    await using _at = at;
    const title = fresh("Page");
    for (const door of DOORS) {
      const { id, status } = await call("create_page_draft", { title, content_html: "<p>x</p>" }, door);
      const stored = await at.stored(id, "pages");
      assert.deepEqual([status, stored.status, raw(stored.title)], ["draft", "draft", title]);
      assert.equal(raw(stored.content), "<!-- wp:html -->\n<p>x</p>\n<!-- /wp:html -->");
      await call("update_page_draft", { page_id: id, title: `${title}!` }, door);
      assert.equal(raw((await at.stored(id, "pages")).title), `${title}!`);
    }
  },

  async "a page is scheduled, and published only where the site allows it; then it is left alone"(site) {
    const { at, call } = await opened(site);
    await using _at = at;
    const { id } = await call("create_page_draft", { title: fresh("Page"), content_html: "x" });
    await call("schedule_page", { page_id: id, scheduled_at: ahead(7200) });
    assert.equal((await at.stored(id, "pages")).status, "future");
    const publish = { site_id: "acme", page_id: id, confirm: true };
    await at.kit.gw.refuses("publish_page", publish, "E_PUBLISH_NOT_ALLOWED");
    await call("publish_page", { site_id: "open", page_id: id });
    assert.equal((await at.stored(id, "pages")).status, "publish");
    const change = { site_id: "acme", page_id: id, title: "no", confirm: true };
    await at.kit.gw.refuses("update_page_draft", change, "E_FORBIDDEN_OP");
    assert.notEqual(raw((await at.stored(id, "pages")).title), "no");
  },

  async "a page from code has its CSS, scoped, and its JS for a visitor, and no other page has them"(site) {
    const { at, call } = await opened(site);
    await using _at = at;
    const parts = { html: "<h1>hi</h1>", css: "h1{color:red}", js: "console.log('mine')" };
    const { id, status, scope_class } = await call("create_page_from_code", {
      title: fresh("Code"),
      ...parts,
    });
    assert.equal(status, "draft");
    const changed = await call("update_page_from_code", { page_id: id, css: "h1{color:green}" }, "mcp");
    assert.equal(changed.scope_class, scope_class);
    await call("publish_page", { site_id: "open", page_id: id });
    const shown = await (await fetch(`${site.base_url}/?page_id=${id}`)).text();
    assert.ok(shown.includes(`.${scope_class} h1{color:green}`));
    assert.ok(shown.includes("<h1>hi</h1>") && shown.includes("console.log('mine')"));
    assert.ok(!(await (await fetch(`${site.base_url}/`)).text()).includes(scope_class));
    const again = { site_id: "acme", page_id: id, css: "h1{color:black}", confirm: true };
    await at.kit.gw.refuses("update_page_from_code", again, "E_FORBIDDEN_OP");
  },

  async "what may not stand on a page is refused, nothing being made"(site) {
    const { at } = await opened(site);
    await using _at = at;
    const code = { site_id: "acme", title: fresh("Code"), confirm: true };
    const before = at.kit.gw.requests.length;
    await at.kit.gw.refuses(
      "create_page_from_code",
      { ...code, html: "<scRipt src=//x></script>" },
      "E_DISALLOWED_CONTENT",
    );
    const large = { ...code, html: "x".repeat(200 * 1024 + 1) };
    await at.kit.gw.refuses("create_page_from_code", large, "E_PAYLOAD_TOO_LARGE");
    const builder = { site_id: "acme", title: "x", page_builder: "visual", confirm: true };
    await at.kit.gw.refuses("create_page_draft", builder, "E_BUILDER_NOT_AVAILABLE");
    await at.kit.gw.refuses(
      "duplicate_page",
      { site_id: "acme", page_id: 2, confirm: true },
      "E_NOT_SUPPORTED",
    );
    assert.equal(at.kit.gw.requests.length, before);
  },
}, { plugins: [plugin] });
