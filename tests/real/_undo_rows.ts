/** On a real WordPress, every row looked at: what one client wrote by whatever tool goes back exactly, or not one row is another. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { fixture, PLUGIN } from "../companion/site.ts";
import type { Args } from "../cms_kit.ts";
import { site as registered } from "../kit.ts";
import { Dice } from "../tools/_crm_dice.ts";
import { onWordPress, Real } from "./_wordpress.ts";

const SEEDS = [1, 2];
/** Of this one nobody but the one client writes. */
const ALONE = 2;
/** Each tool writes three times where one client is alone. */
const STEPS = 24;
const SITE = "whole";

/** What stands there cell by cell: a column of a post, all texts under a meta key, the terms of a post. */
export type Cells = Readonly<Record<string, string>>;

/** Columns that each write sets, and meta that WordPress notes for itself while it publishes or edits. */
const CLOCKS: ReadonlySet<string> = new Set(["post_modified", "post_modified_gmt"]);
const NOTES: ReadonlySet<string> = new Set(["_edit_last", "_edit_lock", "_encloseme", "_pingme"]);

export async function cells(at: Real): Promise<Cells> {
  const { body } = await at.ask.send("admin", "GET", "/wp-json/dump/v1/rows");
  const all = body as unknown as Record<string, string[]>;
  const rowsOf = (table: string) => all[table]!.map((text) => JSON.parse(text) as Record<string, string>);
  const found: Record<string, string> = {};
  const revisions = new Set<string>();
  for (const { ID, ...post } of rowsOf("posts")) {
    if (post["post_type"] === "revision") revisions.add(ID!);
    else {
      for (const [column, value] of Object.entries(post)) {
        const floats = column === "post_date" && post["post_status"] === "draft";
        if (!CLOCKS.has(column) && !floats) found[`post ${ID} ${column}`] = value;
      }
    }
  }
  const grouped = (table: string, key: (row: Record<string, string>) => string | null, value: string) => {
    const groups = new Map<string, string[]>();
    for (const row of rowsOf(table)) {
      const name = key(row);
      if (name !== null) groups.set(name, [...groups.get(name) ?? [], row[value]!]);
    }
    for (const [name, values] of groups) found[name] = JSON.stringify(values.toSorted());
  };
  grouped(
    "postmeta",
    ({ post_id, meta_key }) =>
      revisions.has(post_id!) || NOTES.has(meta_key!) ? null : `meta ${post_id} ${meta_key}`,
    "meta_value",
  );
  grouped("term_relationships", ({ object_id }) => `terms ${object_id}`, "term_taxonomy_id");
  grouped("term_taxonomy", ({ term_taxonomy_id }) => `count ${term_taxonomy_id}`, "count");
  grouped("terms", ({ term_id }) => `term ${term_id}`, "name");
  grouped(
    "options",
    ({ option_name }) => option_name === "rankmath_standin_redirections" ? option_name : null,
    "option_value",
  );
  return found;
}

/** Which cells are another, as they were and as they are. */
export function between(
  before: Cells,
  after: Cells,
): Map<string, readonly [string | undefined, string | undefined]> {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return new Map(
    [...names].filter((name) => before[name] !== after[name]).map((name) =>
      [name, [before[name], after[name]]] as const
    ),
  );
}

/** What stands on the site before a walk. */
export interface Scene {
  readonly draft: number;
  readonly live: number;
  readonly page: number;
  readonly parent: number;
  readonly code: number;
  /** An entry of custom schema. */
  readonly entry: number;
  readonly entry_id: string;
  readonly images: readonly { readonly id: number; readonly url: string }[];
  readonly tags: readonly string[];
  readonly source: string;
}

/** A write, as a call of a tool. */
export type Write = readonly [tool: string, args: Args];

export const peek = async (at: Real, body: Args) =>
  (await at.ask.send("admin", "POST", "/wp-json/peek/v1/ask", body)).body as unknown as { id: number };

async function call(at: Real, tool: string, args: Args, as = "ann") {
  return await at.kit.gw.call<{ request_id: string; id?: number; entry_id?: string }>(tool, {
    site_id: SITE,
    ...args,
    confirm: true,
  }, { as });
}

