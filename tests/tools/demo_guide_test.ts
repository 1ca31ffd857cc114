/** What the demo prints: a write is shown before it is made, and the blocks do what they say when they are pasted. */
import assert from "node:assert/strict";
import { guide } from "../../sandbox/demo_guide.ts";
import type { DemoPart } from "../../sandbox/demo_part.ts";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { gateway, site } from "../kit.ts";

const ADDRESS = "http://127.0.0.1:8000";

/** The blocks of a printed guide that a shell runs. */
const shell = (text: string) =>
  text.split("\n\n").filter((block) => /^(PREVIEW=|CONFIRM=|ANSWER=|REQUEST=|curl )/.test(block));

/** Runs blocks with a `curl` that keeps each body it is given, and answers with that text. */
async function bodiesOf(blocks: readonly string[], answer: string): Promise<unknown[]> {
  const kept = await Deno.makeTempFile();
  const script =
    `curl() { for last; do :; done; printf '%s\\0' "$last" >> '${kept}'; printf '%s' "$ANSWER"; }\n`;
  const run = new Deno.Command("sh", { args: ["-euc", script + blocks.join("\n")], env: { ANSWER: answer } });
  const { success, stderr } = await run.output();
  assert.ok(success, new TextDecoder().decode(stderr));
  const bodies = (await Deno.readTextFile(kept)).split("\0").filter((body) => body !== "");
  await Deno.remove(kept);
  return bodies.map((body) => JSON.parse(body));
}

Deno.test("the demo's first write shows a preview, and its second block carries out exactly that", async () => {
  await using cms = await startWordPressStandIn();
  const { username, application_password } = cms.users.admin;
  const credentials = { cms: { username, application_password } };
  await using gw = await gateway({
    fetch: "network",
    allowPrivate: ["127.0.0.1"],
    realClock: true,
    sites: [site("demo", "cms", { base_url: cms.base_url, credentials })],
  });
  const printed = guide(ADDRESS, gw.token(), { kind: "stand-in", base_url: cms.base_url }, null, "s1");
  const [first, second] = shell(printed);
  assert.match(first!, /^PREVIEW=\$\(curl .*\/create_draft /s);
  const [asked] = await bodiesOf([first!], "");
  const call = async (body: unknown) => {
    const init = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    };
    return await (await gw.http("/api/v1/tools/create_draft", init)).text();
  };
  const preview = await call(asked);
  const { result: { needs_confirmation, confirm_token } } = JSON.parse(preview);
  assert.equal(needs_confirmation, true);
  assert.equal(cms.writes.length, 0);
  const bodies = await bodiesOf([first!, second!], preview);
  assert.deepEqual(bodies, [asked, { ...asked as object, confirm: true, confirm_token }]);
  assert.equal(JSON.parse(await call(bodies[1])).result.status, "draft");
  assert.equal(cms.writes.length, 1);
});

Deno.test("no call that the demo prints confirms what nobody was shown", () => {
  const project = { folder: "/somewhere", address: "http://localhost:1" };
  const printed = guide(ADDRESS, "gate_dev_x", { kind: "stand-in", base_url: ADDRESS }, project, "s1");
  const confirming = shell(printed).filter((block) => /"confirm"/.test(block));
  assert.equal(confirming.length, 2, "a draft and a static project");
  for (const block of confirming) assert.match(block, /"confirm_token":"'\$CONFIRM'"/);
});

Deno.test("a write that the demo takes back is named by its own answer, and the way back is shown first", async () => {
  const part: DemoPart = {
    env: {},
    register: () => Promise.resolve(),
    guide: (_address, _paste, undone) => ["A part", ...undone("write_it", { site_id: "s", title: "T" })],
    stop: () => Promise.resolve(),
  };
  const printed = guide(ADDRESS, "t", { kind: "stand-in", base_url: ADDRESS }, null, "s1", [part]);
  const blocks = shell(printed).slice(-3);
  assert.deepEqual(blocks.map((block) => block.slice(0, 7)), ["ANSWER=", "REQUEST", "CONFIRM"]);
  const answer = JSON.stringify({ ok: true, request_id: "R1", result: { confirm_token: "C1" } });
  const undo = { site_id: "s", request_id: "R1" };
  assert.deepEqual(await bodiesOf(blocks, answer), [
    { site_id: "s", title: "T" },
    undo,
    { ...undo, confirm: true, confirm_token: "C1" },
  ]);
  assert.match(blocks[1]!, /\/api\/v1\/tools\/undo_change /);
});
