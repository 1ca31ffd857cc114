/** The repository host in trouble at each step of a write and a read: what is asked again, told, and never left behind. */
import assert from "node:assert/strict";
import { LIMITS } from "../../core/model.ts";
import type { GitHubFault } from "../../sandbox/github/start.ts";
import type { Args } from "../cms_kit.ts";
import { FILES, REPO, StaticWorld } from "./_static.ts";

const CSS = "src/styles/site.css";
const TOOL = "write_static_file";
/** Bytes that are no text, so that a write takes a blob of its own. */
const bytesOf = (text: string) => new Uint8Array([0xff, ...new TextEncoder().encode(text)]);
const ARGS = {
  site_id: "open",
  path: CSS,
  content: bytesOf("x").toBase64(),
  encoding: "base64",
  allow_overwrite: true,
  target_branch: "main",
};
const writing = (text: string) => ({ ...ARGS, content: bytesOf(text).toBase64() });
const TRIES_MAX = 1 + LIMITS.UPSTREAM_RETRIES;
const UNKNOWN = /the outcome is unknown: look at the site with "read_static_file" before trying again$/;

/** What a write to the deployed branch asks, in its order: each step's method and path. */
const STEPS: Readonly<Record<string, readonly [string, RegExp]>> = {
  "the installation": ["GET", /\/installation$/],
  "a token": ["POST", /\/access_tokens$/],
  "the head": ["GET", /\/git\/ref\/heads\/main$/],
  "the commit": ["GET", /\/git\/commits\/[0-9a-f]{40}$/],
  "the files": ["GET", /\/git\/trees\/[0-9a-f]{40}$/],
  "a blob": ["POST", /\/git\/blobs$/],
  "a tree": ["POST", /\/git\/trees$/],
  "a commit": ["POST", /\/git\/commits$/],
  "the move": ["PATCH", /\/git\/refs\/heads\/main$/],
};

Deno.test("the steps tried here are all that a write takes", async () => {
  await using at = await StaticWorld.open();
  await at.write("rest", TOOL, ARGS);
  for (const { method, path } of at.host.requests) {
    const fits = Object.values(STEPS).some(([verb, place]) => verb === method && place.test(path));
    assert.ok(fits, `${method} ${path}`);
  }
});

/** The steps that one world is asked for in turn; what is known from the first call on is asked in worlds of their own. */
const IN_TURN = [
  ["the installation"],
  ["a token"],
  Object.keys(STEPS).filter((step) => step !== "the installation" && step !== "a token"),
];

/** Somebody commits, so that the next call has to ask what stands there: what has a name of git's is asked for once. */
const goesOn = (at: StaticWorld, step: string) =>
  at.host.commit(REPO, { files: { "beside.txt": `${step}\n` } });

/** Fails where no request since that many met the trouble. */
function assertMet(at: StaticWorld, asked: number, step: string): void {
  assert.ok(at.host.requests.slice(asked).some(({ fault }) => fault !== null), `${step} is in trouble`);
}

/** Troubles that pass, and whether a step that cannot simply be asked again gets over them too. */
const PASSING: readonly (readonly [GitHubFault, "always" | "but the move"])[] = [
  [{ kind: "busy", status: 429, retry_after: 1 }, "always"],
  [{ kind: "busy", status: 403, retry_after: 5 }, "always"],
  [{ kind: "limited", reset_in: 2 }, "always"],
  [{ kind: "html" }, "but the move"],
  [{ kind: "html", status: 504 }, "but the move"],
  [{ kind: "reset" }, "but the move"],
];

