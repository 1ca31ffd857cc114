/** What every static tool needs before it does anything: a site, its repository, the app in it, and the right to write. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import type { Args } from "../cms_kit.ts";
import { gateway, site } from "../kit.ts";
import { FILES, OPEN_FLAGS, REPO, settingsAt, StaticWorld, test } from "./_static.ts";

const READS: Readonly<Record<string, Args>> = {
  list_static_files: {},
  list_static_routes: {},
  read_static_file: { path: "README.md" },
};
const WRITES: Readonly<Record<string, Args>> = {
  create_static_route: { route: "new", html: "x" },
  create_static_routes: { pages: [{ route: "new", html: "x" }] },
  edit_static_file: { path: "src/styles/site.css", find: "red", replace: "blue" },
  update_static_route: { route: "", html: "x" },
  delete_static_route: { route: "" },
  write_static_file: { path: "public/a.txt", content: "x" },
  bulk_write_static_files: { files: [{ path: "a.txt", content: "x" }] },
  init_static_project: { homepage_html: "x" },
};
const RESET = { reset_static_preview_branch: {} };
const ALL = Object.entries({ ...READS, ...WRITES, ...RESET });

/** Those that ask the hosting too, which have tests of their own. */
const HOSTED = ["check_static_deploy", "publish_static_preview"];
/** What proposes asks for a right of its own: static_propose_test.ts. */
const PROPOSES = "propose_static_changes";

Deno.test("the tools tried here are all there are, beside those that ask the hosting", async () => {
  await using gw = await gateway();
  const built = gw.gateway.catalog.entries().filter(({ group }) => group === "static").map(({ name }) =>
    name
  );
  assert.deepEqual([...ALL.map(([name]) => name), ...HOSTED, PROPOSES].toSorted(), built.toSorted());
});

Deno.test("each says what its site lacks, and asks nobody", async () => {
  const cases: [Record<string, string | null>, string, Code, RegExp][] = [
    [
      {},
      "unlinked",
      "E_REPO_NOT_LINKED",
      /^Site "unlinked" has no repository; its operator can set one with .*site update unlinked --repo …$/,
    ],
    [
      { REPO_APP_ID: null },
      "open",
      "E_MISSING_SECRET",
      /^Repositories need REPO_APP_ID, which the gateway's/,
    ],
    [{ REPO_APP_PRIVATE_KEY: null }, "open", "E_MISSING_SECRET", /^Repositories need REPO_APP_PRIVATE_KEY/],
    [{}, "journal", "E_NOT_SUPPORTED", /works on static sites|cms site/],
    [{}, "nowhere", "E_NOT_FOUND", /nowhere/],
  ];
  for (const [env, site_id, code, says] of cases) {
    await using at = await StaticWorld.open({ env });
    for (const [tool, args] of ALL) {
      for (const confirm of [false, true]) {
        await at.refuses(tool, { site_id, ...args, confirm }, code, says);
      }
    }
  }
});

Deno.test("each is kept to its token's sites, tools and risk, and asks nobody", async () => {
  await using at = await StaticWorld.open({
    tokens: {
      elsewhere: { allowed_sites: ["journal"] },
      others: { allowed_tools: ["list_sites"] },
      reader: { max_risk: 0 },
      drafter: { max_risk: 1 },
    },
  });
  for (const [tool, args] of ALL) {
    const call = { site_id: "open", ...args };
    for (const as of ["elsewhere", "others"]) {
      await at.refuses(tool, call, "E_SCOPE_DENIED", { says: /token/, audit: "denied", as });
    }
    const capped = { says: /risk/, audit: "risk_capped" } as const;
    if (!(tool in READS)) await at.refuses(tool, call, "E_SCOPE_DENIED", { ...capped, as: "reader" });
    if ("html" in args || "content" in args) {
      const main = { ...call, target_branch: "main" };
      await at.refuses(tool, main, "E_SCOPE_DENIED", { ...capped, as: "drafter" });
    }
  }
});

const asking = ALL.filter(([tool]) => !(tool in RESET));

Deno.test("an app that is not installed, or suspended, is told with the way to install it", async () => {
  await using at = await StaticWorld.open({ sites: [site("kept", "static", { repo: "acme/kept" })] });
  await at.host.make("acme/kept", { installed: false });
  const says =
    /^The repository app is (not installed for "nobody\/there"|installed for "acme", but not for a .*"kept").*its owner/;
  for (const [tool, args] of asking) {
    for (const site_id of ["elsewhere", "kept"]) {
      const flagged = ["bulk_write_static_files", "init_static_project"].includes(tool) && site_id === "kept";
      const code = flagged ? "E_FULL_REPO_WRITE_NOT_ALLOWED" : "E_REPO_APP_NOT_INSTALLED";
      const sends = flagged ? "nothing" : "reads";
      await at.refuses(tool, { site_id, ...args }, code, flagged ? /allow_full/ : says, sends);
    }
  }
  at.host.install("acme", { suspended: true });
  for (const [tool, args] of asking) {
    await at.refuses(tool, { site_id: "open", ...args }, "E_REPO_APP_NOT_INSTALLED", {
      says: /^The repository app is suspended for "acme\/site"/,
      sends: "reads",
    });
  }
});

