/** What a held call replaced is written back by the site, exactly, in a held call of its own, or refused by name. */
import assert from "node:assert/strict";
import { became, type Held, heldSuite, newId, told } from "./hold_kit.ts";
import { type Answer, type Json, signature } from "./site.ts";

const test = heldSuite();

const ROUTE = "/site-ops/v1/setbacks";
const ALL = "draft,live,structure,site,settings,own";

interface Setback {
  readonly why: string | null;
  readonly image?: string;
  readonly sum?: string;
}

/** Sends an image to be written back, held so. */
async function restore(site: Held, image: string, hold: string, as = "admin" as const): Promise<Answer> {
  const body = { image };
  const headers = signature(site.key, "POST", ROUTE, { body, hold });
  return await site.wp.send(as, "POST", `/wp-json${ROUTE}`, body, headers);
}

const rehearse = (site: Held, image: string) => restore(site, image, `dry; id=${newId()}`);

/** What the site keeps of a committed call. */
async function setbackOf(site: Held, id: string): Promise<Setback> {
  const path = `/site-ops/v1/holds/${id}`;
  const headers = signature(site.key, "GET", path);
  const { status, body } = await site.wp.send(
    "admin",
    "GET",
    `/wp-json${path}?setback=1`,
    undefined,
    headers,
  );
  assert.equal(status, 200, JSON.stringify(body));
  return body["setback"] as Setback;
}

/** Has an act committed; answers what is kept of it. */
async function done(site: Held, act: string, args: Json): Promise<Setback> {
  const id = newId();
  const answer = await site.ask(act, args, `hold; id=${id}; allow=${ALL}`);
  assert.deepEqual(became(answer), [200, null, "committed"], JSON.stringify(answer.body));
  return await setbackOf(site, id);
}

/** Writes an image back; answers what is kept of that. */
async function back(site: Held, image: string): Promise<Setback> {
  const dry = await rehearse(site, image);
  assert.equal(told(dry).why, null, JSON.stringify(dry.body));
  const id = newId();
  const answer = await restore(site, image, `hold; id=${id}; allow=${ALL}; expect=${told(dry).id}`);
  assert.deepEqual(became(answer), [200, null, "committed"], JSON.stringify(answer.body));
  return await setbackOf(site, id);
}

async function page(site: Held, fields: Json = {}): Promise<number> {
  const made = await site.plain("new", {
    fields: { post_type: "page", post_content: "<p>Old</p>", ...fields },
  });
  return Number(made.body["id"]);
}

/** The rows of a post as they are, without when it was written and what is made anew. */
async function rowsOf(site: Held, id: number): Promise<unknown> {
  const rows = async (sql: string) => (await site.wp.peek({ db: ["get_results", sql] })).result;
  return [
    await rows(
      `SELECT post_title, post_content, post_excerpt, post_name, post_status, post_parent FROM wp_posts WHERE ID = ${id}`,
    ),
    await rows(
      `SELECT meta_id, meta_key, meta_value FROM wp_postmeta WHERE post_id = ${id} AND meta_key NOT LIKE '\\_edit%' ORDER BY meta_id`,
    ),
    await rows(
      `SELECT term_taxonomy_id, term_order FROM wp_term_relationships WHERE object_id = ${id} ORDER BY term_taxonomy_id`,
    ),
  ];
}

test("text, fields and their being there go back to the very rows, and that can be taken back too", async (site) => {
  const id = await page(site);
  await site.plain("meta", { id, key: "_builder_version", value: "3.0" });
  const before = await rowsOf(site, id);
  const kept = await done(site, "build", { id, text: "New" });
  assert.equal(kept.why, null);
  const after = await rowsOf(site, id);
  assert.notDeepEqual(after, before);
  const shown = told(await rehearse(site, kept.image!));
  assert.ok(
    shown.effects.some(({ fields }) => fields.some(({ to }) => to === "<p>Old</p>")),
    "a dry run shows it",
  );
  assert.deepEqual(await rowsOf(site, id), after, "and writes nothing");
  const undone = await back(site, kept.image!);
  assert.deepEqual(await rowsOf(site, id), before);
  assert.equal(undone.why, null);
  await back(site, undone.image!);
  assert.deepEqual(await rowsOf(site, id), after);
});

