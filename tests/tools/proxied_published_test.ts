/** What a site's own tool makes public: an error where it may not, named and audited; a warning where nobody can tell whose it is. */
import assert from "node:assert/strict";
import { assertTold } from "../told.ts";
import type { Post } from "../../sandbox/wordpress_standin/start.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import type { KitOptions } from "../kit.ts";
import { parted } from "../proof.ts";
import { ADD, add, type Args, brokenOff, fails, says, type World, world } from "./_proxied.ts";

const TOOL = "emcp-tools-add-free-widget";
const NEW = "emcp-tools-create-page";
const HOUR_MS = 3_600_000;

const post = (at: World, status: string, more: Partial<Post> = {}) =>
  addPost(at.cms.state, { type: "post", author: 1, title: "Post", slug: "post", status, ...more } as never)
    .id;

/** Changes a post of the site, as PHP of the tool's would. */
const set = (at: World, id: number, more: Partial<Post>) => Object.assign(at.cms.posts.get(id)!, more);
const live = (at: World, id: number) => set(at, id, { status: "publish", slug: `live-${id}` });

/** A tool does this, and answers that. */
function does(at: World, tool: string, work: () => void, answer: Args = { success: true }) {
  at.servers.answers.set(tool, () => {
    work();
    return says(answer);
  });
}

const lastRow = async (at: World) => (await at.gw.audit()).find(({ door }) => door !== "admin")!;

Deno.test("a page tool that publishes the draft it was given is an error whose outcome is made, whatever it leaves of the dates", async () => {
  for (const modified of [0, HOUR_MS]) {
    for (const door of ["rest", "mcp"] as const) {
      await using at = await world();
      const id = at.page("draft", { modified: at.gw.clock.now - HOUR_MS });
      does(
        at,
        TOOL,
        () => set(at, id, { status: "publish", slug: "now", modified: at.gw.clock.now - modified }),
      );
      const ending = await at.gw.end(ADD, add(id), { door }) as Args;
      assert.equal(ending.code, "E_PUBLISH_NOT_ALLOWED");
      if (door === "rest") assert.equal(ending.outcome, "made");
      assert.match(
        String(ending.message),
        new RegExp(
          `"${ADD}" made page ${id} public \\(http://[^)]*/now/\\), which site "acme" does not allow \\(allow_publish\\); it is held back`,
        ),
      );
      const row = await lastRow(at);
      assert.deepEqual([row.status, row.outcome, row._published], ["error", "made", true]);
      assert.deepEqual(row.changes?.map(({ field, from }) => [field, from]), [[`page ${id}`, "not public"]]);
      assert.deepEqual(at.source.held.map(({ name }) => name), [ADD]);
    }
  }
});

Deno.test("where the site allows it what went live is audited, and a token that may not publish is told all the same", async () => {
  await using at = await world();
  for (const [as, code] of [[undefined, undefined], ["two", "E_PUBLISH_NOT_ALLOWED"]] as const) {
    const id = at.page("draft");
    does(at, TOOL, () => live(at, id));
    const ending = await at.gw.end(ADD, { ...add(id), site_id: "open" }, { as }) as Args;
    assert.deepEqual([ending.code, (await lastRow(at))._published], [code, true]);
    if (code) assert.match(String(ending.message), /which takes a token of max_risk 3/);
  }
});

Deno.test("what a tool makes public is its own where its answer names it: by id, in a sentence, by address", async () => {
  const answers: ((id: number, address: string) => unknown)[] = [
    (id) => ({ success: true, post_id: id }),
    (id) => ({ success: true, data: { pages: [{ ID: String(id) }] } }),
    (id) => `Published page ${id}.`,
    (_, address) => ({ success: true, view: `${address}?preview=1`, link: address }),
    (_, address) => `Done: see ${address}.`,
    (id) => ({ edit: `https://site.test/wp-admin/post.php?post=${id}&action=edit` }),
  ];
  for (const [at_, answerOf] of answers.entries()) {
    await using at = await world();
    const other = at.page("draft");
    const address = `${at.cms.base_url}/live-${other}/`;
    at.servers.answers.set(NEW, () => {
      live(at, other);
      return says(answerOf(other, address));
    });
    const ending = await at.gw.end("builder-mcp-create-page", { site_id: "acme", title: "New" }) as Args;
    assert.deepEqual([at_, ending.code, ending.outcome], [at_, "E_PUBLISH_NOT_ALLOWED", "made"]);
  }
});

Deno.test("what went live and is not named may be a colleague's: a warning with its address, and the tool stays", async () => {
  await using at = await world();
  const id = at.page("draft");
  const other = post(at, "draft");
  does(at, TOOL, () => live(at, other));
  const { proof: { warnings } } = await at.gw.proven(ADD, add(id));
  assert.match(
    String(warnings),
    new RegExp(`something made post ${other} public \\(http://[^)]*\\)\\. The call does not name it`),
  );
  const row = await lastRow(at);
  assert.deepEqual([row.status, row._published, at.source.held], ["ok", null, []]);
});