for (const [trouble, when] of PASSING) {
  Deno.test(`${JSON.stringify(trouble)} once at any step is one commit in the end${when === "always" ? "" : ", or none"}`, async () => {
    for (const steps of IN_TURN) {
      const slept: number[] = [];
      await using at = await StaticWorld.open({
        git: steps.includes("the head"),
        http: { sleep: (ms) => Promise.resolve(void slept.push(ms)) },
      });
      for (const step of steps) {
        const [method, path] = STEPS[step]!;
        await goesOn(at, step);
        const [main, asked] = [await at.head("main"), at.host.requests.length];
        at.host.inject(trouble, { method, path });
        slept.length = 0;
        if (step === "the move" && when !== "always") {
          const ending = await at.gw.end(TOOL, { ...writing(step), confirm: true });
          assert.match(JSON.stringify(ending), /E_UPSTREAM.*which is where it was/, step);
          assert.equal(await at.head("main"), main);
        }
        await at.write("rest", TOOL, writing(step));
        const files = { [CSS]: bytesOf(step) };
        await at.wrote({
          branch: "main",
          parent: main,
          line: `Overwrite ${CSS}`,
          files,
          git: step === "the head",
        });
        assertMet(at, asked, step);
        if (trouble.kind === "busy") assert.deepEqual(slept, [Number(trouble.retry_after) * 1000], step);
      }
    }
  });
}

Deno.test("a token that has run out is made anew, once, at any step", async () => {
  for (const [step, [method, path]] of Object.entries(STEPS)) {
    if (step === "the installation" || step === "a token") continue; // asked for by the app's own key
    await using at = await StaticWorld.open({ git: step === "the head" });
    const main = await at.head("main");
    at.host.inject({ kind: "unauthorized" }, { method, path });
    await at.write("rest", TOOL, ARGS);
    await at.wrote({
      branch: "main",
      parent: main,
      line: `Overwrite ${CSS}`,
      files: { [CSS]: bytesOf("x") },
    });
    const tokens = at.host.requests.filter((one) => one.path.endsWith("/access_tokens")).length;
    assert.equal(tokens, 3, `${step}: one to read, one to write, one again`);
  }
  await using at = await StaticWorld.open();
  await at.both("list_static_routes", { site_id: "open" });
  at.host.expireTokens();
  await at.write("rest", TOOL, ARGS);
});

/** Troubles that stay, and what is said of them. */
const LASTING: readonly (readonly [GitHubFault, RegExp])[] = [
  [
    { kind: "unauthorized" },
    /answered 401: Bad credentials; it does not take the app's key: check REPO_APP_ID/,
  ],
  [{ kind: "forbidden" }, /answered 403: .*Contents: read and write/],
  [{ kind: "busy", status: 429, retry_after: 1 }, /try again in 1 s$/],
  [{ kind: "busy", status: 429, retry_after: 6 }, /it limits how much is asked of it: try again in 6 s$/],
  [{ kind: "busy", status: 403, retry_after: 3600 }, /try again in 3600 s$/],
  [{ kind: "busy", status: 429 }, /try again in 60 s$/],
  [{ kind: "busy", status: 403 }, /answered 403: You have exceeded a secondary rate limit/],
  [{ kind: "limited", reset_in: 900 }, /try again in (89\d|90\d) s$/],
  [{ kind: "html" }, /answered 502|which is where it was/],
  [{ kind: "html", status: 500 }, /answered 500|which is where it was/],
  [{ kind: "reset" }, /broke the connection off|which is where it was/],
  [{ kind: "partial" }, /broke the connection off/],
  [{ kind: "partial", length: "true" }, /cannot be read/],
  [{ kind: "malformed" }, /cannot be read|which is where it was/],
  [{ kind: "answer", body: "{}" }, /cannot be read|which is where it was/],
  [
    { kind: "answer", body: '{"sha":"../x","tree":[]}' },
    /cannot be read|which is where it was|built another tree/,
  ],
  [{ kind: "redirect", to: "http://127.0.0.1:9/elsewhere" }, /(redirects|points) to "http:\/\/127.0.0.1:9"/],
];

