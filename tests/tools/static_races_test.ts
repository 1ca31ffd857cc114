/** Writes to a static site that meet another's: one of them wins, the other is told, and nothing is lost. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import type { Ending } from "../kit.ts";
import { EMPTY, FILES, REPO, StaticWorld, test } from "./_static.ts";

const PATCH = { method: "PATCH", path: "/git/refs/heads/main" };
const CSS = "src/styles/site.css";
const HOME = "src/pages/index.astro";
const MARK = "// site-ops-gateway:generated v1\n";

const CALLS: Readonly<Record<string, Args>> = {
  create_static_route: { route: "new", html: "<p>x</p>" },
  update_static_route: { route: "", html: "<p>x</p>" },
  delete_static_route: { route: "" },
  write_static_file: { path: CSS, content: "x", allow_overwrite: true },
  bulk_write_static_files: {
    files: [{ path: "public/a", content: "a" }, { path: CSS, content: "x", allow_overwrite: true }],
  },
};
const callOf = (tool: string, more: Args = {}): Args => ({
  site_id: "open",
  ...(tool === "delete_static_route" ? {} : { target_branch: "main" }),
  ...CALLS[tool],
  ...more,
});

for (const tool of Object.keys(CALLS)) {
  for (const when of ["before", "within"] as const) {
    test(`${tool} stands on what somebody else committed ${when} its push`, async (at) => {
      const was = await at.head("main");
      at.host.inject({ kind: "moved", when, files: { "theirs.txt": "kept" } }, PATCH);
      await at.write("rest", tool, callOf(tool));
      const log = await at.log("main");
      assert.deepEqual(log.slice(1), ["Meanwhile", "First commit"], "theirs, then one commit of ours");
      assert.equal((await at.host.files(REPO))["theirs.txt"], "kept");
      await using clone = await at.clone();
      assert.equal((await clone.git("rev-parse", "HEAD~2")).trim(), was);
      const changed = (await clone.commit()).changes.map((change) => change.slice(2));
      assert.ok(!changed.includes("theirs.txt"));
    });
  }
}

const CHANGED =
  /^"src\/.*": was changed by somebody else since it was looked at, so nothing was written; preview/;
const GONE = /^"src\/.*": was taken out by somebody else/;

/** What somebody else does to the very file meanwhile, and what the call is told. */
const CLASHES: readonly (readonly [string, Args, Record<string, string | null>, Code, RegExp])[] = [
  [
    "create_static_route",
    {},
    { "src/pages/new.md": "# x" },
    "E_ROUTE_EXISTS",
    /is served by "src\/pages\/new.md"/,
  ],
  [
    "create_static_route",
    {},
    { "src/pages/new.astro": "theirs" },
    "E_STALE_PREVIEW",
    /^"src\/pages\/new.astro": was made by somebody else/,
  ],
  [
    "create_static_route",
    {},
    { "public/new.html": "x" },
    "E_ROUTE_EXISTS",
    /is served by "public\/new.html"/,
  ],
  ["update_static_route", {}, { [HOME]: `${MARK}theirs` }, "E_STALE_PREVIEW", CHANGED],
  ["update_static_route", {}, { [HOME]: null }, "E_STALE_PREVIEW", GONE],
  ["update_static_route", { force: true }, { [HOME]: "by hand now" }, "E_STALE_PREVIEW", CHANGED],
  ["delete_static_route", {}, { [HOME]: `${MARK}theirs` }, "E_STALE_PREVIEW", CHANGED],
  ["delete_static_route", {}, { [HOME]: null }, "E_STALE_PREVIEW", GONE],
  ["write_static_file", {}, { [CSS]: "theirs" }, "E_STALE_PREVIEW", CHANGED],
  ["write_static_file", {}, { [CSS]: null }, "E_STALE_PREVIEW", GONE],
  [
    "write_static_file",
    { path: "public/new", allow_overwrite: false },
    { "public/new": "theirs" },
    "E_STALE_PREVIEW",
    /^"public\/new": was made by somebody else/,
  ],
  [
    "write_static_file",
    { path: "public/new" },
    { "public/new": "theirs" },
    "E_STALE_PREVIEW",
    /^"public\/new": was made by somebody else/,
  ],
  [
    "write_static_file",
    { path: "public/new/x" },
    { "public/new": "a file" },
    "E_BAD_PATH",
    /is there and no folder/,
  ],
  ["bulk_write_static_files", {}, { [CSS]: "theirs" }, "E_STALE_PREVIEW", CHANGED],
  ["bulk_write_static_files", {}, { [CSS]: null }, "E_STALE_PREVIEW", GONE],
  [
    "bulk_write_static_files",
    {},
    { "public/a": "theirs" },
    "E_STALE_PREVIEW",
    /^"public\/a": was made by somebody else/,
  ],
];

