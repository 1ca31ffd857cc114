/** Posts are scheduled, taken back and published through both doors, and what their state or the site forbids is refused. */
import assert from "node:assert/strict";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { DOORS } from "../cms_kit.ts";
import { NOW } from "../kit.ts";
import { test, type World, world } from "./_stand_in.ts";

const stored = (at: World, id: number) => at.cms.posts.get(id)!;

for (const door of DOORS) {
  test(`through ${door} a draft is scheduled, moved and taken back, each step in the audit`, async (at) => {
    const post = { site_id: "acme", post_id: at.draft.id };
    const { id } = at.draft;
    const url = `${at.cms.base_url}/?p=${id}`;
    const first = await at.kit.write(door, "schedule_draft", {
      ...post,
      scheduled_at: "2026-11-21T14:00:00+01:00",
    });
    assert.deepEqual([first.done.id, first.done.status], [id, "scheduled"]);
    assert.deepEqual([stored(at, id).status, stored(at, id).date.at], ["future", NOW + 3_600_000]);
    assert.deepEqual([first.row.tier, first.row.result_id], [2, id]);
    assert.deepEqual(first.row.changes, [
      { field: "status", from: "draft", to: "scheduled" },
      { field: "scheduled_at", from: null, to: at.ahead(3600) },
    ]);
    const moved = await at.kit.write(door, "schedule_draft", { ...post, scheduled_at: at.ahead(9000) });
    assert.deepEqual(
      moved.row.changes,
      [{ field: "scheduled_at", from: at.ahead(3600), to: at.ahead(9000) }],
    );
    const taken = await at.kit.write(door, "unschedule", post);
    assert.deepEqual(taken.done, { id, status: "draft", url });
    assert.deepEqual([stored(at, id).status, stored(at, id).date.floating], ["draft", true]);
    assert.deepEqual(taken.row.changes, [
      { field: "status", from: "scheduled", to: "draft" },
      { field: "scheduled_at", from: at.ahead(9000), to: null },
    ]);
  });

  test(`through ${door} a draft and a scheduled post are published where the site allows it`, async (at) => {
    const draft = await at.kit.write(door, "publish_post", { site_id: "open", post_id: at.draft.id });
    assert.deepEqual([draft.done.id, draft.done.status], [at.draft.id, "published"]);
    assert.deepEqual([draft.row.tier, draft.row.result_id], [3, at.draft.id]);
    assert.deepEqual(draft.row.changes, [{ field: "status", from: "draft", to: "published" }]);
    const scheduled = { site_id: "open", post_id: at.scheduled.id };
    const { row } = await at.kit.write(door, "publish_post", scheduled);
    assert.deepEqual(row.changes, [
      { field: "status", from: "scheduled", to: "published" },
      { field: "scheduled_at", from: at.ahead(7200), to: null },
    ]);
    assert.deepEqual([stored(at, at.draft.id).status, stored(at, at.scheduled.id).status], [
      "publish",
      "publish",
    ]);
    assert.ok(stored(at, at.scheduled.id).date.at <= NOW, "at once, not at its date");
  });
}

test("publish_post without allow_publish is refused before anything is asked, confirmed or not", async (at) => {
  const args = { site_id: "acme", post_id: at.draft.id };
  const says = /needs allow_publish on site "acme"; a super-admin can set it/;
  for (const confirm of [undefined, false, true]) {
    await at.kit.refuses("publish_post", { ...args, confirm }, "E_PUBLISH_NOT_ALLOWED", says);
  }
  assert.equal(stored(at, at.draft.id).status, "draft");
});

test("previews of a change of state say it in a sentence and show it as it is now", async (at) => {
  const schedule = await at.kit.preview(
    "schedule_draft",
    { site_id: "acme", post_id: at.draft.id, scheduled_at: at.ahead(65) },
  );
  assert.equal(
    schedule.summary,
    'Schedule "Before" on acme to go live at 2026-11-21T12:01:05Z, ' +
      "which is 2026-11-21 13:01 at the site (Europe/Copenhagen), last changed at 2026-11-21T12:00:00Z",
  );
  assert.deepEqual([schedule.tier, schedule.changes.slice(0, 2).map(({ from, to }) => [from, to])], [2, [
    ["draft", "scheduled"],
    [null, "2026-11-21T12:01:05Z"],
  ]]);
  const back = await at.kit.preview("unschedule", { site_id: "acme", post_id: at.scheduled.id });
  assert.equal(back.summary, 'Take back the schedule of "Soon" on acme (2026-11-21T14:00:00Z)');
  const publish = await at.kit.preview("publish_post", { site_id: "open", post_id: at.draft.id });
  assert.equal(
    publish.summary,
    'Publish "Before" on open for everyone to see, last changed at 2026-11-21T12:00:00Z',
  );
  assert.equal(publish.tier, 3);
  const shown = Object.fromEntries(publish.changes.map(({ field, from, to }) => [field, [from, to]]));
  assert.deepEqual([shown["title"], shown["content_html"]], [[null, "Before"], [null, "<p>Old</p>"]]);
  assert.deepEqual(at.cms.writes, []);
});

