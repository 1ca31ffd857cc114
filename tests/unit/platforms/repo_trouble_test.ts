/** A repository host whose rules forbid a push, or that sends a write elsewhere; other trouble is in static_trouble_test.ts. */
import assert from "node:assert/strict";
import { refused } from "./_refused.ts";
import { RepoWorld } from "./_repo.ts";

/** What the host says where a rule keeps a branch from being moved. */
const RULES = [
  "Repository rule violations found\n\nCannot update this protected ref.",
  "Protected branch update failed for refs/heads/main.",
  "Changes must be made through a pull request.",
  "2 of 2 required status checks are expected.",
  'Required status check "build" is expected.',
  "At least 1 approving review is required by reviewers with write access.",
  "Commits must have verified signatures.",
  "You're not authorized to push to this branch. Visit https://docs.github.com/articles/about-protected-branches",
  "Cannot force-push to this branch",
];

for (const message of RULES) {
  Deno.test(`a rule of the repository that forbids the push is told in the host's own words: ${message.slice(0, 40)}`, async () => {
    await using at = await RepoWorld.open();
    const said = message.replaceAll(/\s+/g, " ").replace(/\.$/, "");
    const told = new RegExp(`${RegExp.escape(said)}.*; .*look at the repository's settings$`);
    for (const status of [403, 409, 422]) {
      at.host.inject({ kind: "answer", status, body: JSON.stringify({ message }) }, { method: "PATCH" });
      await refused("E_UPSTREAM", told, at.push({ "a.md": "a" }));
      assert.equal(at.asked.filter((one) => one.startsWith("PATCH")).length, 1, "it is no race");
      at.host.clear();
    }
    assert.deepEqual(await at.log(), ["First commit"]);
  });
}

Deno.test("a rule that forbids the first commit is reported as one, and not as somebody else's commit", async () => {
  await using at = await RepoWorld.open({ empty: true });
  const message = "Could not create file: Changes must be made through a pull request.";
  for (const status of [409, 422]) {
    at.host.inject({ kind: "answer", status, body: JSON.stringify({ message }) }, { method: "PUT" });
    const told = /Changes must be made through a pull request\.?; .*look at the repository's settings$/;
    await refused("E_UPSTREAM", told, at.push({ "a.md": "a" }));
  }
  assert.deepEqual(await at.log(), []);
});

Deno.test("a write that is sent elsewhere is not sent on", async () => {
  await using at = await RepoWorld.open();
  const away = {
    kind: "redirect",
    to: `${at.host.base_url}/repos/other/site/git/refs/heads/main`,
    status: 307,
  } as const;
  at.host.inject(away, { method: "PATCH" });
  await refused("E_UPSTREAM", /answered 307.*not sent on/, at.push({ "a.md": "a" }));
  at.host.clear();
  at.host.inject({ ...away, to: `${at.host.base_url}/repos/other/site/git/trees` }, {
    method: "POST",
    path: "/git/trees",
  });
  await refused("E_UPSTREAM", /was not followed: .*it writes elsewhere/, at.push({ "a.md": "a" }));
  assert.ok(at.host.requests.every(({ path }) => !path.includes("other")));
  assert.deepEqual(await at.log(), ["First commit"]);
});
