/** A draft that turns out published is told in the audit: of each tool that makes, changes, schedules or takes back one. */
import assert from "node:assert/strict";
import type { AuditRow } from "../../core/model.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import type { Kit } from "../kit.ts";
import { type DudaWorld, dudaWorld } from "./_duda.ts";
import { type Ground, ground } from "./_ground.ts";
import { nameOf, type Write, WRITES } from "./_writes.ts";

/** Writes that are asked for something public, or for nothing that can be published. */
const OTHERS = /^(publish_|upload_|create_taxonomy$)/;
const DRAFTS = WRITES.filter(({ tool, site }) =>
  site === undefined && !OTHERS.test(tool) && /draft|page|schedule|md_to_site/.test(tool)
);

const rowOf = async (gw: Kit): Promise<AuditRow> => (await gw.store.audit.list({}, { limit: 1 })).rows[0]!;

/** Of what the site answers, each state of a post as it is now. */
function published(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(published);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      key === "status" && ["draft", "future", "pending"].includes(String(one)) ? "publish" : published(one),
    ]),
  );
}

/** A CMS with a plugin that publishes whatever is saved as a post or page. */
async function eager(guarded: boolean, repositories: boolean): Promise<Ground> {
  const at: Ground = await ground({
    guarded,
    repositories,
    fetch: async (input, init) => {
      const answer = await fetch(input, init);
      const { pathname } = new URL(String(input));
      const saves = /\/(wp\/v2\/(posts|pages)|site-ops\/v1\/.*(posts|pages|code-pages|builder).*)(\/|$)/;
      if (init?.method === "GET" || !answer.ok || !saves.test(pathname)) return answer;
      for (const post of at.cms.posts.values()) if (post.status !== "publish") at.cms.publish(post.id);
      return Response.json(published(await answer.json()), {
        status: answer.status,
        headers: answer.headers,
      });
    },
  });
  return at;
}

async function told(gw: Kit, { tool, args }: { tool: string; args: Args }, door: "rest" | "mcp") {
  const ending = await gw.end(tool, { ...args, confirm: true }, { door });
  assert.ok("code" in ending, `${tool}: ${JSON.stringify(ending)}`);
  const row = await rowOf(gw);
  assert.deepEqual([row.tool, row.status, row._published], [tool, "error", true], ending.message);
  return { ending, row };
}

function held(write: Write, guarded: boolean): void {
  const through = guarded ? "with the plugin" : "without it";
  Deno.test(`${nameOf(write)} that turns out published ${through} is audited as published and made`, async () => {
    await using at = await eager(guarded, /(^|_)md(_|$)/.test(write.tool));
    for (const [n, door] of DOORS.entries()) {
      const args = { site_id: "cms", ...write.args(at, n) };
      const { ending, row } = await told(at.gw, { tool: write.tool, args }, door);
      assert.equal(
        ending.code,
        write.tool === "unschedule" ? "E_UPSTREAM" : "E_FORBIDDEN_OP",
        ending.message,
      );
      // What was to be scheduled was to be made a draft again, and was not.
      assert.equal(row.outcome, write.tool.startsWith("schedule_") ? "unknown" : "made", ending.message);
    }
  });
}

for (const write of DRAFTS) for (const guarded of [true, false]) held(write, guarded);

/** What a site builder is asked for, and what it is left as. */
const BUILDER: readonly [tool: string, args: (at: Ids) => Args, outcome: string][] = [
  ["create_draft", () => ({ title: "T", content_html: "<p>x</p>" }), "made"],
  ["update_draft", ({ draft }) => ({ post_id: draft, title: "T" }), "made"],
  ["schedule_draft", ({ draft, at }) => ({ post_id: draft, scheduled_at: at }), "unknown"],
  ["unschedule", ({ scheduled }) => ({ post_id: scheduled }), "made"],
  ["create_page_draft", () => ({ title: "P" }), "made"],
  ["update_page_draft", ({ page }) => ({ page_id: page, title: "P" }), "made"],
  ["duplicate_page", ({ page }) => ({ page_id: page, title: "P", slug: "p" }), "made"],
  ["inject_page_section", ({ page, section }) => ({ page_id: page, element_source_id: section }), "made"],
];

