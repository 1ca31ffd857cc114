/** publish_static_preview where a person decides, and as an item of a change set: what was shown goes live, or nothing does. */
import assert from "node:assert/strict";
import { scenes } from "../scenes.ts";
import type { Told } from "../sets_kit.ts";
import { type Asked, type Decider, master } from "./_approvals.ts";
import { ON, Publishing, TOOL } from "./_publish.ts";
import { REPO } from "./_static.ts";

const test = scenes(() => Publishing.open());

/** The master token of that gateway. */
const deciding = ({ at: { gw } }: Publishing): Decider =>
  master({ kit: { gw } } as unknown as Parameters<typeof master>[0]);

test("a person's yes brings live what that person was shown, and a branch that moved since is shown again", async (here) => {
  const { at } = here;
  const { branch, commit_sha } = await here.ready();
  await at.gw.store.sites.update("live", { confirm_policy: "human" });
  const { approval: { id } } = await at.gw.call<Asked>(TOOL, ON);
  const decider = deciding(here);
  const seen = await decider.show(id);
  assert.equal(seen.status, 200, JSON.stringify(seen.error));
  const shown = seen.result.preview?.shown ?? "";
  const later = await at.host.commit(REPO, { branch, files: { "public/late.txt": "late" } });
  here.built();
  const late = await decider.approve(id, shown);
  assert.notEqual(late.status, 200, "what was pushed since was not shown");
  assert.notEqual(await at.head("main"), later);
  const done = await decider.approve(id);
  assert.equal(done.status, 200, JSON.stringify(done.error));
  assert.equal(await at.head("main"), later, "what was shown again");
  assert.notEqual(later, commit_sha);
});

test("an item of a set is published under the consent to the set, and not where a branch has moved since", async (here) => {
  const { at } = here;
  const { commit_sha } = await here.ready();
  const changes = [{ tool: TOOL, arguments: ON }];
  const prepare = () => at.gw.call<Told>("prepare_changes", { title: "Relaunch", changes });
  const confirm = ({ confirm_token }: Told) =>
    at.gw.call<Told>("prepare_changes", { title: "Relaunch", changes, confirm: true, confirm_token });
  const stale = await prepare();
  assert.equal(stale.tier, 3);
  await at.host.commit(REPO, { files: { "public/theirs.txt": "t" } });
  const { items: [failed] } = await confirm(stale);
  assert.deepEqual([failed?.state, failed?.error?.code], ["failed", "E_STALE_PREVIEW"]);
  assert.notEqual(await at.head("main"), commit_sha);
  assert.equal((await here.publish()).state, "joined");
  here.built();
  const { items: [done] } = await confirm(await prepare());
  assert.deepEqual([done?.state, done?.verified], ["done", true], JSON.stringify(done));
  assert.ok((await here.files()).includes("src/pages/new.astro"));
});