for (const [at_n, [tool, args, files, code, says]] of CLASHES.entries()) {
  // The first of each tool through both doors, the others through one in turn.
  const isFirst = CLASHES.findIndex(([other]) => other === tool) === at_n;
  const doors = isFirst ? DOORS : [DOORS[at_n % 2]!];
  const [[path, content] = []] = Object.entries(files);
  const what = content === null ? "is taken out" : "is written";
  Deno.test(`${tool} ${JSON.stringify(args)} is told ${code} when ${path} ${what} meanwhile, and theirs stays`, async () => {
    for (const door of doors) {
      await using at = await StaticWorld.open();
      at.host.inject({ kind: "moved", when: "within", files }, PATCH);
      const ending = await at.gw.end(tool, { ...callOf(tool, args), confirm: true }, { door });
      assert.equal("code" in ending && ending.code, code, JSON.stringify(ending));
      assert.match((ending as { message: string }).message, says);
      assert.deepEqual(await at.log("main"), ["Meanwhile", "First commit"]);
      assert.equal((await at.host.files(REPO))[path!] ?? null, content);
      const [row] = await at.rows(1);
      assert.deepEqual([row?.status, row?.error], ["error", code]);
    }
  });
}

test("a branch that moves before every try is given up, nothing of ours being there", async (at) => {
  at.host.inject({ kind: "moved", when: "within" }, { ...PATCH, times: 3 });
  const ending = await at.gw.end("write_static_file", { ...callOf("write_static_file"), confirm: true });
  assert.equal("code" in ending && ending.code, "E_SHA_MISMATCH");
  assert.match(JSON.stringify(ending), /moved 3 times while this was written; nothing was pushed: try again/);
  assert.deepEqual(await at.log("main"), ["Meanwhile", "Meanwhile", "Meanwhile", "First commit"]);
  assert.equal((await at.host.files(REPO))[CSS], FILES[CSS]);
  at.host.inject({ kind: "moved", when: "within" }, { ...PATCH, times: 2 });
  await at.write("rest", "write_static_file", callOf("write_static_file"));
  assert.equal((await at.log("main")).length, 7);
});

/**
 * A world that holds back the first requests until there are that many of them: those that would move the deployed branch,
 * or the looks at it of plans, where the writes to a preview branch share their move.
 */
async function meeting(count: number, to = "main"): Promise<StaticWorld> {
  const all = Promise.withResolvers<void>();
  let waiting = 0;
  return await StaticWorld.open({
    tokens: { second: {} },
    async fetch(input, init) {
      const meets = to === "main"
        ? init?.method === "PATCH"
        : init?.method === "GET" && String(input).endsWith("/git/ref/heads/main");
      if (meets && waiting < count) {
        if (++waiting === count) all.resolve();
        await all.promise;
      }
      return await fetch(input, init);
    },
  });
}

const codeOf = (ending: Ending) => "code" in ending ? ending.code : "done";

const PAIRS: readonly (readonly [string, Args])[] = [
  ["write_static_file", {}],
  ["write_static_file", { path: "public/new" }],
  ["write_static_file", { path: "public/new", allow_overwrite: false }],
  ["create_static_route", {}],
  ["update_static_route", {}],
  ["bulk_write_static_files", {}],
];
/** The same call with another text in it. */
const ownOf = (tool: string, body: string): Args => {
  if (tool === "bulk_write_static_files") {
    return { files: [{ path: CSS, content: body, allow_overwrite: true }] };
  }
  return tool === "write_static_file" ? { content: body } : { html: body };
};

