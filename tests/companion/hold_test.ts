/** Held calls on a real WordPress: a dry run leaves nothing, a hold keeps what was allowed or shown, and nothing else. */
import assert from "node:assert/strict";
import { became, type Held, heldSuite, newId, told } from "./hold_kit.ts";
import type { Answer, Json } from "./site.ts";

const onEach = heldSuite();

const KEPT = [200, null, "committed"];
const DRY = [200, null, "rolled_back"];
const refused = (reason: string) => [409, reason, "rolled_back"];

/** The labels of a dry run, which must leave nothing behind. */
async function labels(site: Held, act: string, args: Json): Promise<string[]> {
  const answer = await site.leavesNothing(() => site.dry(act, args));
  assert.deepEqual(became(answer), DRY);
  return told(answer).labels.sort();
}

onEach("health says that calls can be held", async (site) => {
  const { body } = await site.wp.call("admin", "GET", "/health");
  const hold = (body["features"] as Json)["hold"] as Json;
  assert.deepEqual([hold["active"], hold["why"], hold["paired"]], [true, null, true]);
});

onEach("a dry run tells what would change and leaves nothing", async (site) => {
  const id = await site.wp.draft("admin", { title: "Before" });
  const answer = await site.leavesNothing(() => site.dry("title", { id, title: "After" }));
  assert.deepEqual(became(answer), DRY);
  const hold = told(answer);
  assert.deepEqual(hold.labels, ["draft", "revision"]);
  const { label, what, change, table, key, post, fields } = hold.effects[0]!;
  assert.deepEqual(
    { label, what, change, table, key, post },
    {
      label: "draft",
      what: `Post ${id} "After" (draft)`,
      change: "changed",
      table: "posts",
      key: String(id),
      post: { id, type: "post", title: "After", status_before: "draft", status_after: "draft" },
    },
  );
  assert.deepEqual(fields.find(({ name }) => name === "post_title"), {
    name: "post_title",
    from: "Before",
    to: "After",
  });
  assert.deepEqual(hold.answer, { status: 200, body: { id } });
  assert.equal(await site.title(id), "Before");
});

onEach(
  "a hold that does what is allowed passes the tool's answer, and its receipt can be read",
  async (site) => {
    const id = await site.wp.draft("admin", { title: "Before" });
    const held = newId();
    const answer = await site.ask("title", { id, title: "After" }, `hold; id=${held}; allow=draft; of=${id}`);
    assert.deepEqual([became(answer), answer.body], [KEPT, { id }]);
    assert.equal(await site.title(id), "After");
    const receipt = await site.wp.signed("admin", site.key, "GET", `/holds/${held}?before=1`);
    assert.deepEqual([receipt.status, receipt.body["outcome"]], [200, "committed"]);
    const before = receipt.body["before"] as { table: string; key: string; row: Json | null }[];
    assert.equal(before.find(({ key }) => key === String(id))?.row?.["post_title"], "Before");
    const again = await site.leavesNothing(() => site.ask("title", { id }, `hold; id=${held}; allow=draft`));
    assert.deepEqual(became(again), [409, "site_ops_hold_used", null]);
  },
);

onEach("a hold that does more than is allowed changes nothing and says what it was", async (site) => {
  const id = await site.wp.published("posts");
  const answer = await site.leavesNothing(() => site.hold("title", { id }, "draft,draft-new,files"));
  assert.deepEqual(became(answer), refused("not_allowed"));
  const data = answer.body["data"] as Json;
  assert.deepEqual([data["over"], told(answer).outcome], [["live"], "rolled_back"]);
  assert.equal(told(answer).answer?.status, 200);
});

onEach("a draft is held to one post, and new drafts need a word of their own", async (site) => {
  const id = await site.wp.draft("admin");
  const other = await site.wp.draft("admin");
  const one = `; of=${id}`;
  const no = refused("not_allowed");
  const got: [string, Promise<Answer>, unknown[]][] = [
    ["another draft", site.hold("title", { id: other }, "draft", one), no],
    ["a new one", site.hold("new", {}, "draft", one), no],
    ["a new one, allowed", site.hold("new", {}, "draft,draft-new", one), KEPT],
    ["only new ones", site.hold("title", { id }, "draft-new"), no],
    ["a new one that is live", site.hold("new", { fields: { post_status: "publish" } }, "draft-new"), no],
    ["meta of another", site.hold("meta", { id: other, key: "k", value: "v" }, "draft", one), no],
    ["meta of the one", site.hold("meta", { id, key: "k", value: "v" }, "draft", one), KEPT],
  ];
  for (const [name, answer, expected] of got) assert.deepEqual(became(await answer), expected, name);
});