test("a schedule needs sixty seconds by the gateway's clock and by the site's", async (at) => {
  const schedule = (seconds: number) => ({
    site_id: "acme",
    post_id: at.draft.id,
    scheduled_at: at.ahead(seconds),
    confirm: true,
  });
  for (const seconds of [-3600, 0, 59]) {
    const says = /^scheduled_at: .* is not at least 60 s ahead of now .*choose a later time$/;
    await at.kit.refuses("schedule_draft", schedule(seconds), "E_FORBIDDEN_OP", says);
  }
  const fraction = { ...schedule(60), scheduled_at: "2026-11-21T12:01:00.400Z" };
  const rounds = { says: /60 s ahead/, sends: "reads" } as const;
  await at.kit.refuses("schedule_draft", fraction, "E_FORBIDDEN_OP", rounds);
  at.cms.skew(50);
  const says = /by the site's clock .* less than 60 s ahead.*published at once.*choose a later time$/;
  await at.kit.refuses("schedule_draft", schedule(100), "E_FORBIDDEN_OP", says, "reads");
  for (const [skew, seconds] of [[50, 150], [-3600, 62]] as const) {
    at.cms.skew(skew);
    await at.kit.refuses("schedule_draft", schedule(30), "E_FORBIDDEN_OP", /at least 60 s ahead/);
    const { done } = await at.kit.write("mcp", "schedule_draft", schedule(seconds));
    assert.equal(done.status, "scheduled");
    assert.equal(stored(at, at.draft.id).status, "future");
    await at.kit.write("rest", "unschedule", { site_id: "acme", post_id: at.draft.id });
  }
});

test("a schedule that the site turned into a publication is taken back at once", async (at) => {
  const { id } = at.draft;
  at.cms.inject({ kind: "skew", seconds: 7200 }, { method: "POST", path: `/wp/v2/posts/${id}` });
  const args = { site_id: "acme", post_id: id, scheduled_at: at.ahead(3600), confirm: true };
  const says = /state "published" instead of the schedule; it was made a draft again at once$/;
  await at.kit.gw.fails("schedule_draft", args, "E_FORBIDDEN_OP", says, { door: "mcp" });
  assert.equal(stored(at, id).status, "draft");
  const [row] = await at.kit.rows(1);
  assert.deepEqual([row?.status, row?.error, row?.result_id], ["error", "E_FORBIDDEN_OP", id]);
  assert.deepEqual(at.cms.writes.map(({ body }) => body), [
    { status: "future", date_gmt: args.scheduled_at },
    { status: "draft", date: null },
  ]);
  for (const kind of ["skew", "html"] as const) {
    const fault = kind === "skew" ? { kind, seconds: 7200 } : { kind };
    at.cms.inject(fault, { method: "POST", path: `/wp/v2/posts/${id}` });
  }
  await at.kit.gw.fails("schedule_draft", args, "E_FORBIDDEN_OP", /take it down in the CMS now/);
});

Deno.test("a draft that the site published as it was made is taken back at once", async () => {
  await using at = await world({
    fetch: async (input, init) => {
      const answer = await fetch(input, init);
      if (init?.method !== "POST" || !new URL(String(input)).pathname.endsWith("/wp/v2/posts")) return answer;
      const made = await answer.json();
      at.cms.publish(made.id);
      return Response.json({ ...made, status: "publish" }, { status: 201 });
    },
  });
  const args = { site_id: "acme", title: "Too eager", content_html: "y", confirm: true };
  const says = /is "published" now.*made a draft again at once/;
  await at.kit.gw.fails("create_draft", args, "E_FORBIDDEN_OP", says);
  assert.equal([...at.cms.posts.values()].find(({ title }) => title === "Too eager")!.status, "draft");
});

test("a scheduled post about to go live is not changed, since that would publish it", async (at) => {
  at.cms.skew(7180);
  const args = { site_id: "acme", post_id: at.scheduled.id };
  await at.kit.refuses("update_draft", { ...args, title: "x", confirm: true }, "E_FORBIDDEN_OP", {
    says: /goes live at .*unschedule it first/,
    sends: "reads",
  });
  assert.equal(stored(at, at.scheduled.id).status, "future");
  await at.kit.write("rest", "unschedule", args);
  assert.equal(stored(at, at.scheduled.id).status, "draft");
});