test("an app that is taken out while it is used is reported as such, and asked for again once it is back", async (at) => {
  for (const [tool, args] of asking) {
    if (tool === "init_static_project") continue; // what stands there is told first
    await at.gw.end(tool, { site_id: "open", ...args });
    at.host.uninstall("acme");
    for (const confirm of [false, true]) {
      await at.refuses(tool, { site_id: "open", ...args, confirm }, "E_REPO_APP_NOT_INSTALLED", {
        says: /^The repository app is not installed (any more )?for "acme\/site"; its owner can install it/,
        sends: "reads",
      });
    }
    at.host.install("acme");
    const ending = await at.gw.end(tool, { site_id: "open", ...args });
    assert.ok("value" in ending, JSON.stringify(ending));
  }
});

Deno.test("a key that is not the app's is reported as such", async () => {
  await using at = await StaticWorld.open({ env: { REPO_APP_ID: "1" } });
  for (const [tool, args] of asking) {
    const says =
      /the host answered 404: Integration not found; it does not take the app's key: check REPO_APP_ID/;
    await at.refuses(tool, { site_id: "open", ...args }, "E_UPSTREAM", says, "reads");
  }
});

Deno.test("a branch that is not there is reported as the site's", async () => {
  await using at = await StaticWorld.open({
    sites: [site("lost", "static", { repo: REPO, repo_branch: "gone", flags: OPEN_FLAGS })],
  });
  for (const [tool, args] of asking) {
    const says =
      /^The site's repo_branch: repository "acme\/site" has no branch|has no file "README.md" at "gone"/;
    await at.refuses(tool, { site_id: "lost", ...args }, "E_NOT_FOUND", says, "reads");
  }
});

test("an app that may only read, and a repository that was renamed, are read and not written", async (at) => {
  at.host.install("acme", { permissions: { contents: "read", metadata: "read" } });
  for (const [tool, args] of Object.entries(WRITES)) {
    const site_id = tool === "init_static_project" ? "empty" : "open";
    for (const confirm of [false, true]) {
      await at.refuses(tool, { site_id, ...args, confirm }, "E_UPSTREAM", {
        says:
          /the app may only read it; nothing was written: give the app the permission "Contents: read and write"/,
        sends: "reads",
      });
    }
  }
  for (const [tool, args] of Object.entries(READS)) await at.both(tool, { site_id: "open", ...args });
  await using moved = await StaticWorld.open();
  await moved.both("list_static_files", { site_id: "open" });
  moved.host.rename(REPO, "renamed");
  for (const [tool, args] of Object.entries(WRITES)) {
    if (tool === "init_static_project") continue; // what stands there is told first
    await moved.refuses(tool, { site_id: "open", ...args }, "E_UPSTREAM", {
      says: /has been renamed; nothing was written: set the site's repo to its new name$/,
      sends: "reads",
    });
  }
  const read = await moved.both("read_static_file", { site_id: "open", path: "README.md" });
  assert.equal(read["content"], FILES["README.md"]);
  moved.host.clear(); // that every route may answer 301 is not described
  await using later = await StaticWorld.open();
  later.host.rename(REPO, "renamed");
  const says = /not for a repository "site": it is not there, has another name now.*check the site's repo/;
  await later.refuses("list_static_files", { site_id: "open" }, "E_REPO_APP_NOT_INSTALLED", says, "reads");
});

test("a write that is not confirmed changes nothing, whatever the tool", async (at) => {
  for (const [tool, args] of [...Object.entries(WRITES), ...Object.entries(RESET)]) {
    const site_id = tool === "init_static_project" ? "empty" : "open";
    const targets = "html" in args || "content" in args || "files" in args
      ? ["preview", "main"]
      : [undefined];
    for (const target_branch of targets) {
      const call = { site_id, ...args, ...(target_branch ? { target_branch } : {}) };
      await at.preview(tool, call);
    }
  }
  assert.deepEqual(await at.branches(), ["main"]);
});

test("no answer, log or audit row holds the app's key or a token", async (at) => {
  const { private_key } = at.host.app;
  const said: unknown[] = [];
  for (const trouble of [null, { kind: "forbidden" }, { kind: "malformed" }] as const) {
    for (const [tool, args] of ALL) {
      if (trouble) at.host.inject(trouble, { path: "/git/", times: 4 });
      const site_id = tool === "init_static_project" ? "empty" : "open";
      said.push(await at.gw.end(tool, { site_id, ...args, confirm: true }));
    }
  }
  const text = JSON.stringify([said, at.gw.logged, await at.gw.audit()]);
  const [, key = ""] = private_key.split("\n");
  for (const secret of [key, ...at.host.state.tokens.keys()]) assert.ok(!text.includes(secret));
  assert.ok(at.host.state.tokens.size > 0);
});

test("a host that is not where it is said to be is told, and nothing else is asked", async (at) => {
  const settings = settingsAt({ base_url: "http://127.0.0.1:9", app: at.host.app });
  await using lost = await StaticWorld.open({ settings });
  for (const [tool, args] of asking) {
    const says = /127\.0\.0\.1:9 (could not be reached|is not reachable|refused|broke)/;
    await lost.refuses(tool, { site_id: "open", ...args }, "E_UPSTREAM", says, "reads");
  }
  assert.deepEqual(lost.host.requests, []);
});
