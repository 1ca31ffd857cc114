/** On a real WordPress, the whole database looked at: after any sequence of writes one client's go back exactly, or not at all. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { fixture, PLUGIN } from "../companion/site.ts";
import { site as registered } from "../kit.ts";
import { Dice } from "../tools/_crm_dice.ts";
import { fresh, onWordPress, Real } from "./_wordpress.ts";

const SEEDS = [1, 2, 3];
const STEPS = 18;
const FIELDS = { title: "title", content_html: "content", excerpt: "excerpt" } as const;
type Field = keyof typeof FIELDS;
const OLD = "<!-- wp:html -->\n<p>Old</p>\n<!-- /wp:html -->";

/** A write of one of the three, as the model knows it. */
interface Step {
  readonly who: "ann" | "bob" | "person";
  readonly request_id: string | null;
  readonly item: number;
  readonly fields: Readonly<Partial<Record<Field, string>>>;
}

const raw = (stored: Readonly<Record<string, unknown>>, name: string) =>
  (stored[name] as { raw: string }).raw;

async function open(site: CmsSandbox): Promise<Real> {
  const { username, application_password } = site.users.admin;
  const credentials = { cms: { username, application_password } };
  const client = { super_admin: false } as const;
  return await Real.open(site, {
    settings: { rateLimitToken: 0, rateLimitSite: 0 },
    sites: [registered("whole", "cms", { base_url: site.base_url, credentials })],
    tokens: { ann: client, bob: client },
  });
}

/** The rows of posts and their terms, without revisions, and without the clocks that each write of a draft sets. */
async function rows(at: Real): Promise<string[]> {
  const { body } = await at.ask.send("admin", "GET", "/wp-json/dump/v1/rows");
  const all = body as unknown as Record<string, string[]>;
  return ["posts", "postmeta", "terms", "term_taxonomy", "term_relationships"].flatMap((table) =>
    all[table]!.map((text) => JSON.parse(text) as Record<string, string>)
      .filter(({ post_type, meta_key }) => post_type !== "revision" && meta_key !== "_edit_last")
      .map(({ post_modified: _, post_modified_gmt: __, post_date: ___, ...row }) => JSON.stringify(row))
  ).toSorted();
}

/** What the fields come to where those requests are taken back, newest first, each only where all it wrote stands. */
function model(start: readonly Record<Field, string>[], steps: readonly Step[]) {
  const stack = start.map((fields) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, [{ by: "", value }]]))
  );
  for (const { request_id, item, fields } of steps) {
    for (const [name, value] of Object.entries(fields)) {
      stack[item]![name]!.push({ by: request_id ?? crypto.randomUUID(), value });
    }
  }
  const undone: string[] = [];
  for (const { who, request_id, item, fields } of steps.toReversed()) {
    if (who !== "ann" || request_id === null) continue;
    const touched = Object.keys(fields).map((name) => stack[item]![name]!);
    if (!touched.every((values) => values.at(-1)!.by === request_id)) continue;
    for (const values of touched) values.pop();
    undone.push(request_id);
  }
  const values = stack.map((fields) =>
    Object.fromEntries(Object.entries(fields).map(([name, all]) => [name, all.at(-1)!.value]))
  );
  return { undone: undone.toSorted(), values };
}