const UNLIKE = "a hold keeps what its preview showed, up to new ids, times and random names";
onEach(UNLIKE, async (site) => {
  for (let turn = 0; turn < 5; turn++) {
    const id = newId();
    await site.ask("random_ids", {}, `dry; id=${id}`);
    await site.wp.draft("admin");
    const answer = await site.hold("random_ids", {}, "draft-new", `; expect=${id}`);
    assert.deepEqual(became(answer), KEPT, JSON.stringify(answer.body));
  }
});

onEach(
  "what a tool copies is stale where somebody changed it after the preview, whatever it looks like",
  async (site) => {
    const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString().slice(0, 19);
    const changes: readonly (readonly [before: string, after: string])[] = [
      ["<p style='color:#1a2b3c'>Text</p>", "<p style='color:#d4e5f6'>Text</p>"],
      ["<p>With code SAVE2025A</p>", "<p>With code SAVE3099B</p>"],
      ["<p>Order 1a2b3c4d</p>", "<p>Order 9f8e7d6c</p>"],
      [`<p>From ${at(20)} on</p>`, `<p>From ${at(60)} on</p>`],
    ];
    for (const [before, after] of changes) {
      const from = await site.wp.draft("admin", { content: before });
      const id = await site.wp.draft("admin");
      const dry = newId();
      assert.deepEqual(became(await site.ask("copy", { id, from }, `dry; id=${dry}`)), DRY);
      await site.wp.rest("ed", "POST", `/posts/${from}`, { content: after });
      const more = `; expect=${dry}`;
      const answer = await site.leavesNothing(() => site.hold("copy", { id, from }, "draft", more));
      assert.deepEqual([after, ...became(answer)], [after, ...refused("stale")]);
    }
  },
);

onEach("a preview that is stale, another's, of another request or not there refuses", async (site) => {
  const id = await site.wp.draft("admin", { title: "Before" });
  const dry = newId();
  const preview = await site.ask("title", { id }, `dry; id=${dry}`);
  assert.deepEqual(became(preview), DRY);
  const more = `; expect=${dry}`;
  const other = await site.leavesNothing(() => site.hold("title", { id, title: "Other" }, "draft", more));
  assert.deepEqual(became(other), [409, "no_such_preview", null]);
  const none = await site.leavesNothing(() => site.hold("title", { id }, "draft", `; expect=${newId()}`));
  assert.deepEqual(became(none), [409, "no_such_preview", null]);
  const over = await site.leavesNothing(() => site.hold("title", { id }, "site", more));
  assert.deepEqual(became(over), refused("not_allowed"));
  await site.wp.rest("ed", "POST", `/posts/${id}`, { content: "A person wrote this" });
  const stale = await site.leavesNothing(() => site.hold("title", { id }, "draft", more));
  assert.deepEqual(became(stale), refused("stale"));
  assert.match(String((stale.body["data"] as Json)["differs"]), /posts \d+: /);
});

onEach("a tool that fails, by whatever end of the request, changes nothing", async (site) => {
  const id = await site.wp.draft("admin");
  for (const act of ["fails", "is_error", "rpc_error", "exit", "fatal", "fatal_at_end", "endless"]) {
    const answer = await site.leavesNothing(() => site.hold(act, { id }, "draft,files"));
    assert.deepEqual([act, ...became(answer)], [act, ...refused("tool_failed")]);
    const dry = await site.leavesNothing(() => site.dry(act, { id }));
    assert.deepEqual([act, ...became(dry), typeof told(dry).why], [act, ...DRY, "string"]);
  }
});

onEach(
  "an answer that began too early is no success, and buffers that a tool ends do no harm",
  async (site) => {
    const id = await site.wp.draft("admin");
    const early = await site.leavesNothing(() => site.hold("flush", { id }, "draft"));
    assert.equal(early.headers.get("x-site-ops-held"), null);
    assert.deepEqual(became(await site.hold("buffers", { id }, "draft")), KEPT);
    assert.equal(await site.title(id), "Changed");
  },
);

