/** On a real WordPress, on SQLite and MariaDB, what a plugin's own tool changed in a held call is taken back, to the row. */
import assert from "node:assert/strict";
import { startWordPress } from "../wordpress.ts";
import { type Engine, ENGINES, ignored, where } from "../companion/hold_kit.ts";
import { Mariadb } from "../companion/mariadb.ts";
import { fixture, PLUGIN } from "../companion/site.ts";
import { site as registered } from "../kit.ts";
import { fresh, Real } from "./_wordpress.ts";

type Args = Record<string, unknown>;
const TOOL = "builder-mcp-add-block";

/** A gateway at a WordPress of its own: "never" may not publish, "open" may. */
class Held implements AsyncDisposable {
  private constructor(readonly at: Real, private readonly server: Mariadb | null) {}

  static async open(engine: Engine): Promise<Held> {
    const server = engine === "innodb" ? await Mariadb.start("site") : null;
    const plugins = [PLUGIN, fixture("publishing-tools"), fixture("hold-acts")];
    const site = await startWordPress({ plugins, database: server?.database("site") ?? null });
    const { base_url, users: { admin: { username, application_password } } } = site;
    const own = { base_url, credentials: { cms: { username, application_password } } };
    const at = await Real.open(site, {
      settings: { rateLimitToken: 0, rateLimitSite: 0 },
      tokens: {
        other: { super_admin: false },
        capped: { super_admin: true, max_risk: 1 },
        narrow: { super_admin: true, allowed_tools: ["undo_change"] },
      },
      sites: [
        registered("never", "cms", own),
        registered("may", "cms", { ...own, flags: { allow_publish: true } }),
      ],
    });
    await at.kit.gw.gateway.toolCatalogs.run();
    return new Held(at, server);
  }

  page(more: Args = {}): Promise<number> {
    return this.at.ask.draft("ed", { title: fresh("Page"), content: "<p>Text</p>", ...more }, "pages");
  }

  /** Calls the plugin's tool; answers what the gateway said beside its answer. */
  async write(post_id: number, way: number, site_id = "never"): Promise<Args> {
    const args = { site_id, post_id, markup: `<p>way ${way}</p>` };
    const ending = await this.at.kit.gw.end(TOOL, args) as Args;
    assert.equal(ending["code"], undefined, JSON.stringify(ending));
    return ending["beside"] as Args;
  }

  async undo(request_id: unknown, more: Args = {}, as?: string): Promise<Args> {
    return await this.at.kit.gw.call("undo_change", { site_id: "never", request_id, ...more }, { as });
  }