for (const [tool, args] of PAIRS) {
  Deno.test(`of two callers of ${tool} ${JSON.stringify(args)} at once one wins and the other is told`, async () => {
    for (const target_branch of ["main", "preview"]) {
      await using at = await meeting(2, target_branch);
      const as = ["all", target_branch === "main" ? "second" : "all"];
      const bodies = ["<p>one</p>", "<p>two</p>"];
      const endings = await Promise.all(bodies.map((body, n) => {
        const call = callOf(tool, { ...args, ...ownOf(tool, body), target_branch, confirm: true });
        return at.gw.end(tool, call, { as: as[n], door: n === 0 ? "rest" : "mcp" });
      }));
      assert.deepEqual(endings.map(codeOf).toSorted(), ["E_STALE_PREVIEW", "done"]);
      const won = endings.findIndex((one) => codeOf(one) === "done");
      const { value } = endings[won] as { value: { branch: string; commit_sha: string } };
      assert.equal(await at.head(value.branch), value.commit_sha);
      assert.equal((await at.log(value.branch)).length, 2, "one commit and no other");
      await using clone = await at.clone(value.branch);
      const [change = ""] = (await clone.commit()).changes;
      const text = new TextDecoder().decode((await clone.bytes(change.slice(2)))!);
      assert.match(text, [/one/, /two/][won]!);
    }
  });
}

Deno.test("two callers of different files at once both get their commit", async () => {
  await using at = await meeting(2);
  const names = ["a", "b"];
  const endings = await Promise.all(
    names.map((name, n) =>
      at.gw.end(
        "write_static_file",
        callOf("write_static_file", {
          path: `public/${name}`,
          content: name,
          confirm: true,
        }),
        { as: ["all", "second"][n] },
      )
    ),
  );
  assert.deepEqual(endings.map(codeOf), ["done", "done"]);
  const files = await at.host.files(REPO);
  assert.deepEqual(names.map((name) => files[`public/${name}`]), names);
  assert.equal((await at.log("main")).length, 3);
});

const BEGINNINGS: readonly (readonly [string, Args])[] = [
  ["init_static_project", { homepage_html: "x" }],
  ["bulk_write_static_files", { files: [{ path: "a", content: "a" }, { path: "b", content: "b" }] }],
  ["bulk_write_static_files", { files: [{ path: "README.md", content: "ours" }] }],
];
/** The requests at which somebody else begins the empty repository: from the plan's first to the last but one. */
const MOMENTS: readonly (readonly [string, RegExp])[] = [
  ["GET", /\/git\/ref\/heads\/main$/],
  ["GET", /\/repos\/acme\/empty$/],
  ["PUT", /\/contents\//],
  ["POST", /\/git\/trees$/],
  ["POST", /\/git\/commits$/],
];

for (const [tool, args] of BEGINNINGS) {
  const one = JSON.stringify(args).includes("README");
  Deno.test(`${tool} ${JSON.stringify(args)} in a repository that stops being empty leaves theirs alone`, async () => {
    for (const [method, path] of MOMENTS) {
      await using at = await StaticWorld.open();
      at.host.inject({ kind: "moved", files: { theirs: "x" } }, { method, path });
      const ending = await at.gw.end(tool, { site_id: "empty", ...args, confirm: true });
      if (one && method === "POST") continue; // a single file takes no such request
      const files = await at.host.files(EMPTY);
      assert.equal(files["theirs"], "x", `${method} ${path}`);
      const log = await at.log("main", EMPTY);
      assert.equal(
        log.at(-1) === "Meanwhile",
        method !== "POST",
        "before our first write theirs is the first",
      );
      if (codeOf(ending) === "done") {
        assert.ok(tool.startsWith("bulk") && files["theirs"] === "x", "written on top of theirs");
        continue;
      }
      assert.ok(["E_SHA_MISMATCH", "E_REPO_NOT_EMPTY"].includes(codeOf(ending)), JSON.stringify(ending));
      const ours = Object.keys(files).filter((name) => name !== "theirs");
      assert.ok(ours.every((name) => name === ".gitattributes"), ours.join());
    }
  });
}