onEach("the answer's own status is kept, and ours wins where WordPress has set another", async (site) => {
  const id = await site.wp.draft("admin");
  const live = await site.wp.published("posts");
  assert.deepEqual(became(await site.hold("status", { id }, "draft")), [202, null, "committed"]);
  assert.deepEqual(became(await site.hold("status", { id: live }, "draft")), refused("not_allowed"));
});

onEach("a wrong header or signature runs nothing", async (site) => {
  const id = await site.wp.draft("admin");
  const wrong = [
    "maybe; id=" + newId(),
    "hold; id=12; allow=draft",
    "hold; allow=draft",
    `hold; id=${newId()}; allow=publish`,
    `hold; id=${newId()}; allow=draft,delete`,
    `hold; id=${newId()}; allow=all`,
    `hold; id=${newId()}; allow=draft; own=posts`,
    `hold; id=${newId()}; allow=draft; own=site_ops_holds`,
    `dry; id=${newId()}; allow=draft`,
    `dry; id=${newId()}; http=all`,
    `dry; id=${newId()}; more=1`,
  ];
  for (const header of wrong) {
    const answer = await site.leavesNothing(() => site.ask("title", { id }, header));
    assert.deepEqual([header, ...became(answer)], [header, 400, "site_ops_hold_header", null]);
  }
  const unsigned = await site.leavesNothing(() =>
    site.wp.send("admin", "POST", "/wp-json/acts/v1/run", { act: "title", id }, {
      "x-site-ops-hold": `hold; id=${newId()}; allow=draft`,
    })
  );
  assert.deepEqual(became(unsigned), [403, "site_ops_hold_signature", null]);
  for (const path of ["/", "/wp-admin/admin-ajax.php?action=heartbeat"]) {
    const other = await site.wp.send(null, "GET", path, undefined, {
      "x-site-ops-hold": `dry; id=${newId()}`,
    });
    assert.deepEqual(became(other), [501, "site_ops_hold_unsupported", null]);
  }
});

onEach("effects are labelled by what they are", async (site) => {
  const live = await site.wp.published("pages");
  const draft = await site.wp.draft("admin");
  assert.deepEqual(await labels(site, "title", { id: live }), ["live", "revision"]);
  assert.deepEqual(await labels(site, "meta", { id: live, key: "k", value: "v" }), ["live"]);
  assert.deepEqual(await labels(site, "meta", { id: draft, key: "k", value: "v" }), ["draft"]);
  assert.deepEqual(await labels(site, "meta", { id: live, key: "_edit_lock", value: "1:1" }), ["cache"]);
  assert.deepEqual(await labels(site, "delete", { id: draft }), ["delete"]);
  const future = { ID: draft, post_status: "future" };
  assert.ok((await labels(site, "post", { post: future })).includes("publish"), "future without a date");
  assert.ok(
    (await labels(site, "post", { post: { ID: draft, post_status: "publish" } })).includes("publish"),
  );
  assert.ok((await labels(site, "cron", { id: draft })).includes("schedule"));
  assert.deepEqual(await labels(site, "option", { name: "blogname", value: "Other" }), ["site"]);
  assert.deepEqual(await labels(site, "option", { name: "some_plugin", value: "x" }), ["settings"]);
  assert.deepEqual(await labels(site, "option", { name: "active_plugins", value: [] }), ["code"]);
  assert.ok((await labels(site, "term", { name: "Sheds" })).includes("structure"));
  assert.ok((await labels(site, "comment", { id: live })).includes("comments"));
  assert.ok((await labels(site, "user", {})).includes("people"));
  assert.deepEqual(await labels(site, "file", { name: "a/b.txt", text: "x" }), ["files"]);
  assert.deepEqual(await labels(site, "file", { name: "b.php", text: "x" }), ["code"]);
  assert.deepEqual(await labels(site, "mail", {}), ["mail"]);
  const block = { post_type: "wp_block", post_status: "draft" };
  assert.deepEqual(await labels(site, "new", { fields: block }), ["structure"]);
});