for (const [trouble, says] of LASTING) {
  Deno.test(`${JSON.stringify(trouble)} that lasts is told at any step, and leaves what is deployed alone`, async () => {
    // The host says by its own clock when the hour begins again, so that the gateway's is not set twice there.
    const rounds = trouble.kind === "limited" ? IN_TURN.flat().map((step) => [step]) : IN_TURN;
    for (const steps of rounds) {
      // A clock that can be set: the host asks some to be left alone for an hour.
      const clock = { realClock: false, start: Date.now() };
      await using at = await StaticWorld.open({ git: steps.includes("the head"), ...clock });
      for (const step of steps) {
        if (step === "the move" && trouble.kind === "partial") continue; // it is carried out, and found to be
        const [method, path] = STEPS[step]!;
        await goesOn(at, step);
        const [main, asked] = [await at.head("main"), at.host.requests.length];
        at.host.inject(trouble, { method, path, times: 99 });
        const ending = await at.gw.end(TOOL, { ...writing(`lost at ${step}`), confirm: true });
        assert.ok("code" in ending && ending.code === "E_UPSTREAM", `${step}: ${JSON.stringify(ending)}`);
        assert.match(ending.message, says, step);
        assert.doesNotMatch(ending.message, /<[a-z!]|ghs_|\.$/, step);
        assert.equal(await at.head("main"), main, step);
        assertMet(at, asked, step);
        const met = at.host.requests.slice(asked).filter(({ fault }) => fault !== null).length;
        const isWaitedFor = trouble.kind === "busy" && trouble.retry_after === 1;
        assert.ok(isWaitedFor ? met === TRIES_MAX : met <= TRIES_MAX, `${step} was asked ${met} times`);
        at.host.clear();
        at.gw.clock.now += 3_600_001;
        await at.write("mcp", TOOL, writing(`next of ${step}`));
        assert.match((await at.host.files(REPO))[CSS]!, new RegExp(`next of ${step}$`), "it is not spoiled");
      }
    }
  });
}

Deno.test("a REST answer says when to come again", async () => {
  await using at = await StaticWorld.open();
  at.host.inject({ kind: "busy", status: 429, retry_after: 77 }, { times: 99 });
  const answer = await at.gw.http("/api/v1/tools/list_static_files", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ site_id: "open" }),
  });
  await answer.body?.cancel();
  assert.deepEqual([answer.status, answer.headers.get("retry-after")], [502, "77"]);
});

Deno.test("what nothing points to is sent again, however its answer was lost: it is one commit", async () => {
  await using at = await StaticWorld.open();
  const main = await at.head("main");
  for (const path of ["/git/blobs", "/git/trees", "/git/commits"]) {
    at.host.inject({ kind: "reset", applied: true }, { method: "POST", path });
    at.host.inject({ kind: "html", applied: true }, { method: "POST", path });
  }
  await at.write("rest", TOOL, ARGS);
  await at.wrote({ branch: "main", parent: main, line: `Overwrite ${CSS}`, files: { [CSS]: bytesOf("x") } });
});

/** What moves or makes the branch of each target. */
const MOVES = [["main", "PATCH", /\/git\/refs\/heads\/main$/], ["preview", "POST", /\/git\/refs$/]] as const;
const movesOf = (at: StaticWorld) => at.host.writes.filter(({ path }) => path.includes("/git/refs")).length;

Deno.test("a move whose answer is lost is looked up: done is done, and nothing is done twice", async () => {
  const lost: GitHubFault[] = [
    { kind: "reset", applied: true },
    { kind: "html", applied: true },
    { kind: "html", status: 500, applied: true },
    { kind: "malformed", applied: true },
    { kind: "answer", body: "{}", applied: true },
    { kind: "partial" },
    { kind: "partial", length: "true" },
  ];
  for (const trouble of lost) {
    for (const [target_branch, method, path] of MOVES) {
      await using at = await StaticWorld.open({ git: trouble === lost[0] });
      const main = await at.head("main");
      at.host.inject(trouble, { method, path });
      const { done, proof } = await at.write<{ branch: string }>("rest", TOOL, {
        ...ARGS,
        target_branch,
      });
      assert.deepEqual([proof.verified, movesOf(at)], [true, 1], JSON.stringify(trouble));
      const line = `Overwrite ${CSS}`;
      await at.wrote({ branch: done.branch, parent: main, line, files: { [CSS]: bytesOf("x") } });
    }
  }
});