Deno.test("a change of what is public already is reported as one, and is the tool's own where it names it", async () => {
  await using at = await world();
  const seen = post(at, "publish", { slug: "seen", modified: at.gw.clock.now - HOUR_MS });
  const edit = () => set(at, seen, { modified: at.gw.clock.now, title: "Other" });
  does(at, TOOL, edit);
  const { proof: { warnings } } = await at.gw.proven(ADD, add(at.page("draft")));
  assert.match(
    String(warnings),
    new RegExp(`something changed post ${seen} \\(.*/seen/\\), which visitors see`),
  );
  at.gw.clock.now += HOUR_MS;
  does(at, TOOL, edit, { success: true, also: [seen] });
  const ending = await at.gw.end(ADD, add(at.page("draft"))) as Args;
  assert.match(String(ending.message), new RegExp(`changed post ${seen} \\(`));
});

Deno.test("what goes live by the date it had is no tool's doing", async () => {
  await using at = await world();
  const date = { at: at.gw.clock.now + HOUR_MS, floating: false };
  const own = at.page("future", { date });
  const other = post(at, "future", { date });
  does(at, TOOL, () => {
    at.gw.clock.now = date.at + 1000; // both are due by now
    live(at, own);
    live(at, other);
  });
  const { proof: { warnings } } = await at.gw.proven(ADD, add(own));
  assert.match(
    String(warnings),
    new RegExp(`page ${own} went live during the call, by the date it was scheduled for`),
  );
  assert.doesNotMatch(String(warnings), new RegExp(`post ${other}`));
  assert.deepEqual([(await lastRow(at))._published, at.source.held], [undefined, []]);
});

Deno.test("a scheduled page that is published before its date, or for another one, is told", async () => {
  await using at = await world();
  const date = { at: at.gw.clock.now + HOUR_MS, floating: false };
  const early = at.page("future", { date });
  does(at, TOOL, () => live(at, early));
  const ending = await at.gw.end(ADD, add(early)) as Args;
  assert.equal(ending.code, "E_PUBLISH_NOT_ALLOWED");
  const moved = at.page("future", { date });
  does(at, TOOL, () => set(at, moved, { date: { at: date.at + HOUR_MS, floating: false } }));
  const { proof: { warnings } } = await at.gw.proven(ADD, add(moved));
  assert.match(String(warnings), new RegExp(`page ${moved} is scheduled now: it goes live by itself at 20`));
});

Deno.test("private, pending and trashed ones that go live are seen; one that goes into the bin is no publication", async () => {
  for (const status of ["private", "pending"]) {
    await using at = await world();
    const id = post(at, status);
    does(at, TOOL, () => live(at, id), { success: true, id });
    const ending = await at.gw.end(ADD, add(at.page("draft"))) as Args;
    assert.equal(ending.code, "E_PUBLISH_NOT_ALLOWED", status);
  }
  await using at = await world();
  const gone = post(at, "publish");
  does(at, TOOL, () => set(at, gone, { status: "trash" }), { success: true, id: gone });
  const { proof: { warnings } } = await at.gw.proven(ADD, add(at.page("draft")));
  assert.doesNotMatch(String(warnings), /made|changed/);
  assert.equal((await lastRow(at))._published, undefined);
});

Deno.test("what visitors find no more is told: by name where the call names it, by the totals on a large site", async () => {
  const cases = [[0, /public and is not any more/], [
    1,
    /something took page \d+ \(http\S+\) from visitors\. The call/,
  ]];
  for (const [n, warning] of cases as [number, RegExp][]) {
    await using at = await world();
    const ids = [at.page("publish"), at.page("publish")];
    const draft = at.page("draft");
    const answer = n === 0 ? { success: true, post_id: ids[0] } : { success: true };
    does(at, TOOL, () => set(at, ids[0]!, { status: "trash" }), answer);
    const { proof } = parted(((await at.gw.end(ADD, add(draft))) as Args).beside);
    assert.match(proof.warnings.join(), warning);
    const row = await lastRow(at);
    assert.equal(row._published, undefined);
    const change = { field: `page ${ids[0]}`, from: "public" };
    assert.deepEqual(row.changes?.map(({ field, from }) => ({ field, from })) ?? [], n === 0 ? [change] : []);
  }
  await using at = await world();
  for (let n = 0; n < 120; n++) post(at, "publish", { slug: `p${n}` });
  const last = post(at, "publish", { slug: "last", modified: 0 });
  const draft = at.page("draft");
  does(at, TOOL, () => set(at, last, { status: "draft" }));
  const { proof } = parted(((await at.gw.end(ADD, add(draft))) as Args).beside);
  assert.match(proof.warnings.join(), /something left 1 fewer of type "post" public or scheduled\. The call/);
});