type Ids = Readonly<Record<"draft" | "scheduled" | "page" | "section" | "at", string>>;

/** What is done to whatever stands at a site builder. */
const publishAll = (at: DudaWorld) => {
  for (const post of at.built.posts.values()) {
    Object.assign(post, { status: "PUBLISHED", publish_date: at.gw.clock.now });
  }
  for (const page of at.built.pages.values()) page.draft_status = "PUBLISHED";
};

/** A site builder that is at work after each write; `nth` counts them from 1. */
async function builder(work: (at: DudaWorld, nth: number) => void): Promise<DudaWorld> {
  let nth = 0;
  const at: DudaWorld = await dudaWorld({
    fetch: async (input, init) => {
      const answer = await fetch(input, init);
      if (init?.method !== "GET") work(at, ++nth);
      return answer;
    },
  });
  return at;
}

const idsOf = (at: DudaWorld): Ids => ({
  draft: at.draft.id,
  scheduled: at.scheduled.id,
  page: at.page.uuid,
  section: at.section,
  at: new Date(at.gw.clock.now + 3_600_000).toISOString(),
});

for (const [tool, args, outcome] of BUILDER) {
  Deno.test(`${tool} of a site builder that turns out published is audited as published and ${outcome}`, async () => {
    await using at = await builder(publishAll);
    const { row } = await told(at.gw, { tool, args: { site_id: "open", ...args(idsOf(at)) } }, "rest");
    assert.equal(row.outcome, outcome);
  });

  Deno.test(`${tool} of a site builder that cannot be read back is audited as one that nobody can tell`, async () => {
    await using at = await builder(({ duda }, nth) => {
      if (nth === 1) duda.inject({ kind: "html" }, { method: "GET", times: Infinity });
    });
    await at.gw.end(tool, { site_id: "open", ...args(idsOf(at)), confirm: true });
    const row = await rowOf(at.gw);
    assert.deepEqual([row.tool, row._published], [tool, null], JSON.stringify(row));
  });
}

/** What is new, or was to be scheduled, is a draft again where that can be done. */
const TAKEN_BACK = ["create_draft", "schedule_draft", "create_page_draft", "duplicate_page"];

for (const [tool, args] of BUILDER.filter(([tool]) => TAKEN_BACK.includes(tool))) {
  Deno.test(`${tool} of a site builder that is taken back stands as a draft, and is audited as published`, async () => {
    await using at = await builder((at, nth) => nth === 1 && publishAll(at));
    const known = new Set([...at.built.posts.keys(), ...at.built.pages.keys()]);
    const { row, ending } = await told(
      at.gw,
      { tool, args: { site_id: "open", ...args(idsOf(at)) } },
      "rest",
    );
    assert.match(ending.message, /it was made a draft again at once/);
    assert.equal(row.outcome, tool === "schedule_draft" ? "none" : "made");
    const all = [...at.built.posts.values(), ...at.built.pages.values()];
    const [made] = tool === "schedule_draft" ? [at.draft] : all.filter((one) => !known.has(idOf(one)));
    assert.equal("uuid" in made! ? made.draft_status : made!.status, "DRAFT");
  });

  Deno.test(`${tool} of a site builder that cannot be taken back is audited as published and named`, async () => {
    await using at = await builder((at, nth) => {
      if (nth > 1) return;
      publishAll(at);
      at.duda.inject({ kind: "html" }, { method: /page/.test(tool) ? "PUT" : "POST", times: Infinity });
    });
    const { ending } = await told(at.gw, { tool, args: { site_id: "open", ...args(idsOf(at)) } }, "rest");
    assert.match(
      ending.message,
      /making it a draft( again)? failed: take it down in the platform's editor now/,
    );
  });
}

const idOf = (one: { uuid: string } | { id: string }) => "uuid" in one ? one.uuid : one.id;
