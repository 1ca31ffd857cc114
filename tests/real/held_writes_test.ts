/** On a real WordPress, on SQLite and MariaDB, a plugin's tool runs held: whole dumps before and after are compared. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { startWordPress } from "../wordpress.ts";
import { type Engine, ENGINES, ignored, type State, where } from "../companion/hold_kit.ts";
import { Mariadb } from "../companion/mariadb.ts";
import { fixture, PLUGIN } from "../companion/site.ts";
import { type KitOptions, site as registered } from "../kit.ts";
import { newAuthority } from "../authority.ts";
import { forwardedTo } from "../forwarded.ts";
import { parted } from "../proof.ts";
import { createTransport } from "../../platforms/_http/transport.ts";
import { startTls } from "../../sandbox/core/tls.ts";
import { fresh, Real } from "./_wordpress.ts";

type Args = Record<string, unknown>;
const TOOL = "builder-mcp-add-block";
const PLUGINS = [PLUGIN, fixture("publishing-tools"), fixture("hold-acts")];

/** A gateway at that site, which its administrator's account pairs. */
async function opened(
  site: CmsSandbox,
  options: Pick<KitOptions, "realClock" | "start" | "http"> & { readonly base_url?: string } = {},
): Promise<Real> {
  const { base_url = site.base_url, ...more } = options;
  const { username, application_password } = site.users.admin;
  const own = { base_url, credentials: { cms: { username, application_password } } };
  const at = await Real.open(site, {
    ...more,
    settings: { rateLimitToken: 0, rateLimitSite: 0 },
    tokens: { careful: { confirm_policy: "preview" } },
    sites: [registered("never", "cms", own)],
  });
  await at.kit.gw.gateway.toolCatalogs.run();
  return at;
}

/** A gateway at a WordPress of its own, on one of the databases. */
class Held implements AsyncDisposable {
  private constructor(readonly at: Real, private readonly server: Mariadb | null) {}

  static async open(engine: Engine): Promise<Held> {
    const server = engine === "innodb" ? await Mariadb.start("site") : null;
    const site = await startWordPress({ plugins: PLUGINS, database: server?.database("site") ?? null });
    return new Held(await opened(site), server);
  }

  page(): Promise<number> {
    return this.at.ask.draft("ed", { title: fresh("Page"), content: "<p>Text</p>" }, "pages");
  }

  async call(post_id: number, way: number, more: Args = {}, as?: string, at = this.at): Promise<Args> {
    const args = { site_id: "never", post_id, markup: `<p>way ${way}</p>`, ...more };
    return await at.kit.gw.end(TOOL, args, { as }) as Args;
  }

  /** Every row and file of the site, but for what the hold keeps of its own runs. */
  async dump(): Promise<State> {
    return (await this.at.ask.send("admin", "POST", "/wp-json/acts/v1/state", {})).body as unknown as State;
  }

  /** The tables, and the files, that differ from a dump. */
  async differing(before: State): Promise<string[]> {
    const now = await this.dump();
    const names = new Set([...Object.keys(before.tables), ...Object.keys(now.tables)]);
    const tables = [...names].filter((one) =>
      JSON.stringify(before.tables[one]) !== JSON.stringify(now.tables[one])
    );
    const files = JSON.stringify(before.files) === JSON.stringify(now.files) ? [] : ["files"];
    return [...tables.map((one) => one.replace(/^[a-z0-9]+_/, "")), ...files].sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.at[Symbol.asyncDispose]();
    await this.at.site.stop();
    await this.server?.stop();
  }
}

interface Preview {
  readonly confirm_token: string;
  readonly changes: readonly { readonly field: string; readonly from: unknown; readonly to: unknown }[];
}