test("what somebody changed since is refused by name, and nothing is written; another field may have changed", async (site) => {
  const id = await page(site);
  const kept = await done(site, "build", { id, text: "New" });
  await site.plain("meta", { id, key: "_builder_version", value: "a person's" });
  const refused = await site.leavesNothing(() => rehearse(site, kept.image!));
  assert.deepEqual([told(refused).answer?.status, told(refused).answer?.body["code"]], [
    409,
    "site_ops_stale",
  ]);
  assert.match(
    String(told(refused).answer?.body["message"]),
    /Field _builder_version of post \d+ is not as that call left it/,
  );
  await site.plain("meta", { id, key: "_builder_version", value: "3.16.0" });
  await site.plain("title", { id, title: "A person's" });
  await back(site, kept.image!);
  assert.equal(await site.title(id), "A person's");
  const title = await done(site, "title", { id, title: "Once" });
  await site.plain("title", { id, title: "A person's" });
  assert.equal(told(await rehearse(site, title.image!)).answer?.status, 409);
});

test("what cannot be set back says why, and has no image", async (site) => {
  const id = await page(site);
  const cases = [
    ["new", {}, "draft-new", /was made, which the site does not set back/],
    [
      "post",
      { post: { ID: id, post_password: "x" } },
      "draft",
      /was changed, which the site does not set back/,
    ],
    ["term", { name: `Term ${id}` }, "structure", /was (made|changed), which the site does not set back/],
    ["comment", { id }, "comments", /was made/],
    ["file", { name: `a-${id}.txt`, text: "x" }, "files", /File .* is outside the database/],
    [
      "option",
      { name: "acts_setting", value: `x ${id}` },
      "settings",
      /Option acts_setting was (made|changed)/,
    ],
    ["nothing", {}, "draft", /changed nothing that can be set back/],
  ] as const;
  for (const [act, args, allow, why] of cases) {
    const dry = await site.dry(act, args);
    assert.match(String((told(dry) as unknown as { setback: Setback }).setback.why), why, act);
    const hold = newId();
    const answer = await site.ask(act, args, `hold; id=${hold}; allow=${allow},own`);
    assert.deepEqual(became(answer), [200, null, "committed"], JSON.stringify(answer.body));
    const kept = await setbackOf(site, hold);
    assert.match(String(kept.why), why, act);
    assert.equal(kept.image, undefined);
  }
});

test("an option of the list goes back; only what this site made is taken, and only in a held call", async (site) => {
  const kept = await done(site, "option", { name: "blogdescription", value: `Line ${newId()}` });
  assert.equal(kept.why, null);
  const image = kept.image!;
  const forged = image.slice(0, 64) + image.slice(64).replace("blogdescription", "blogname");
  const refused = await site.leavesNothing(() => rehearse(site, forged));
  assert.deepEqual(told(refused).answer?.body["code"], "site_ops_setback_unknown");
  const plain = await site.leavesNothing(() =>
    site.wp.send("admin", "POST", `/wp-json${ROUTE}`, { image }, {})
  );
  assert.deepEqual([plain.status, plain.body["code"]], [403, "site_ops_not_allowed"]);
  const stranger = await site.wp.send("sub", "POST", `/wp-json${ROUTE}`, { image: 7 }, {});
  assert.deepEqual(
    [stranger.status, stranger.body["code"]],
    [403, "rest_forbidden"],
    "rights are judged first",
  );
  await back(site, image);
});

test("what is live goes back only where the gateway allows that", async (site) => {
  const id = await page(site, { post_status: "publish" });
  const kept = await done(site, "title", { id, title: "Live" });
  const answer = await site.leavesNothing(() =>
    restore(site, kept.image!, `hold; id=${newId()}; allow=draft,own`)
  );
  assert.deepEqual(became(answer), [409, "not_allowed", "rolled_back"]);
  await back(site, kept.image!);
  assert.equal(await site.title(id), "Made");
});
