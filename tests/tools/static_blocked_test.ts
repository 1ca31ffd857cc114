/** A host that limits its callers is left alone until it may be asked again, by every site of the same installation. */
import assert from "node:assert/strict";
import { callsFor } from "../../platforms/github/stored_blobs.ts";
import type { GitHubFault } from "../../sandbox/github/faults.ts";
import { site } from "../kit.ts";
import { StaticWorld } from "./_static.ts";

const LIST = { site_id: "open" };

/** A gateway whose clock can be set, and a site of another owner, so of another installation. */
async function open(): Promise<StaticWorld> {
  const others = site("others", "static", { repo: "other/site", repo_branch: "main" });
  const at = await StaticWorld.open({ realClock: false, start: Date.now(), sites: [others] });
  await at.host.make("other/site", { files: { "README.md": "x" } });
  return at;
}

const LIMITS_OF: readonly (readonly [what: string, fault: GitHubFault, seconds: number])[] = [
  ["Retry-After", { kind: "busy", status: 403, retry_after: 90 }, 90],
  ["a secondary limit in words alone", { kind: "busy", status: 403 }, 60],
  ["429 without a time", { kind: "busy", status: 429 }, 60],
  ["the hour's limit, with its reset", { kind: "limited", reset_in: 900 }, 900],
];

for (const [what, fault, seconds] of LIMITS_OF) {
  Deno.test(`after ${what} nothing is sent for the installation until then, whatever site, repository or tool asks`, async () => {
    const began = Date.now();
    await using at = await open();
    await at.gw.call("list_static_files", LIST);
    await at.gw.call("list_md_from_repo", { site_id: "journal" });
    at.host.inject(fault, { path: "/git/" });
    await at.gw.fails("list_static_files", LIST, "E_UPSTREAM", /it limits how much is asked of it/);
    at.host.clear();
    let told = 0;
    const calls = [
      ["list_static_files", LIST],
      ["list_static_routes", { site_id: "bulk" }],
      ["list_md_from_repo", { site_id: "journal" }],
      ["write_static_file", { ...LIST, path: "public/a", content: "a", confirm: true }],
    ] as const;
    for (const [tool, args] of calls) {
      const says =
        /the host limits how much is asked of it for this owner's repositories, and asked to be left alone until \d{4}-.*Z; nothing was sent: try again in (\d+) s$/;
      const message = await at.gw.fails(tool, args, "E_UPSTREAM", says);
      told = Number(says.exec(message)?.[1]);
      // The kit's clock stands still, and the stand-in's has gone on since.
      const most = seconds + Math.ceil((Date.now() - began) / 1000) + 1;
      assert.ok(seconds <= told && told <= most, `${tool}: ${told} s`);
    }
    // Whose installation a repository is of that was not asked before is no question of that installation.
    const sent = at.host.requests.map(({ path }) => path);
    assert.deepEqual(sent, ["/repos/acme/site/installation"], "the host was asked nothing else");
    await at.gw.call("list_static_files", { site_id: "others" });
    assert.ok(at.host.requests.length > 0, "another owner's repositories have a quota of their own");
    at.gw.clock.now += (told + 1) * 1000;
    await at.gw.call("list_static_files", LIST);
  });
}

Deno.test("a REST answer to a call that was not sent says when to come again", async () => {
  await using at = await open();
  await at.gw.call("list_static_files", LIST);
  at.host.inject({ kind: "busy", status: 429, retry_after: 77 }, { path: "/git/" });
  await at.gw.fails("list_static_files", LIST, "E_UPSTREAM", /77 s$/);
  at.host.clear();
  const answer = await at.gw.http("/api/v1/tools/list_static_files", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(LIST),
  });
  await answer.body?.cancel();
  assert.deepEqual([answer.status, answer.headers.get("retry-after")], [502, "77"]);
  assert.equal(at.host.requests.length, 0);
});

Deno.test("a pause that each request waits for by itself blocks nobody", async () => {
  await using at = await open();
  at.host.inject({ kind: "busy", status: 429, retry_after: 2 }, { path: "/git/", times: 3 });
  await at.gw.fails("list_static_files", LIST, "E_UPSTREAM", /try again in 2 s$/);
  await at.gw.call("list_static_files", LIST);
});

Deno.test("how many more calls a stopped upload takes counts the hour as well as the minute", () => {
  const rows: readonly (readonly [left: number, lately: number, wanted: string])[] = [
    [0, 0, "about one more call"],
    [80, 0, "about one more call"],
    [81, 80, "about 2 more calls"],
    [420, 80, "about 6 more calls"],
    [421, 80, "about 7 more calls over an hour or more, for the host takes some 500 such writes an hour"],
    [100, 500, "about 2 more calls over an hour or more, for the host takes some 500 such writes an hour"],
    [500, 500, "about 7 more calls over an hour or more, for the host takes some 500 such writes an hour"],
    [920, 80, "about 13 more calls over an hour or more, for the host takes some 500 such writes an hour"],
    [921, 80, "about 14 more calls over 2 hours or more, for the host takes some 500 such writes an hour"],
    [10, 600, "about one more call over an hour or more, for the host takes some 500 such writes an hour"],
  ];
  for (const [left, lately, wanted] of rows) {
    assert.equal(callsFor(left, lately), wanted, `${left}, ${lately}`);
  }
});