Deno.test("a write that breaks off, or fails by its own words, is looked at all the same", async () => {
  const endings: [string, () => ReturnType<typeof says>, RegExp][] = [
    ["broken off", () => {
      throw brokenOff();
    }, /The call itself failed: The tool server broke off/],
    ["failed", () => fails("Out of memory"), /The call itself failed: .*says why.*\| Out of memory/],
    ["soft", () => says({ error: "half done" }, { isError: true, soft: true }), /half done/],
  ];
  for (const [name, ends, words] of endings) {
    await using at = await world();
    const id = at.page("draft");
    at.servers.answers.set(TOOL, () => {
      live(at, id);
      return ends();
    });
    const ending = await at.gw.end(ADD, add(id)) as Args;
    assert.deepEqual([name, ending.code, ending.outcome], [name, "E_PUBLISH_NOT_ALLOWED", "made"]);
    assertTold(ending as unknown as Parameters<typeof assertTold>[0], words);
    assert.equal((await lastRow(at))._published, true);
  }
});

Deno.test("on a large site a backdated page shows in the totals: it is the tool's own where the call names it, else a warning", async () => {
  for (const own of [true, false]) {
    await using at = await world();
    for (let n = 0; n < 130; n++) at.page("publish", { slug: `p${n}`, modified: at.gw.clock.now - n });
    const old = at.gw.clock.now - 1000 * HOUR_MS;
    const id = at.page("draft", { modified: old });
    const other = at.page("draft", { modified: old });
    does(
      at,
      TOOL,
      () =>
        set(at, own ? id : other, { status: "publish", slug: "back", date: { at: old, floating: false } }),
    );
    const ending = await at.gw.end(ADD, add(id)) as { code?: string; beside?: unknown };
    if (own) assert.equal(ending.code, "E_PUBLISH_NOT_ALLOWED");
    else {assert.match(
        String((ending.beside as Args | undefined)?.warnings),
        /made 1 more of type "page" public or scheduled, under an older date/,
      );}
    assert.equal((await lastRow(at))._published, own ? true : null);
  }
});

Deno.test("a large site whose pages others edit meanwhile gives no false alarm", async () => {
  await using at = await world();
  const ids = Array.from(
    { length: 130 },
    (_, n) => at.page("publish", { slug: `p${n}`, modified: at.gw.clock.now - HOUR_MS - n }),
  );
  does(at, TOOL, () => set(at, ids[129]!, { modified: at.gw.clock.now }));
  const { proof: { warnings } } = await at.gw.proven(ADD, add(at.page("draft")));
  assert.match(String(warnings), new RegExp(`something changed page ${ids[129]} `));
  does(at, TOOL, () => set(at, ids[3]!, { status: "draft" })); // the next of the list moves up
  const { proof: after } = await at.gw.proven(ADD, add(at.page("draft")));
  assert.doesNotMatch(String(after.warnings), /made|changed/);
});

Deno.test("a site that blocks these reads is written all the same, and the answer says what was not checked", async () => {
  const blocked: [path: RegExp, says: RegExp][] = [
    [
      /\/wp\/v2\/(posts|pages|types)$/,
      /could not be checked for which other types are public \(.*403.*\); posts \(.*\); pages/,
    ],
    [/\/wp\/v2\/types$/, /could not be checked for which other types are public/],
    [/\/wp\/v2\/posts$/, /could not be checked for posts \(the site answered 403 rest_disabled\)/],
  ];
  for (const [path, words] of blocked) {
    await using at = await world();
    const body = { code: "rest_disabled", message: "The REST API is off.", data: { status: 403 } };
    at.cms.inject({ kind: "answer", status: 403, body }, { method: "GET", path, times: Infinity });
    const { proof: { warnings } } = await at.gw.proven(ADD, add(at.page("draft")));
    assert.equal(at.servers.writes.length, 1);
    assert.match(String(warnings), words);
    assert.equal((await lastRow(at))._published, null);
  }
});

Deno.test("a tool that is run by another one is held back under its own name", async () => {
  await using at = await world();
  const id = at.page("draft");
  at.servers.answers.set("mcp-adapter-execute-ability", () => {
    live(at, id);
    return says({ success: true });
  });
  const { site_id: _, ...parameters } = add(id);
  const call = { site_id: "acme", ability_name: "emcp-tools/add-free-widget", parameters };
  const ending = await at.gw.end("mcp-adapter-execute-ability", call) as Args;
  assert.equal(ending.code, "E_PUBLISH_NOT_ALLOWED", String(ending.message));
  assert.deepEqual(at.source.held.map(({ name }) => name), [ADD]);
});

Deno.test("tools that only read, and those of the CRM, ask nothing more", async () => {
  await using at = await world({} as KitOptions);
  const asked = at.gw.requests.length;
  await at.gw.call("builder-mcp-list-pages", { site_id: "acme" });
  await at.gw.call("contacts_add-tags", { site_id: "crm", contactId: "c1", tags: ["a"] });
  assert.equal(at.gw.requests.length, asked);
});
