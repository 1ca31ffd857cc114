/** propose_static_changes: one pull request of a preview branch, opened or worded anew, quiet, and never merged. */
import assert from "node:assert/strict";
import { scenes } from "../scenes.ts";
import { ON, Publishing, PULLS } from "./_publish.ts";
import { REPO } from "./_static.ts";

const TOOL = "propose_static_changes";
const PAGE = "src/pages/new.astro";

interface Proposed {
  readonly number: number;
  readonly url: string;
  readonly state: string;
  readonly created: boolean;
  readonly updated: boolean;
  readonly branch: string;
  readonly base: string;
  readonly files: number;
  readonly verified: boolean;
}

const test = scenes(async () => {
  const here = await Publishing.open();
  here.at.host.install("acme", { permissions: PULLS });
  return here;
});

const propose = (here: Publishing, title: string, body?: string) =>
  here.at.gw.call<Proposed>(TOOL, { ...ON, title, ...body === undefined ? {} : { body }, confirm: true });

/** What was sent about pull requests, as method, path and body. */
const sent = ({ at }: Publishing) =>
  at.host.requests.filter(({ method, path }) => method !== "GET" && path.includes("/pulls"))
    .map(({ method, path, body }) => [method, path, body] as const);

test("it is opened once, shown before, and later calls give it other texts", async (here) => {
  const { at } = here;
  const { branch } = await here.ready();
  const shown = await at.preview(TOOL, { ...ON, title: "News", body: "One page." }) as unknown as {
    tier: number;
    summary: string;
    undoable: boolean;
    changes: readonly { field: string; from: unknown; to: unknown }[];
  };
  assert.equal(shown.tier, 1, "a page as the gateway wrote it is data");
  assert.equal(shown.undoable, false);
  assert.match(
    shown.summary,
    /^Open a pull request of live: from branch "mcp\/.*" to "main", for people to merge$/,
  );
  assert.deepEqual(shown.changes.slice(0, 4).map(({ field, to }) => [field, to]).slice(0, 3), [
    ["title", "News"],
    ["body", "```text\nOne page.\n```"],
    ["files", { added: 1, changed: 0, removed: 0 }],
  ]);
  const live = await at.head("main");
  const done = await propose(here, "News", "One page.");
  assert.deepEqual(
    [
      done.number,
      done.url,
      done.state,
      done.created,
      done.updated,
      done.branch,
      done.base,
      done.files,
      done.verified,
    ],
    [1, `https://github.com/${REPO}/pull/1`, "open", true, false, branch, "main", 1, true],
  );
  assert.deepEqual(sent(here), [["POST", `/repos/${REPO}/pulls`, {
    ...{
      title: "News",
      head: branch,
      base: "main",
      body: "```text\nOne page.\n```",
      maintainer_can_modify: false,
    },
  }]]);
  const [row] = await at.rows(1);
  assert.deepEqual([row?.tool, row?.tier, row?.status, row?.result_id], [TOOL, 1, "ok", 1]);
  const same = await at.quietly(() => propose(here, "News", "One page."));
  assert.deepEqual([same.number, same.created, same.updated], [1, false, false]);
  const other = await propose(here, "More news");
  assert.deepEqual([other.number, other.created, other.updated], [1, false, true]);
  assert.deepEqual(sent(here).at(-1), ["PATCH", `/repos/${REPO}/pulls/1`, { title: "More news", body: "" }]);
  assert.deepEqual(at.host.pulls(REPO).map(({ title, state }) => [title, state]), [["More news", "open"]]);
  assert.equal(await at.head("main"), live, "nothing is merged");
});