test("no write touches a published, private or binned post, and none of them is read as a draft", async (at) => {
  const { state } = at.cms;
  const date = { at: NOW - 1000, floating: false };
  const of = (status: string) => addPost(state, { type: "post", author: 1, title: status, status, date }).id;
  const cases: [number, RegExp, RegExp][] = [
    [of("publish"), /is published; only drafts and scheduled ones can be changed/, /is published already$/],
    [
      of("private"),
      /is private: visitors do not see it/,
      /is private: visitors do not see it; change it in the CMS$/,
    ],
    [
      of("trash"),
      /is in the bin; restore it in the CMS first$/,
      /is in the bin; restore it in the CMS first$/,
    ],
  ];
  for (const [post_id, says, publishing] of cases) {
    const base = { site_id: "open", post_id, confirm: true };
    const reads = { sends: "reads" } as const;
    const calls = [
      ["update_draft", { ...base, title: "x" }, says],
      ["schedule_draft", { ...base, scheduled_at: at.ahead(3600) }, says],
      ["unschedule", base, says],
      ["publish_post", base, publishing],
      [
        "upload_media",
        { ...base, filename: "a.png", content_base64: at.calls.upload_media.content_base64 },
        says,
      ],
    ] as const;
    for (const [tool, args, expected] of calls) {
      await at.kit.refuses(tool, args, "E_FORBIDDEN_OP", { ...reads, says: expected });
      await at.kit.refuses(tool, { ...args, confirm: false }, "E_FORBIDDEN_OP", { ...reads, says: expected });
    }
  }
  const live = { site_id: "open", post_id: of("publish"), confirm: true };
  const wayOut =
    /can be changed here; what is live is changed by revise_published alone, which needs allow_publish on the site$/;
  await at.kit.refuses("update_draft", { ...live, title: "x" }, "E_FORBIDDEN_OP", wayOut, "reads");
  const { posts } = await at.kit.both<{ posts: { id: number }[] }>("list_drafts", { site_id: "open" });
  assert.deepEqual(posts.map(({ id }) => id).toSorted(), [at.draft.id, at.scheduled.id]);
});

test("unschedule refuses a draft, and finds out whether an id is a post's or a page's", async (at) => {
  const draft = { site_id: "acme", post_id: at.draft.id };
  const says = /is not scheduled \(it is "draft"\), nothing to take back$/;
  await at.kit.refuses("unschedule", draft, "E_FORBIDDEN_OP", says, "reads");
  const page = addPost(at.cms.state, {
    type: "page",
    author: 1,
    title: "A page",
    status: "future",
    date: { at: NOW + 3_600_000, floating: false },
  });
  const args = { site_id: "acme", post_id: page.id };
  await at.kit.refuses("unschedule", { ...args, type: "post" }, "E_UPSTREAM", {
    says: /404.* is a page, not a post; .*unschedule takes both$/,
    sends: "reads",
  });
  for (const [door, more] of [["rest", {}], ["mcp", { type: "page" }], ["mcp", {}]] as const) {
    stored(at, page.id).status = "future";
    const { done } = await at.kit.write(door, "unschedule", { ...args, ...more });
    assert.deepEqual([done.status, stored(at, page.id).status], ["draft", "draft"]);
  }
  await at.kit.refuses("unschedule", args, "E_FORBIDDEN_OP", says, "reads");
  const nothing = { site_id: "acme", post_id: 99_999 };
  await at.kit.refuses("unschedule", nothing, "E_UPSTREAM", /404.*list_content finds ids$/, "reads");
});

test("what has a password is not shown as open to everyone before it goes live", async (at) => {
  at.edit(at.draft, { password: "hidden" });
  for (
    const [tool, more] of [["publish_post", {}], ["schedule_draft", {
      scheduled_at: at.ahead(3600),
    }]] as const
  ) {
    const shown = await at.kit.preview(tool, { site_id: "open", post_id: at.draft.id, ...more });
    assert.ok(shown.warnings.includes("It has a password: visitors see its text only with that"));
    assert.ok(!JSON.stringify(shown).includes("hidden"), "and the password is not told");
  }
  assert.ok(!JSON.stringify(await at.kit.gw.audit()).includes("hidden"));
});

test("publishing shows the date that a person gave a draft, and leaves off one that lies ahead", async (at) => {
  const dated = (moment: number) =>
    addPost(at.cms.state, {
      type: "post",
      author: 2,
      title: "Dated",
      date: { at: moment, floating: false },
      modified: NOW - 60_000,
    });
  const past = dated(NOW - 9_000_000);
  const ahead = dated(NOW + 9_000_000);
  const preview = (post_id: number) => at.kit.preview("publish_post", { site_id: "open", post_id });
  const shown = await preview(past.id);
  assert.deepEqual(shown.changes[1], { field: "date", from: null, to: at.ahead(-9000) });
  assert.match(shown.warnings.join(), new RegExp(`given the date ${at.ahead(-9000)}`));
  const left = await preview(ahead.id);
  assert.deepEqual(left.changes[1], { field: "date", from: at.ahead(9000), to: null });
  assert.match(left.warnings.join(), new RegExp(`${at.ahead(9000)}, lies ahead`));
  const plain = await preview(at.draft.id);
  assert.ok(plain.changes.every(({ field }) => field !== "date"), "a draft without a date of its own");
  for (const door of DOORS) {
    const { row } = await at.kit.write(door, "publish_post", {
      site_id: "open",
      post_id: door === "rest" ? past.id : ahead.id,
    });
    assert.equal(row.changes?.[1]?.field, "date");
  }
  assert.deepEqual([stored(at, past.id).date.at, stored(at, ahead.id).date.at], [NOW - 9_000_000, NOW]);
});