export async function scene(at: Real, provider: Provider, n: number): Promise<Scene> {
  const words = (word: string) => `${word} ${provider} ${n}`;
  const classic = { content: "<p>Classic \\ &amp; ä</p>" };
  const draft = await at.ask.draft("admin", { title: words("Draft"), ...classic }, "posts");
  const page = await at.ask.draft("admin", { title: words("Page"), ...classic }, "pages");
  const parent = await at.ask.draft("admin", { title: words("Above"), ...classic }, "pages");
  const live = await at.ask.draft("admin", { title: words("Live"), ...classic }, "posts");
  await at.ask.rest("admin", "POST", `/posts/${live}`, { status: "publish" });
  const { id: code } = await call(at, "create_page_from_code", {
    ...{ title: words("Code"), slug: `code-${provider}-${n}`, html: "<p>Old</p>" },
  });
  const tags = [words("One"), words("Two")];
  for (const name of tags) await call(at, "create_taxonomy", { taxonomy: "tag", name });
  const images = await Promise.all([1, 2].map(async (one) => {
    const file = `2026/01/${provider}-${n}-${one}.png`;
    const post = { post_type: "attachment", post_status: "inherit", post_mime_type: "image/png" };
    const { id } = await peek(at, { post: { ...post, post_title: file } });
    await peek(at, { id, meta: { _wp_attached_file: file } });
    return { id, url: `${at.site.base_url}/wp-content/uploads/${file}` };
  }));
  const source = `/old-${provider}-${n}`;
  await call(at, "set_seo_redirect", { source, destination: "/first" });
  const schema = { "@context": "https://schema.org", "@type": "Article", name: "Old" };
  const { entry_id } = await call(at, "set_seo_schema", { post_id: draft, schema });
  return {
    ...{ draft, live, page, parent, code: code!, tags, images, source, entry_id: entry_id! },
    entry: provider === "rankmath" ? draft : await ownEntry(at, words("Entry")),
  };
}

async function ownEntry(at: Real, post_title: string): Promise<number> {
  const meta = {
    "bsf-aiosrs-schema-type": "custom-markup",
    "bsf-aiosrs-custom-markup":
      '<script type="application/ld+json">{"@type":"Organization","n":1.0}</script>',
  };
  const post = { post_type: "aiosrs-schema", post_title, post_status: "publish" };
  return (await peek(at, { post, meta })).id;
}

/** Some of the fields, one at least. */
function some(dice: Dice, fields: Args): Args {
  const names = Object.keys(fields);
  const chosen = names.filter(() => dice.chance(1 / 3));
  return Object.fromEntries(
    (chosen.length > 0 ? chosen : [dice.pick(names)]).map((name) => [name, fields[name]]),
  );
}

function seoFields(dice: Dice, text: (word: string) => string, { images }: Scene): Args {
  const robots = some(dice, {
    noindex: dice.chance(1 / 2),
    nofollow: dice.chance(1 / 2),
    nosnippet: dice.chance(1 / 2),
  });
  const fields = {
    title: dice.pick([text("Title"), "%%title%% x", ""]),
    description: dice.pick([text("Description"), ""]),
    focus_keyword: dice.pick([text("word").toLowerCase(), ""]),
    canonical: dice.pick(["https://example.test/c", ""]),
    og_title: dice.pick([text("Og"), ""]),
    og_image: dice.pick([images[0]!.url, images[1]!.url, ""]),
    twitter_title: dice.pick([text("X"), ""]),
    robots,
  };
  return some(dice, fields);
}

/** A write that a client makes; in turn one by each tool, or any. */
export function writeOf(dice: Dice, at: Scene, provider: Provider, n: number, inTurn: boolean): Write {
  const text = (word: string) => `${word} ${n}`;
  const blocks = `<!-- wp:html -->\n<p>${n} \\ "q"</p>\n<!-- /wp:html -->`;
  const image = dice.pick(at.images).id;
  const tags = dice.pick([[], [at.tags[0]!], [...at.tags]]);
  const schema = {
    "@context": "https://schema.org",
    "@type": dice.pick(["Article", "Product"]),
    name: text("N"),
  };
  const writes: readonly (() => Write)[] = [
    () => ["update_draft", {
      post_id: at.draft,
      ...some(dice, {
        title: text("T"),
        content_html: blocks,
        excerpt: dice.pick([text("E"), ""]),
        slug: `slug-${provider}-${at.draft}-${n}`,
        tags,
        featured_media_id: image,
      }),
    }],
    () => ["revise_published", {
      post_id: at.live,
      ...some(dice, {
        title: text("T"),
        content_html: blocks,
        excerpt: text("E"),
        tags,
        featured_media_id: image,
      }),
    }],
    () => ["update_page_draft", {
      page_id: at.page,
      ...some(dice, {
        title: text("T"),
        content_html: blocks,
        parent_id: at.parent,
        slug: `slug-${at.page}-${n}`,
      }),
    }],
    () => ["update_page_from_code", {
      page_id: at.code,
      ...some(dice, {
        title: text("T"),
        html: `<p>${n}</p>`,
        css: `p { order: ${n} }`,
        js: dice.pick(["", `${n};`]),
      }),
    }],
    () => ["set_seo_meta", {
      post_id: dice.pick([at.draft, at.live, at.page]),
      ...seoFields(dice, text, at),
    }],
    () => ["set_seo_schema", { post_id: at.draft, entry_id: at.entry_id, schema }],
    () => ["set_seo_redirect", { source: at.source, destination: `/to-${n}`, status: dice.pick([301, 302]) }],
    () => ["set_custom_schema", {
      id: at.entry,
      value: provider === "rankmath"
        ? { Article: { "@type": "Article", n } }
        : `{"@type":"Organization","n":${n}}`,
    }],
  ];
  return inTurn ? writes[n % writes.length]!() : dice.pick(writes)();
}