for (const engine of ENGINES) {
  Deno.test({
    name: `a dry run, a held write and a refused one, by whole dumps, ${where(engine)}`,
    ignore: ignored(engine),
    async fn(t) {
      await using held = await Held.open(engine);
      const id = await held.page();
      // The first write pairs the site, and tests the hold.
      assert.equal(parted((await held.call(id, 0)).beside as Args).proof.verified, true);
      let confirm_token = "";

      await t.step("a dry run shows the rows that would change and leaves the dump as it was", async () => {
        const before = await held.dump();
        const { value } = await held.call(id, 8, { dry_run: true }) as { value: Preview };
        assert.deepEqual(await held.differing(before), []);
        const text = value.changes.find(({ field }) => field === `page ${id}: post_content`);
        assert.deepEqual([text?.from, text?.to], ["<p>Text</p>", "<p>More text</p>"], JSON.stringify(value));
        confirm_token = value.confirm_token;
      });

      await t.step("confirmed, it changes what was shown, and nothing else", async () => {
        const before = await held.dump();
        const ending = await held.call(id, 8, { confirm: true, confirm_token });
        assert.equal(parted(ending.beside as Args).proof.verified, true, JSON.stringify(ending));
        assert.deepEqual(await held.differing(before), ["posts"]);
        const row = (await held.at.kit.gw.audit()).find(({ tool }) => tool === TOOL)!;
        assert.ok(
          row.changes?.some(({ field, to }) =>
            field === `page ${id}: post_content` && to === "<p>More text</p>"
          ),
        );
      });

      await t.step("what publishes is taken back, dry and held, and the dump is as it was", async () => {
        for (const way of [1, 2, 3, 4, 5, 7]) {
          const page = await held.page();
          const before = await held.dump();
          for (const more of [{}, { dry_run: true }]) {
            const { code, message, outcome } = await held.call(page, way, more);
            const wanted = way === 7 ? "E_TOOL_ERROR" : "E_PUBLISH_NOT_ALLOWED";
            assert.deepEqual([way, code, outcome], [way, wanted, "none"], String(message));
            assert.deepEqual(await held.differing(before), [], `way ${way}`);
          }
        }
      });

      await t.step("a person's edit between preview and confirmation stays", async () => {
        const page = await held.page();
        const { value } = await held.call(page, 8, {}, "careful") as { value: Preview };
        const edited = { content: "<p>A person wrote this</p>" };
        await held.at.ask.rest("ed", "POST", `/pages/${page}`, edited);
        const before = await held.dump();
        const confirmed = { confirm: true, confirm_token: value.confirm_token };
        const { code, outcome } = await held.call(page, 8, confirmed, "careful");
        assert.deepEqual([code, outcome], ["E_STALE_PREVIEW", "none"]);
        assert.deepEqual(await held.differing(before), []);
      });

      await t.step(
        "a second gateway with the same account pairs beside the first, and both write held",
        async () => {
          await using other = await opened(held.at.site);
          for (const at of [other, held.at, other]) {
            const ending = await held.call(await held.page(), 8, {}, undefined, at);
            assert.equal(parted(ending.beside as Args).proof.verified, true, JSON.stringify(ending));
          }
          const secrets = [held.at, other].map(({ kit }) => kit.gw.store.sites.secret("never", "companion"));
          const keys = await Promise.all(secrets);
          assert.equal(new Set(keys.map((key) => key?.key_id)).size, 2);
        },
      );

      await t.step(
        "over TLS a tool is shown, carried out as shown, undone, and refused as without it",
        async () => {
          const authority = await newAuthority();
          const identity = await authority.issue(["127.0.0.1"]);
          await using tls = await startTls({ identity, answer: forwardedTo(held.at.site.base_url) });
          await using transport = createTransport({ authorities: [authority.pem] });
          const base_url = `https://127.0.0.1:${tls.port}`;
          await using at = await opened(held.at.site, { base_url, http: { fetch: transport.fetch } });
          const page = await held.page();
          const preview = await held.call(page, 8, { dry_run: true }, undefined, at) as { value: Preview };
          const content = async () => {
            const { body } = await held.at.ask.rest("ed", "GET", `/pages/${page}?context=edit`);
            return (body as unknown as { content: { raw: string } }).content.raw;
          };
          const stood = await content();
          const confirmed = { confirm: true, confirm_token: preview.value.confirm_token };
          const ending = await held.call(page, 8, confirmed, undefined, at);
          assert.equal(parted(ending.beside as Args).proof.verified, true, JSON.stringify(ending));
          assert.notEqual(await content(), stood);
          const undo = { site_id: "never", request_id: (ending.beside as Args)["request_id"] };
          const { confirm_token } = await at.kit.gw.call<Args>("undo_change", undo);
          await at.kit.gw.call("undo_change", { ...undo, confirm: true, confirm_token });
          assert.equal(await content(), stood);
          const other = await held.page();
          const before = await held.dump();
          const { code, message } = await held.call(other, 1, {}, undefined, at);
          assert.equal(code, "E_PUBLISH_NOT_ALLOWED", String(message));
          assert.deepEqual(await held.differing(before), []);
          assert.ok(tls.requests > 0);
        },
      );

      await t.step(
        "a site whose plugin is switched off after its report runs nothing, dry or held",
        async () => {
          const pages = [await held.page(), await held.page(), await held.page()];
          // A clock that stands: what the site reported does not run out between the two calls.
          await using at = await opened(held.at.site, { realClock: false, start: Date.now() });
          const shown = (page: number) => held.call(page, 8, { dry_run: true }, undefined, at);
          assert.equal((await shown(pages[2]!)).code, undefined, "pairs it");
          assert.equal((await shown(pages[0]!)).code, undefined);
          const plugin = "/wp-json/wp/v2/plugins/site-ops/site-ops";
          const off = await held.at.ask.send("admin", "POST", plugin, { status: "inactive" });
          assert.equal(off.status, 200, JSON.stringify(off.body));
          const before = await held.dump();
          const { code, message, outcome } = await shown(pages[1]!);
          assert.deepEqual([code, outcome], ["E_UPSTREAM", "none"], String(message));
          assert.match(String(message), /so nothing was run/);
          assert.deepEqual(await held.differing(before), []);
        },
      );
    },
  });
}