Deno.test("a preview branch that was never made is told apart too, and is not asked for twice", async () => {
  await using at = await StaticWorld.open();
  const [, method, path] = MOVES[1];
  for (const kind of ["reset", "html", "malformed"] as const) {
    at.host.clear();
    at.host.inject({ kind }, { method, path });
    const ending = await at.gw.end(TOOL, { ...ARGS, target_branch: "preview", confirm: true });
    assert.match(
      JSON.stringify(ending),
      /E_UPSTREAM.*failed to move branch .*mcp.*which is where it was/,
      kind,
    );
    assert.deepEqual([await at.branches(), movesOf(at)], [["main"], 1], kind);
  }
});

Deno.test("a move of which nothing can be learned is reported as unknown, with the commit that it is about", async () => {
  for (const applied of [true, false]) {
    for (const [target_branch, method, path] of MOVES) {
      await using at = await StaticWorld.open();
      at.host.inject({ kind: "reset", applied }, { method, path });
      const lookUps = { path: "/git/ref/", times: 99, while: () => movesOf(at) > 0 };
      at.host.inject({ kind: "html" }, lookUps);
      const ending = await at.gw.end(TOOL, { ...ARGS, target_branch, confirm: true });
      assert.ok("code" in ending && ending.code === "E_UPSTREAM", JSON.stringify(ending));
      const [, branch, sha] =
        /"([^"]+)" was to be moved to the commit ([0-9a-f]{40}), and no answer came; /.exec(ending.message) ??
          [];
      assert.ok(branch && sha, ending.message);
      assert.match(ending.message, UNKNOWN);
      assert.equal((await at.host.refs(REPO))[`refs/heads/${branch}`] === sha, applied);
    }
  }
});

/** What a request is given once it is late: enough for one that is answered on a machine that is busy. */
const LEFT_MS = 1000;

/** A world on a clock that stands; once `late` is called, every request has LEFT_MS left of the call's 60 s. */
async function hurried(): Promise<{ at: StaticWorld; late: () => void }> {
  const start = Date.now(); // the app's key is signed by the machine's clock
  let ahead = 0;
  const at = await StaticWorld.open({ realClock: false, start, http: { now: () => start + ahead } });
  await at.both("list_static_files", { site_id: "open" });
  await goesOn(at, "late");
  return { at, late: () => void (ahead = LIMITS.CALL_DEADLINE_MS - LEFT_MS) };
}

for (const [step, [method, path]] of Object.entries(STEPS)) {
  if (step === "the installation") continue; // known by then
  Deno.test(`a host that hangs at ${step} is given up in time`, async () => {
    const { at, late } = await hurried();
    await using _ = at;
    const main = await at.head("main");
    late();
    at.host.inject({ kind: "hang" }, { method, path, times: 9 });
    const ending = await at.gw.end(TOOL, { ...ARGS, confirm: true });
    assert.ok("code" in ending && ending.code === "E_UPSTREAM", JSON.stringify(ending));
    const says = step === "the move" ? /the outcome is unknown/ : /gave no answer within 1 s/;
    assert.match(ending.message, says);
    assert.equal(await at.head("main"), main);
  });
}

