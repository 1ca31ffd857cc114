/** Whole dumps of database and files around a dry call, a refused call and a held call: only what is told differs. */
import assert from "node:assert/strict";
import { became, type Held, heldSuite, newId, type State, told } from "./hold_kit.ts";
import type { Json } from "./site.ts";

const onEach = heldSuite();

const ALLOW = "draft,settings,structure,comments,files";

/** The columns that tell the rows of a table apart. */
const KEYS: Readonly<Record<string, string[]>> = {
  posts: ["ID"],
  postmeta: ["meta_id"],
  options: ["option_id"],
  terms: ["term_id"],
  term_taxonomy: ["term_taxonomy_id"],
  term_relationships: ["object_id", "term_taxonomy_id"],
  comments: ["comment_ID"],
};

type Rows = Map<string, Record<string, string | null>>;

/** The rows of a dump by table and key, their values as texts. */
function rowsOf({ tables }: State): Rows {
  const rows: Rows = new Map();
  for (const [name, texts] of Object.entries(tables)) {
    const table = name.replace(/^wp_/, "");
    for (const [at, text] of texts.entries()) {
      const row = Object.entries(JSON.parse(text) as Json)
        .map(([column, value]) => [column, value === null ? null : String(value)] as const);
      const values = Object.fromEntries(row);
      const key = KEYS[table]?.map((column) => values[column]).join(",") ?? `row ${at} ${text}`;
      rows.set(`${table} ${key}`, values);
    }
  }
  return rows;
}

/** What differs between two dumps: each row and file with the word for its change. */
function changesOf(before: State, after: State): string[] {
  const [rows, files] = [[rowsOf(before), rowsOf(after)], [before.files, after.files].map(fileMap)];
  return [...changes(rows[0]!, rows[1]!), ...changes(files[0]!, files[1]!)].sort();
}

const fileMap = (files: State["files"]) =>
  new Map(
    Object.entries(files).map(([path, sum]) => [`File ${path.replace(/^.*(?=wp-content\/)/, "")}`, sum]),
  );

function changes(was: ReadonlyMap<string, unknown>, is: ReadonlyMap<string, unknown>): string[] {
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((name) => {
    if (!was.has(name)) return [`${name} made`];
    if (!is.has(name)) return [`${name} removed`];
    return JSON.stringify(was.get(name)) === JSON.stringify(is.get(name)) ? [] : [`${name} changed`];
  });
}

/** What is told, in the same words. */
function toldOf(effects: ReturnType<typeof told>["effects"]): string[] {
  return effects.map(({ table, key, what, change }) =>
    `${table === null ? what : `${table} ${key}`} ${change}`
  )
    .sort();
}

/** Kinds of the receipts that there are, by their ids. */
async function receipts(site: Held): Promise<Map<string, string>> {
  const sql = "SELECT id, kind FROM wp_site_ops_holds";
  const { result } = await site.wp.peek({ db: ["get_results", sql] });
  return new Map((result as { id: string; kind: string }[]).map(({ id, kind }) => [id, kind]));
}

/** A page that has a revision, and a file that will be changed. */
async function ready(site: Held): Promise<number> {
  const id = await site.wp.draft("admin", { title: "Dumped" }, "pages");
  await site.plain("build", { id, text: "Before" });
  await site.plain("file", { name: "kinds.txt", text: "Before" });
  return id;
}

onEach("around a dry call the dumps are the same, but for the preview that is kept", async (site) => {
  const args = { id: await ready(site), text: "Dry" };
  const [held, before] = [newId(), await receipts(site)];
  const answer = await site.leavesNothing(() => site.ask("all_kinds", args, `dry; id=${held}`));
  assert.deepEqual(became(answer), [200, null, "rolled_back"]);
  const tables = new Set(told(answer).effects.map(({ table }) => table));
  for (const table of [null, ...Object.keys(KEYS)]) assert.ok(tables.has(table), `${table} is written`);
  assert.deepEqual(await receipts(site), new Map([...before, [held, "dry"]]));
});

onEach("around a refused call the dumps are the same, receipts included", async (site) => {
  const args = { id: await ready(site), text: "Refused" };
  const before = await receipts(site);
  const answer = await site.leavesNothing(() => site.hold("all_kinds", args, "draft,structure,files"));
  assert.deepEqual(became(answer), [409, "not_allowed", "rolled_back"]);
  assert.deepEqual(((answer.body["data"] as Json)["over"] as string[]).sort(), ["comments", "settings"]);
  assert.deepEqual(await receipts(site), before);
});

onEach("around a held call the dumps differ by the told rows and files alone", async (site) => {
  const args = { id: await ready(site), text: "Held" };
  const [held, kept] = [newId(), await receipts(site)];
  const before = await site.state();
  const answer = await site.ask("all_kinds", args, `hold; id=${held}; allow=${ALLOW}; of=${args.id}`);
  const after = await site.state();
  assert.deepEqual(became(answer), [200, null, "committed"], JSON.stringify(answer.body).slice(0, 400));
  const { body } = await site.wp.signed("admin", site.key, "GET", `/holds/${held}?before=1`);
  const changed = changesOf(before, after);
  assert.deepEqual(toldOf(body["effects"] as ReturnType<typeof told>["effects"]), changed);
  assert.ok(changed.length > 10, changed.join(", "));
  const was = rowsOf(before);
  for (const { table, key, row } of body["before"] as { table: string; key: string; row: Json | null }[]) {
    assert.deepEqual(row, was.get(`${table.replace(/^wp_/, "")} ${key}`) ?? null, `${table} ${key}`);
  }
  assert.deepEqual(await receipts(site), new Map([...kept, [held, "kept"]]));
});