async function walk(at: Real, dice: Dice): Promise<void> {
  const items = await Promise.all(["posts", "pages"].map(async (type) => ({
    type,
    id: await at.ask.draft(
      "admin",
      { title: fresh("Mine"), content: OLD, excerpt: "Old" },
      type as "posts",
    ),
  })));
  const start = items.map(() => ({ title: "", content_html: OLD, excerpt: "Old" }));
  for (const [n, { id, type }] of items.entries()) start[n]!.title = raw(await at.stored(id, type), "title");
  const steps: Step[] = [];
  for (let n = 0; n < STEPS; n++) {
    const item = dice.int(0, items.length - 1);
    const isPost = items[item]!.type === "posts";
    const possible = (Object.keys(FIELDS) as Field[]).filter((name) => isPost || name !== "excerpt");
    const names = possible.filter(() => dice.chance(1 / 2));
    const chosen: Field[] = names.length > 0 ? names : ["title"];
    // What all of them write is stored as it is sent.
    const text = (name: Field) =>
      name === "content_html" ? `<!-- wp:html -->\n${n}\n<!-- /wp:html -->` : `${name} ${n}`;
    const fields = Object.fromEntries(chosen.map((name) => [name, text(name)]));
    const who = dice.pick(["ann", "ann", "bob", "person"] as const);
    const { id, type } = items[item]!;
    let request_id: string | null = null;
    if (who === "person") {
      const sent = Object.fromEntries(chosen.map((name) => [FIELDS[name], fields[name]]));
      assert.equal((await at.ask.rest("admin", "POST", `/${type}/${id}`, sent)).status, 200);
    } else {
      const [tool, of] = type === "posts"
        ? ["update_draft", { post_id: id }]
        : ["update_page_draft", { page_id: id }];
      const args = { site_id: "whole", ...of, ...fields, confirm: true };
      ({ request_id } = await at.kit.gw.call<{ request_id: string }>(tool!, args, { as: who }));
    }
    steps.push({ who, request_id, item, fields });
  }
  const before = await rows(at);
  const ids = steps.filter(({ who }) => who === "ann").map(({ request_id }) => request_id!);
  const expected = model(start, steps);
  const ending = await at.kit.gw.end("undo_change", { site_id: "whole", request_ids: ids, confirm: true }, {
    as: "ann",
  });
  if (expected.undone.length === 0) {
    assert.ok("code" in ending && ending.code === "E_STALE_PREVIEW", JSON.stringify(ending));
    assert.deepEqual(await rows(at), before, "not one row is another");
    return;
  }
  assert.ok("value" in ending, JSON.stringify(ending));
  const { undone, left_out, verified } = ending.value as {
    undone: string[];
    left_out: { request_id: string }[];
    verified: boolean;
  };
  assert.deepEqual(undone.toSorted(), expected.undone);
  assert.deepEqual(
    left_out.map(({ request_id }) => request_id).toSorted(),
    ids.filter((id) => !expected.undone.includes(id)).toSorted(),
  );
  assert.equal(verified, true);
  for (const [n, { id, type }] of items.entries()) {
    const stored = await at.stored(id, type);
    const values = Object.fromEntries(
      Object.entries(FIELDS).map(([name, field]) => [name, raw(stored, field)]),
    );
    assert.deepEqual(values, expected.values[n], `${type} ${id}`);
  }
}

onWordPress({
  async "after a random sequence of writes by two clients and a person one client's go back as far as they stand"(
    site,
  ) {
    await using at = await open(site);
    for (const seed of SEEDS) await walk(at, new Dice(seed, 0, "UTC"));
  },

  async "where nobody wrote in between, every row is again as it was"(site) {
    await using at = await open(site);
    const id = await at.ask.draft(
      "admin",
      { title: fresh("Mine"), content: "<p>Old</p>", excerpt: "Old" },
      "posts",
    );
    const tags = [fresh("Tag"), fresh("Tag")];
    const gw = at.kit.gw;
    const change = async (fields: Record<string, unknown>) =>
      (await gw.call<{ request_id: string }>("update_draft", {
        site_id: "whole",
        post_id: id,
        ...fields,
        confirm: true,
      }, { as: "ann" })).request_id;
    await change({ tags, slug: "mine" }); // the terms are there, and stay
    const before = await rows(at);
    const ids = [
      await change({
        title: "A & B <i>",
        content_html: "<!-- wp:paragraph --><p>ä \\ \" '</p><!-- /wp:paragraph -->",
      }),
      await change({ tags: [tags[0]], excerpt: "x" }),
      await change({ title: "C", tags: [], slug: "other" }),
    ];
    const done = await gw.call<{ undone: string[]; verified: boolean }>("undo_change", {
      site_id: "whole",
      request_ids: ids,
      confirm: true,
    }, { as: "ann" });
    assert.deepEqual([done.undone.toSorted(), done.verified], [ids.toSorted(), true]);
    assert.deepEqual(await rows(at), before);
  },

  async "a page whose text its editor would wrap has its own text again, to the row"(site) {
    await using at = await open(site);
    const page_id = await at.ask.draft("admin", { title: fresh("Mine"), content: "<p>Classic</p>" }, "pages");
    const before = await rows(at);
    const args = { site_id: "whole", page_id, content_html: "<p>New</p>" };
    const preview = await at.kit.gw.call<Record<string, unknown>>("update_page_draft", args, { as: "ann" });
    assert.equal(preview["undoable"], true);
    const { request_id } = await at.kit.gw.call<{ request_id: string }>(
      "update_page_draft",
      { ...args, confirm: true },
      { as: "ann" },
    );
    assert.notDeepEqual(await rows(at), before);
    await at.kit.gw.call("undo_change", { site_id: "whole", request_id, confirm: true }, { as: "ann" });
    assert.deepEqual(await rows(at), before);
  },
}, { plugins: [PLUGIN, fixture("dump")] });
