/** Posts and pages go through the same states on every platform that keeps them: one table, each row on both. */
import assert from "node:assert/strict";
import type { PlatformKind } from "../../core/model.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { ahead, type Args } from "../cms_kit.ts";
import { type Ending, type Kit, NOW } from "../kit.ts";
import { dudaWorld } from "./_duda.ts";
import { world } from "./_stand_in.ts";

/** What stands on either platform at the start of a row. */
interface Ids {
  readonly draft: string | number;
  readonly scheduled: string | number;
  readonly published: string | number;
  readonly nobody: string | number;
  readonly page: string | number;
  readonly livePage: string | number;
}

/** A platform as the table drives it: "open" may publish, "closed" may not. */
interface Stage extends AsyncDisposable {
  readonly gw: Kit;
  readonly ids: Ids;
  readonly closed: string;
  /** Writes that its upstream got. */
  writes(): number;
}

const STAGES: Partial<Record<PlatformKind, () => Promise<Stage>>> = {
  async cms() {
    const at = await world();
    const { state } = at.cms;
    const date = { at: NOW - 86_400_000, floating: false };
    const add = (type: "post" | "page", title: string, more = {}) =>
      addPost(state, { type, author: 1, title, ...more }).id;
    const ids = {
      draft: at.draft.id,
      scheduled: at.scheduled.id,
      published: add("post", "Out", { status: "publish", date }),
      nobody: 9999,
      page: add("page", "About"),
      livePage: add("page", "Home", { status: "publish", date }),
    };
    const close = () => at[Symbol.asyncDispose]();
    return {
      gw: at.kit.gw,
      ids,
      closed: "acme",
      writes: () => at.cms.writes.length,
      [Symbol.asyncDispose]: close,
    };
  },
  async sitebuilder() {
    const at = await dudaWorld();
    const ids = {
      draft: at.draft.id,
      scheduled: at.scheduled.id,
      published: at.live.id,
      nobody: "nobody",
      page: at.page.uuid,
      livePage: at.livePage.uuid,
    };
    const close = () => at[Symbol.asyncDispose]();
    return {
      gw: at.gw,
      ids,
      closed: "closed",
      writes: () => at.duda.writes.length,
      [Symbol.asyncDispose]: close,
    };
  },
};

/** One call: the tool, whose id it gets and as what, and what else. */
type Step = readonly [tool: string, on: keyof Ids | null, more?: Args];

const soon = { scheduled_at: ahead(3600, NOW) };
const later = { scheduled_at: ahead(9000, NOW) };
const fields = { title: "After", excerpt: "New", tags: ["One"] };
const made = { title: "Made", content_html: "<p>Text</p>", excerpt: "Short", slug: "made", tags: ["One"] };

/** Steps on the site that may publish, one after the other. */
const ROWS: Readonly<Record<string, readonly Step[]>> = {
  "a new post is a draft": [["create_draft", null, made]],
  "a draft is changed and stays one": [["update_draft", "draft", fields], ["get_post", "draft"]],
  "a draft is scheduled": [["schedule_draft", "draft", soon], ["get_post", "draft"]],
  "a schedule is moved": [["schedule_draft", "draft", soon], ["schedule_draft", "draft", later], [
    "get_post",
    "draft",
  ]],
  "a schedule is taken back": [["unschedule", "scheduled"], ["get_post", "scheduled"]],
  "a scheduled post is changed and stays so": [["update_draft", "scheduled", { title: "After" }], [
    "get_post",
    "scheduled",
  ]],
  "a draft is published, once": [["publish_post", "draft"], ["get_post", "draft"], ["publish_post", "draft"]],
  "a scheduled post is published": [["publish_post", "scheduled"], ["get_post", "scheduled"]],
  "a draft has no schedule to take back": [["unschedule", "draft"]],
  "a published post is not changed": [["update_draft", "published", { title: "x" }]],
  "a published post is not scheduled": [["schedule_draft", "published", soon]],
  "a published post has no schedule to take back": [["unschedule", "published"]],
  "a published post is not published again": [["publish_post", "published"]],
  "a schedule needs its lead": [["schedule_draft", "draft", { scheduled_at: ahead(59, NOW) }]],
  "a post nobody has is not found": [
    ["get_post", "nobody"],
    ["update_draft", "nobody", { title: "x" }],
    ["schedule_draft", "nobody", soon],
    ["unschedule", "nobody"],
    ["publish_post", "nobody"],
  ],
  "a status among the arguments is refused": [["create_draft", null, { ...made, status: "publish" }]],
  "a new page is a draft": [["create_page_draft", null, { title: "Made", slug: "made" }]],
  "a draft page is changed and stays one": [["update_page_draft", "page", { title: "After" }], [
    "get_page",
    "page",
  ]],
  "a page is published, once": [["publish_page", "page"], ["get_page", "page"], ["publish_page", "page"]],
  "a page that is live is not changed": [["update_page_draft", "livePage", { title: "x" }]],
};