/** A write that a person makes on the site itself. */
export async function person(
  at: Real,
  dice: Dice,
  scene: Scene,
  provider: Provider,
  n: number,
): Promise<void> {
  const key = { yoast: "_yoast_wpseo_", rankmath: "rank_math_", seopress: "_seopress_titles_" }[provider];
  const meta = (id: number, name: string, value: unknown) => peek(at, { id, meta: { [name]: value } });
  const acts: readonly (() => Promise<unknown>)[] = [
    () => at.ask.rest("admin", "POST", `/posts/${scene.draft}`, { title: `By hand ${n}` }),
    () => at.ask.rest("admin", "POST", `/posts/${scene.live}`, { content: `<p>By hand ${n}</p>` }),
    () => at.ask.rest("admin", "POST", `/pages/${scene.page}`, { title: `By hand ${n}` }),
    () => meta(scene.draft, `${key}title`, `By hand ${n}`),
    () => meta(scene.code, "_site_ops_css", `p { order: -${n} }`),
    () => meta(scene.live, "_thumbnail_id", String(dice.pick(scene.images).id)),
    () => meta(scene.live, "beside", `By hand ${n}`),
  ];
  await dice.pick(acts)();
}

/** Whose store the SEO fields are in. */
export type Provider = "yoast" | "rankmath" | "seopress";

/** What a client wrote, and what became another by it. */
interface Step {
  readonly request_id: string;
  readonly write: Write;
  readonly changed: ReturnType<typeof between>;
}

/** Where the one client is alone all of it goes back, to the rows from before its first write. */
async function walk(at: Real, provider: Provider, seed: number, isAlone: boolean): Promise<number> {
  const dice = new Dice(seed, 0, "UTC");
  const ground = await scene(at, provider, seed);
  const mine: Step[] = [];
  const first = await cells(at);
  let before = first;
  for (let n = 1; n <= STEPS; n++) {
    const who = isAlone ? "ann" : dice.pick(["ann", "ann", "ann", "bob", "person"] as const);
    if (who === "person") await person(at, dice, ground, provider, n);
    else {
      const write = writeOf(dice, ground, provider, n, isAlone);
      const [tool, args] = write;
      const ending = await at.kit.gw.end(tool, { site_id: SITE, ...args, confirm: true }, { as: who });
      const changed = between(before, await cells(at));
      if ("code" in ending) {
        assert.match(
          ending.message,
          /nothing would change|would not be shown|already|for each of its schemas/,
          `${tool}: ${ending.message}`,
        );
        assert.deepEqual([...changed], [], "a refused write left nothing");
      } else if (who === "ann" && changed.size > 0) {
        mine.push({ request_id: (ending.value as { request_id: string }).request_id, write, changed });
      }
    }
    before = await cells(at);
  }
  let undone = 0;
  for (const { request_id, write: [tool, args], changed } of mine.toReversed()) {
    const said = `seed ${seed}: ${tool} ${JSON.stringify(args)}`;
    const now = await cells(at);
    const stands = [...changed].every(([name, [, after]]) => now[name] === after);
    const undo = { site_id: SITE, request_id, confirm: true };
    const ending = await at.kit.gw.end("undo_change", undo, { as: "ann" });
    const left = between(now, await cells(at));
    if ("code" in ending) {
      assert.deepEqual([...left], [], `${said}: refused, and not one row is another`);
      assert.ok(ending.code === "E_STALE_PREVIEW" && !isAlone, `${said}: ${ending.message}`);
      continue;
    }
    undone++;
    assert.ok(stands, `${said}: went back although somebody had changed it since`);
    assert.equal(
      (ending.value as { verified: boolean }).verified,
      true,
      `${said}: ${JSON.stringify(ending.value)}`,
    );
    const wanted = [...changed].map(([name, [was, is]]) => [name, [is, was]]);
    assert.deepEqual(
      new Map([...left].toSorted()),
      new Map((wanted as [string, [string, string]][]).toSorted()),
      said,
    );
  }
  if (isAlone) {
    assert.deepEqual([...between(first, await cells(at))], [], `seed ${seed}: all of it went back`);
  }
  return undone;
}

/** Registers the test with one SEO plugin's store. */
export function undoRowsOn(provider: Provider): void {
  onWordPress({
    async [
      `${provider}: whatever two clients and a person write, one client's changes go back to the row, or not one is another`
    ](
      site: CmsSandbox,
    ) {
      const { username, application_password } = site.users.admin;
      const client = { super_admin: false, max_risk: 3 } as const;
      await using at = await Real.open(site, {
        settings: { rateLimitToken: 0, rateLimitSite: 0 },
        sites: [registered(SITE, "cms", {
          base_url: site.base_url,
          credentials: { cms: { username, application_password } },
          seo: { enabled: true, channel: "plugin" },
          flags: { allow_publish: true, allow_seo_on_published: true },
        })],
        tokens: { ann: client, bob: client },
      });
      let undone = 0;
      for (const seed of SEEDS) undone += await walk(at, provider, seed, seed === ALONE);
      assert.ok(undone >= SEEDS.length * 3, `${undone} changes went back`);
    },
  }, {
    plugins: [
      PLUGIN,
      fixture("dump"),
      fixture("peek"),
      fixture(`${provider}-standin`),
      ...provider === "rankmath" ? [] : [fixture("schemapro-standin")],
    ],
  });
}