  async text(id: number): Promise<string> {
    const { body } = await this.at.ask.send("admin", "GET", `/wp-json/wp/v2/pages/${id}?context=edit`);
    return String(((body as Args)["content"] as Args)["raw"]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.at[Symbol.asyncDispose]();
    await this.at.site.stop();
    await this.server?.stop();
  }
}

for (const engine of ENGINES) {
  Deno.test({
    name: `a held write of a site's own tool is taken back, ${where(engine)}`,
    ignore: ignored(engine),
    async fn(t) {
      await using held = await Held.open(engine);
      const { kit } = held.at;
      const on = { site_id: "never" };
      const row = async (request_id: unknown) => {
        const { changes } = await kit.gw.call<{ changes: Args[] }>("list_changes", on);
        return changes.find((one) => one["request_id"] === request_id)!;
      };

      await t.step("it is listed, shown, set back, and that too", async () => {
        const id = await held.page();
        const said = await held.write(id, 8);
        assert.deepEqual([said["verified"], said["undoable"]], [true, true], JSON.stringify(said));
        const { request_id } = said;
        assert.equal((await row(request_id))["undoable"], true);
        const preview = await held.undo(request_id) as Args & { changes: Args[] };
        assert.deepEqual([preview["tier"], preview["undoable"]], [2, true]);
        assert.deepEqual(
          preview.changes.find(({ field }) => field === `page ${id}: post_content`),
          { field: `page ${id}: post_content`, from: "<p>More text</p>", to: "<p>Text</p>" },
        );
        assert.equal(await held.text(id), "<p>More text</p>");
        const { confirm_token } = preview;
        const done = await held.undo(request_id, { confirm: true, confirm_token });
        assert.deepEqual([done["undone"], done["verified"]], [[request_id], true]);
        assert.equal(await held.text(id), "<p>Text</p>");
        await held.undo(done["request_id"], { confirm: true });
        assert.equal(await held.text(id), "<p>More text</p>");
      });

      await t.step("what a person changed since stays, also after the preview", async () => {
        const id = await held.page();
        const { request_id } = await held.write(id, 8);
        const { confirm_token } = await held.undo(request_id);
        await held.at.ask.rest("ed", "POST", `/pages/${id}`, { content: "<p>A person's</p>" });
        for (const more of [{ confirm_token }, {}]) {
          const args = { ...on, request_id, confirm: true, ...more };
          await kit.gw.refuses(
            "undo_change",
            args,
            "E_STALE_PREVIEW",
            /Post \d+ is not as that call left it/,
          );
        }
        assert.equal(await held.text(id), "<p>A person's</p>");
      });

      await t.step("it takes the tool's own rights, ceiling and flags", async () => {
        const id = await held.page();
        const { request_id } = await held.write(id, 8);
        const args = { ...on, request_id, confirm: true };
        await kit.gw.refuses("undo_change", args, "E_SCOPE_DENIED", { as: "narrow" });
        await kit.gw.refuses("undo_change", args, "E_SCOPE_DENIED", { as: "capped" });
        await kit.gw.refuses("undo_change", args, "E_NOT_FOUND", { as: "other" });
        const page = await held.page({ status: "publish" });
        const live = await held.write(page, 8, "may");
        assert.equal(live["undoable"], true);
        const may = (await kit.gw.store.sites.get("may"))!;
        await kit.gw.store.sites.update("may", { flags: { ...may.flags, allow_publish: false } });
        const back = { site_id: "may", request_id: live["request_id"], confirm: true };
        await kit.gw.refuses("undo_change", back, "E_PUBLISH_NOT_ALLOWED");
        assert.equal(await held.text(page), "<p>More text</p>");
        await kit.gw.store.sites.update("may", { flags: may.flags });
        const preview = await held.undo(live["request_id"], { site_id: "may" });
        assert.equal(preview["tier"], 3);
        await kit.gw.call("undo_change", back);
        assert.equal(await held.text(page), "<p>Text</p>");
      });

      await t.step(
        "what the site cannot set back says why, in the preview, the answer and the list",
        async () => {
          const why = /changed nothing that can be set back/;
          const args = { ...on, post_id: await held.page(), markup: "<p>way 9</p>", dry_run: true };
          const preview = await kit.gw.call<Args>(TOOL, args);
          assert.match(String(preview["undoable_reason"]), why);
          const pattern = { site_id: "may", post_id: await held.page(), markup: "<p>way 6</p>" };
          const ending = await kit.gw.end(TOOL, pattern) as Args;
          const said = (ending["beside"] ?? {}) as Args;
          assert.equal(ending["code"], undefined, JSON.stringify(ending));
          assert.deepEqual(said["undoable"], false);
          assert.match(String(said["undoable_reason"]), /was made, which the site does not set back/);
          const { changes } = await kit.gw.call<{ changes: Args[] }>("list_changes", { site_id: "may" });
          const listed = changes.find((one) => one["request_id"] === said["request_id"])!;
          assert.deepEqual(listed["undoable"], false);
          assert.match(String(listed["undoable_reason"]), /was made/);
          const undo = { site_id: "may", request_id: said["request_id"], confirm: true };
          await kit.gw.refuses("undo_change", undo, "E_FORBIDDEN_OP", /cannot be taken back\. .* was made/);
        },
      );
    },
  });
}