Deno.test("a tree too large for one answer is walked: what stands there is found all the same", async () => {
  const truncated = { kind: "truncated", keep: 10_000 } as const;
  const everywhere = { method: "GET", path: "/git/trees/", times: 99 };
  await using at = await StaticWorld.open();
  at.host.inject(truncated, everywhere);
  const site_id = "open";
  const listed = await at.both<{ files: unknown[]; truncated: boolean }>("list_static_files", { site_id });
  assert.equal(listed.truncated, true);
  const routes = await at.both("list_static_routes", { site_id });
  assert.equal(routes["truncated"], true);
  const taken = { site_id, route: "hand", html: "x" };
  await at.refuses("create_static_route", taken, "E_ROUTE_EXISTS", { says: /hand.astro/, sends: "reads" });
  const there = { site_id, path: CSS, content: "x" };
  await at.refuses(TOOL, there, "E_FILE_EXISTS", { says: /set allow_overwrite/, sends: "reads" });
  const begun = { site_id, homepage_html: "x" };
  await at.refuses("init_static_project", begun, "E_REPO_NOT_EMPTY", { says: /holds/, sends: "reads" });
  at.host.inject(truncated, everywhere);
  const main = await at.head("main");
  await at.write("rest", TOOL, ARGS);
  await at.wrote({ branch: "main", parent: main, line: `Overwrite ${CSS}`, files: { [CSS]: bytesOf("x") } });
});

Deno.test("a listing that was cut short hides no page and no file", async () => {
  const calls: readonly (readonly [string, Args, string])[] = [
    ["create_static_route", { route: "notes", html: "x" }, "E_ROUTE_EXISTS"],
    ["create_static_route", { route: "", html: "x" }, "E_ROUTE_EXISTS"],
    [TOOL, { path: CSS, content: "x" }, "E_FILE_EXISTS"],
    ["init_static_project", { homepage_html: "x" }, "E_REPO_NOT_EMPTY"],
  ];
  for (const [tool, args, code] of calls) {
    await using at = await StaticWorld.open();
    // Of the whole and of a folder with all below it; each folder by itself is told in full.
    const tree = (await at.host.git(REPO, "rev-parse", "main^{tree}")).trim();
    const pages = (await at.host.git(REPO, "rev-parse", "main:src/pages")).trim();
    at.host.inject({ kind: "truncated", keep: 0 }, { path: `/git/trees/${tree}` });
    at.host.inject({ kind: "truncated", keep: 0 }, { path: `/git/trees/${pages}` });
    const ending = await at.gw.end(tool, { site_id: "open", ...args, confirm: true });
    assert.equal("code" in ending && ending.code, code, `${tool}: ${JSON.stringify(ending)}`);
  }
});

Deno.test("a list of what is below a folder that is not listed to its end says that it is not all", async () => {
  await using at = await StaticWorld.open();
  const lists = { list_static_routes: {}, list_md_from_repo: { prefix: "src/content/" } };
  for (const [tool, args] of Object.entries(lists)) {
    at.host.inject({ kind: "truncated", keep: 0 }, { method: "GET", path: "/git/trees/", times: 99 });
    const found = await at.both(tool, { site_id: "open", ...args });
    assert.equal(found["truncated"], true, tool);
    at.host.clear();
  }
});

Deno.test("a tree that is not what was asked for is never pushed", async () => {
  const first = FILES["README.md"] as string;
  await using at = await StaticWorld.open();
  const main = await at.head("main");
  const wrong = (await at.host.git(REPO, "rev-parse", "main^{tree}")).trim();
  at.host.inject({ kind: "answer", status: 201, body: JSON.stringify({ sha: wrong }) }, {
    method: "POST",
    path: "/git/trees",
  });
  const ending = await at.gw.end(TOOL, { ...ARGS, confirm: true });
  assert.match(
    JSON.stringify(ending),
    /E_UPSTREAM.*built another tree than was asked for .*nothing was pushed/,
  );
  assert.equal(await at.head("main"), main);
  assert.equal((await at.host.files(REPO))["README.md"], first);
  const blob = { kind: "answer", status: 201, body: JSON.stringify({ sha: wrong }) } as const;
  at.host.inject(blob, { method: "POST", path: "/git/blobs" });
  const logo = { ...ARGS, path: "public/logo.bin", content: "/wA=", encoding: "base64", confirm: true };
  const other = await at.gw.end(TOOL, logo);
  assert.match(JSON.stringify(other), /E_UPSTREAM.*stored other bytes than were sent; nothing was pushed/);
  assert.equal(await at.head("main"), main);
});
