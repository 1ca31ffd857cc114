/** What holds of revise_published on a real WordPress, with the companion plugin and without: every row of its database compared. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import type { Args, Preview } from "../cms_kit.ts";
import { site as registered } from "../kit.ts";
import type { Json } from "../sandbox/asker.ts";
import { fresh, PUBLIC, Real } from "./_wordpress.ts";

const OLD =
  '<!-- wp:paragraph -->\n<p>Teh roof &amp; "gutters" \\ 030/123 45 67.</p>\n<!-- /wp:paragraph -->\n\n' +
  "<!-- wp:paragraph -->\n<p>Call 030/123 45 67.</p>\n<!-- /wp:paragraph -->";
const REPLACED = [
  { find: "Teh roof", replace: "The roof" },
  { find: "030/123 45 67", replace: "040 / 765 43 21", count: 2 },
];
const NEW = OLD.replace("Teh roof", "The roof").replaceAll("030/123 45 67", "040 / 765 43 21");

/** By each table what is there, and what a change left or took away. */
type Rows = Record<string, string[]>;

/** What WordPress writes down by itself whenever what is live is saved (wp-includes/post.php, `_publish_post_hook`). */
const OWN = ["_encloseme", "_pingme", "_edit_last"];

/** A kit at the site, something done right before its next write, and the paths of what it writes. */
export interface Revising extends AsyncDisposable {
  readonly at: Real;
  readonly written: string[];
  before(act: () => Promise<unknown>): void;
}

/** Opens one. */
export async function revising(site: CmsSandbox): Promise<Revising> {
  const { username, application_password } = site.users.admin;
  const written: string[] = [];
  let armed: (() => Promise<unknown>) | null = null;
  const at = await Real.open(site, {
    settings: { rateLimitToken: 0, rateLimitSite: 0 },
    sites: [registered("whole", "cms", {
      base_url: site.base_url,
      credentials: { cms: { username, application_password } },
      flags: { allow_publish: true },
    })],
    fetch: async (input, init) => {
      if (init?.method === "POST") {
        written.push(new URL(String(input)).pathname);
        const act = armed;
        armed = null;
        await act?.();
      }
      return await fetch(input, init);
    },
  });
  return {
    at,
    written,
    before: (act) => void (armed = act),
    [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](),
  };
}

async function rows(at: Real): Promise<Rows> {
  const { status, body } = await at.ask.send("admin", "GET", "/wp-json/dump/v1/rows");
  assert.equal(status, 200, JSON.stringify(body));
  return Object.fromEntries(
    Object.entries(body as unknown as Rows).map(([table, all]) => [
      table,
      all.filter((text) => {
        const row = JSON.parse(text) as Record<string, string>;
        return row["post_type"] !== "revision" && !OWN.includes(row["meta_key"] ?? "");
      }),
    ]),
  );
}

/** The names of the columns that are another now, by table; of a row that came or went all of them. */
function changed(before: Rows, after: Rows, key: Readonly<Record<string, string>>): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const [table, all] of Object.entries(after)) {
    const gone = before[table]!.filter((row) => !all.includes(row)).map((text) => JSON.parse(text) as Json);
    const come = all.filter((row) => !before[table]!.includes(row)).map((text) => JSON.parse(text) as Json);
    const columns = new Set<string>();
    for (const row of come) {
      const old = gone.find((one) => one[key[table]!] === row[key[table]!]);
      for (const name of Object.keys(row)) if (old?.[name] !== row[name]) columns.add(name);
    }
    if (gone.length > come.length) columns.add("(a row is gone)");
    if (columns.size > 0) found[table] = [...columns].toSorted();
  }
  return found;
}

const KEYS = { posts: "ID", postmeta: "meta_id", terms: "term_id", term_taxonomy: "term_taxonomy_id" };
const CLOCK = ["post_modified", "post_modified_gmt"];

/** The same but for when it was changed last. */
const timeless = (all: Rows): Rows => ({
  ...all,
  posts: all["posts"]!.map((text) => {
    const { post_modified: _, post_modified_gmt: __, ...row } = JSON.parse(text) as Json;
    return JSON.stringify(row);
  }).toSorted(),
});

async function published(at: Real, type: "posts" | "pages", more: Json = {}): Promise<number> {
  const date = "2026-02-03T04:05:06";
  return await at.ask.draft(
    "admin",
    { title: fresh("Live"), content: OLD, date, status: "publish", ...more },
    type,
  );
}

async function visited(at: Real, id: number, type: string): Promise<void> {
  const { pathname } = new URL(String((await at.stored(id, type))["link"]));
  assert.equal((await at.ask.send(null, "GET", pathname)).status, 200);
}

const argsOf = (type: string, id: number, more: Args): Args => ({
  site_id: "whole",
  [type === "posts" ? "post_id" : "page_id"]: id,
  ...more,
});

interface Done {
  readonly request_id: string;
  readonly verified: boolean | null;
  readonly warnings: readonly string[];
  readonly live: Json;
}