test("nothing in the texts tells people, closes issues, or is made a link or a picture of", async (here) => {
  const { at } = here;
  await here.ready();
  const body = "Hi @everyone, closes #12, GH-3 and https://github.com/acme/site/issues/4\n" +
    "![x](https://tracker.example/p.png) <img src=x>\n````\n[yes](https://evil.example)\u202e";
  await propose(here, "Fixes acme/site#7 @admin", body);
  const [pull] = at.host.pulls(REPO);
  for (const text of [pull!.title, pull!.body!]) {
    assert.doesNotMatch(text, /@\w|#\d|GH-\d|\/issues\/\d|\u202e/);
  }
  const lines = pull!.body!.split("\n");
  assert.deepEqual([lines[0], lines.at(-1)], ["`````text", "`````"], "a fence longer than any within");
  assert.equal(lines.slice(1, -1).filter((line) => line.startsWith("`````")).length, 0);
});

test("where the build runs what is in it, it counts as 2", async (here) => {
  await here.ready();
  const tierOf = async () => (await here.shown(TOOL, { title: "T" })).tier;
  assert.equal(await tierOf(), 1);
  for (
    const [path, content, tier] of [
      ["src/styles/site.css", "p { color: blue }", 1],
      ["src/styles/site.css", '@plugin "./x.js";', 2],
      ["src/styles/site.css", "p {}", 1],
      ["src/components/a.astro", "<p>Hi</p>", 2],
    ] as const
  ) {
    await here.wrote("write_static_file", { path, content, allow_overwrite: true });
    assert.equal(await tierOf(), tier, `${path}: ${content}`);
  }
});

test("where browsers run what is in it, or it may hold script that nobody has read, it counts as 2", async (here) => {
  const { at } = here;
  const { branch } = await here.ready();
  const base = await at.head(branch);
  const cases: readonly (readonly [Record<string, string>, RegExp | null])[] = [
    [{ "public/note.txt": "<script>", "public/a.html": "<p>Hi</p>", "public/a.css": "<" }, null],
    [{ "public/app.js": "a()" }, /"public\/app\.js" is or decides what runs in the browser of everyone/],
    [
      { "public/sw.mjs": "a()", "public/_headers": "/*" },
      /"public\/_headers", "public\/sw\.mjs" are or decide/,
    ],
    [{ "public/a.html": "<script>a()</script>" }, /public\/a\.html holds a script/],
    [{ "public/a.shtml": "Hi <p onclick=a()>" }, /public\/a\.shtml holds the event handler/],
    [{ "public/map.kml": "<x:script xmlns:x='http://www.w3.org/1999/xhtml'>a()</x:script>" }, /script/],
    [{ "public/map": "<script>a()</script>" }, /public\/map holds a script/],
    [
      Object.fromEntries(
        Array.from({ length: 22 }, (_, n) => [`public/${String(n).padStart(2, "0")}.html`, "<p>"]),
      ),
      /^.*"public\/20\.html", "public\/21\.html" may hold script/,
    ],
  ];
  for (const [files, because] of cases) {
    await at.host.git(REPO, "update-ref", `refs/heads/${branch}`, base);
    await at.host.commit(REPO, { branch, files });
    const { tier, warnings } = await here.shown(TOOL, { title: "T" });
    assert.equal(tier, because === null ? 1 : 2, Object.keys(files).join());
    if (because !== null) assert.match(warnings.join(), because);
  }
});

test("a page that a person changed, and a file that says how it is built, count as 2", async (here) => {
  const { at } = here;
  const { branch } = await here.ready();
  await at.host.commit(REPO, { branch, files: { "package.json": "{}" } });
  assert.match(
    (await here.shown(TOOL, { title: "T" })).warnings.join(),
    /"package\.json" is run by the build, or decide/,
  );
  await at.host.commit(REPO, {
    branch,
    files: { "package.json": '{"type":"module"}\n', [PAGE]: "---\n---\n{x}" },
  });
  const shown = await here.shown(TOOL, { title: "T" });
  assert.equal(shown.tier, 2);
  assert.match(shown.warnings.join(), /"src\/pages\/new\.astro" is run/);
});

test("what has parted, and what rules keep from being published, can be proposed; people merge it, and it is all there", async (here) => {
  const { at } = here;
  await here.ready();
  at.host.rules(REPO, "main", { pull_request: true });
  await here.refused("E_MAIN_BRANCH_LOCKED", /propose_static_changes/);
  await at.host.commit(REPO, { files: { "public/theirs.txt": "t" } });
  const { number } = await propose(here, "News");
  at.host.rules(REPO, "main", null);
  await at.host.merge(REPO, number, "squash");
  assert.ok((await here.files()).includes(PAGE));
  await at.refuses("publish_static_preview", { site_id: "shut" }, "E_MAIN_BRANCH_LOCKED", /allow_main/);
  assert.equal((await here.publish()).state, "unchanged");
});

test("refused, and nothing is sent: no preview, nothing changed, no permission", async (here) => {
  const { at } = here;
  const refused = (code: Parameters<typeof at.refuses>[2], says: RegExp) =>
    at.refuses(TOOL, { ...ON, title: "T" }, code, { says, sends: "reads" });
  await refused("E_NOT_FOUND", /no preview branch/);
  const { branch } = await here.ready();
  at.host.install("acme", { permissions: { contents: "write", metadata: "read" } });
  const way =
    /the app (may not open|lacks a permission).* give the app the permission "Pull requests: read and write"/;
  await refused("E_UPSTREAM", way);
  at.host.install("acme", { permissions: { contents: "write", metadata: "read", pull_requests: "read" } });
  await refused("E_UPSTREAM", way);
  at.host.install("acme", { permissions: PULLS });
  await at.host.git(REPO, "update-ref", "refs/heads/main", await at.head(branch));
  await refused("E_NOT_FOUND", /changes nothing of branch "main"/);
  await at.refuses(TOOL, { ...ON, title: "a\nb" }, "E_BAD_INPUT", /title/);
  await at.refuses(TOOL, { ...ON }, "E_BAD_INPUT", /title/);
  assert.deepEqual(at.host.pulls(REPO), []);
});

test("an app that never had the permission is refused before anything is asked of pull requests", async (here) => {
  const { at } = here;
  at.host.install("acme", { permissions: { contents: "write", metadata: "read" } });
  await here.ready();
  await at.refuses(TOOL, { ...ON, title: "T" }, "E_UPSTREAM", {
    ...{ says: /may not open pull requests; nothing was sent: give the app the permission/, sends: "reads" },
  });
  assert.ok(!at.host.requests.some(({ path }) => path.includes("/pulls")));
});

test("what happens at the host between preview and yes is not written over", async (here) => {
  const { at } = here;
  const { branch } = await here.ready();
  const confirmed = async (between: () => unknown) => {
    const { confirm_token } = await here.shown(TOOL, { title: "T" });
    await between();
    return { ...ON, title: "T", confirm: true, confirm_token };
  };
  const pushed = await confirmed(() => at.host.commit(REPO, { branch, files: { "public/x.txt": "x" } }));
  await at.gw.fails(TOOL, pushed, "E_STALE_PREVIEW", new RegExp(branch));
  const opened = await confirmed(() => propose(here, "Another"));
  await at.gw.fails(TOOL, opened, "E_STALE_PREVIEW", /"pull request"/);
  assert.deepEqual(at.host.pulls(REPO).map(({ title }) => title), ["Another"]);
});

test("somebody who opens one in the same moment is first", async (here) => {
  const { at } = here;
  await here.ready();
  at.host.inject({
    kind: "answer",
    status: 422,
    body: {
      message: "Validation Failed",
      documentation_url: "https://docs.github.com/rest",
      errors: [{
        resource: "PullRequest",
        code: "custom",
        message: "A pull request already exists for acme:x.",
      }],
    },
    applied: true,
  }, { method: "POST", path: "/pulls" });
  await at.gw.fails(
    TOOL,
    { ...ON, title: "T", confirm: true },
    "E_STALE_PREVIEW",
    /Somebody else opened a pull request/,
  );
  assert.equal(at.host.pulls(REPO).length, 1);
});

test("after a lost answer the host is asked what is true, of one opened and of one worded anew", async (here) => {
  const { at } = here;
  await here.ready();
  const lost = (method: string, applied: boolean) =>
    at.host.inject({ kind: "html", status: 502, applied }, { method, path: "/pulls" });
  lost("POST", false);
  await at.gw.fails(
    TOOL,
    { ...ON, title: "T", confirm: true },
    "E_UPSTREAM",
    /failed to open a pull request, and none is open/,
  );
  lost("POST", true);
  const made = await propose(here, "T");
  assert.deepEqual([made.number, made.created, made.verified], [1, true, true]);
  lost("PATCH", false);
  await at.gw.fails(
    TOOL,
    { ...ON, title: "U", confirm: true },
    "E_UPSTREAM",
    /failed to change pull request 1, which is as it was/,
  );
  lost("PATCH", true);
  const worded = await propose(here, "U");
  assert.deepEqual([worded.number, worded.updated, worded.verified], [1, true, true]);
  assert.equal(at.host.pulls(REPO).length, 1);
});

test("the token that it asks for may propose and not push", async (here) => {
  const { at } = here;
  await here.ready();
  const from = at.host.requests.length;
  await propose(here, "T");
  const asked = at.host.requests.slice(from).filter(({ path }) => path.endsWith("/access_tokens"));
  const permissions = asked.map(({ body }) => (body as { permissions: unknown }).permissions);
  assert.deepEqual(permissions, [{ contents: "read", metadata: "read", pull_requests: "write" }]);
});