const IDS: Readonly<Record<string, string>> = {
  get_page: "page_id",
  update_page_draft: "page_id",
  publish_page: "page_id",
};

function args([tool, on, more = {}]: Step, site_id: string, ids: Ids): Args {
  return { site_id, ...more, ...on === null ? {} : { [IDS[tool] ?? "post_id"]: ids[on] } };
}

/** What of an ending both must have: code and status of a refusal; of an answer the state and what was given. */
function cut(ending: Ending): unknown {
  if ("code" in ending) return { code: ending.code, status: ending.status };
  const { status, title, scheduled_at } = ending.value as Args;
  return { status, title, scheduled_at };
}

/** A preview as far as both must have it: how it is weighed, and what it says would change of the state and of `given`. */
function cutPreview(ending: Ending, given: Args): unknown {
  if ("code" in ending) return { code: ending.code, status: ending.status };
  const { needs_confirmation, tier, summary, changes } = ending.value as Args;
  const changed = (changes as { field: string }[])
    .filter(({ field }) => field in given || field === "status" || field === "scheduled_at");
  // A tag is a thing of its own on a cms alone, and a cms alone tells its time zone and the time of the last change.
  const said = String(summary).replace(/, (making the tags|which is|last changed) .*/, "");
  return { needs_confirmation, tier, summary: said, changes: changed };
}

async function run(open: () => Promise<Stage>, steps: readonly Step[]) {
  await using at = await open();
  const told: unknown[] = [];
  for (const step of steps) {
    const given = args(step, "open", at.ids);
    const before = at.writes();
    if (!step[0].startsWith("get_")) told.push(cutPreview(await at.gw.end(step[0], given), given));
    assert.equal(at.writes(), before, `a preview of ${step[0]} writes nothing`);
    const ending = await at.gw.end(step[0], {
      ...given,
      ...step[0].startsWith("get_") ? {} : { confirm: true },
    });
    if ("code" in ending) assert.equal(at.writes(), before, `${step[0]}: a refusal writes nothing`);
    const [row] = await at.gw.audit();
    told.push([step[0], cut(ending), row?.status, row?.error, row?.tier]);
  }
  return told;
}

for (const [name, steps] of Object.entries(ROWS)) {
  Deno.test(`on cms and sitebuilder alike: ${name}`, async () => {
    const cms = await run(STAGES.cms!, steps);
    const sitebuilder = await run(STAGES.sitebuilder!, steps);
    assert.deepEqual(sitebuilder, cms);
  });
}

Deno.test("on cms and sitebuilder alike: nothing is published without the site's leave, and lists hold the same states", async () => {
  const told: unknown[] = [];
  for (const open of Object.values(STAGES)) {
    await using at = await open();
    const endings = [];
    for (const step of [["publish_post", "draft"], ["publish_page", "page"]] as const) {
      endings.push(cut(await at.gw.end(step[0], { ...args(step, at.closed, at.ids), confirm: true })));
    }
    assert.equal(at.writes(), 0);
    const { posts, total } = await at.gw.call<{ posts: Args[]; total: number }>("list_drafts", {
      site_id: "open",
    });
    const states = posts.map(({ title, status, scheduled_at }) => [title, status, scheduled_at]);
    told.push([endings, states.toSorted(), total]);
  }
  assert.deepEqual(told[1], told[0]);
});