/** A typo and a phone number in the text: the row of the post alone, which visitors get, and back again to the byte. */
export async function typo(site: CmsSandbox): Promise<void> {
  await using revise = await revising(site);
  const { at } = revise;
  for (const type of ["posts", "pages"] as const) {
    const id = await published(at, type, type === "posts" ? { excerpt: "Short" } : {});
    await visited(at, id, type); // a theme makes what it shows at the first visit
    const before = await rows(at);
    const args = argsOf(type, id, { replacements: REPLACED });
    const { confirm_token, warnings } = await at.kit.gw.call<Preview>("revise_published", args);
    assert.deepEqual(await rows(at), before, `a preview writes nothing (${warnings})`);
    const done = await at.kit.gw.call<Done>("revise_published", { ...args, confirm: true, confirm_token });
    assert.deepEqual([done.verified, done.live["as_expected"]], [true, true], JSON.stringify(done));
    const after = await rows(at);
    assert.deepEqual(changed(before, after, KEYS), { posts: [...CLOCK, "post_content"].toSorted() });
    assert.equal(((await at.stored(id, type))["content"] as Json)["raw"], NEW);
    if (type === "posts") assert.deepEqual(await at.visitor(id), PUBLIC);
    const undo = { site_id: "whole", request_id: done.request_id, confirm: true };
    const undone = await at.kit.gw.call<Done>("undo_change", undo);
    assert.equal(undone.verified, true);
    assert.deepEqual(timeless(await rows(at)), timeless(before), "every row is again as it was");
  }
}

/** Every field at once: those rows and no others, and back again. */
export async function fields(site: CmsSandbox): Promise<void> {
  await using revise = await revising(site);
  const { at } = revise;
  const names = [fresh("Tag"), fresh("Tag"), fresh("Kind")];
  const make = async (taxonomy: string, name: string) =>
    (await at.ask.rest("admin", "POST", `/${taxonomy}`, { name })).body["id"] as number;
  const [one, two, kind] = [
    await make("tags", names[0]!),
    await make("tags", names[1]!),
    await make("categories", names[2]!),
  ];
  const id = await published(at, "posts", { excerpt: "Short", tags: [one, two], categories: [kind] });
  const before = await rows(at);
  const given = { title: 'A & B <i>"it\'s"</i> \\', excerpt: "", tags: [names[0]] };
  const done = await at.kit.gw.call<Done>(
    "revise_published",
    argsOf("posts", id, { ...given, confirm: true }),
  );
  assert.equal(done.verified, true, JSON.stringify(done));
  const found = changed(before, await rows(at), { ...KEYS, term_relationships: "term_taxonomy_id" });
  assert.deepEqual(found, {
    posts: [...CLOCK, "post_excerpt", "post_title"].toSorted(),
    term_taxonomy: ["count"],
    term_relationships: ["(a row is gone)"],
  });
  const { status, date, slug, tags, categories } = await at.stored(id);
  assert.deepEqual([status, date, tags, categories], ["publish", "2026-02-03T04:05:06", [one], [kind]]);
  assert.match(String(slug), /^live-/);
  await at.kit.gw.call("undo_change", { site_id: "whole", request_id: done.request_id, confirm: true });
  assert.deepEqual(timeless(await rows(at)), timeless(before));
}

/** A person's edit in between, a draft again, and everything that is refused: not one row is another. */
export async function refused(site: CmsSandbox, guarded: boolean): Promise<void> {
  await using revise = await revising(site);
  const { at } = revise;
  for (const type of ["posts", "pages"] as const) {
    const id = await published(at, type);
    const args = argsOf(type, id, { replacements: REPLACED, title: "Mine" });
    const { confirm_token } = await at.kit.gw.call<Preview>("revise_published", args);
    await at.ask.rest("ed", "POST", `/${type}/${id}`, { content: `${OLD}\n\n<p>By a person</p>` });
    const standing = await rows(at);
    const stale = { ...args, confirm: true, confirm_token };
    await at.kit.gw.refuses("revise_published", stale, "E_STALE_PREVIEW", /content_html/);
    assert.deepEqual(await rows(at), standing);
    if (guarded) {
      for (const edit of [{ title: "By a person" }, { status: "draft" }]) {
        revise.before(() => at.ask.rest("ed", "POST", `/${type}/${id}`, edit));
        const ending = await at.kit.gw.end("revise_published", { ...args, confirm: true });
        assert.ok("code" in ending && ending.code === "E_STALE_PREVIEW", JSON.stringify(ending));
        const record = await at.stored(id, type);
        assert.notEqual((record["title"] as Json)["raw"], "Mine");
        assert.notEqual((record["content"] as Json)["raw"], NEW);
      }
    }
    await at.ask.rest("ed", "POST", `/${type}/${id}`, { status: "draft" });
    const before = await rows(at);
    await at.kit.gw.refuses(
      "revise_published",
      { ...args, confirm: true },
      "E_FORBIDDEN_OP",
      type === "posts" ? /change it with update_draft$/ : /change it with update_page_draft$/,
    );
    await at.ask.rest("ed", "POST", `/${type}/${id}`, { status: "private" });
    await at.kit.gw.refuses("revise_published", { ...args, confirm: true }, "E_FORBIDDEN_OP", /is private/);
    await at.ask.rest("ed", "POST", `/${type}/${id}`, { status: "draft" });
    assert.deepEqual(timeless(await rows(at)), timeless(before));
  }
}
