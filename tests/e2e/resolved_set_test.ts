/** An item of a change set that was cut off: the operator finds it by the request that the set names, and what is found is told. */
import assert from "node:assert/strict";
import { startWordPressStandIn, type WordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { type Answered, inFolder, type Running, start } from "./running.ts";

/** A lease is over by then, and who was at a write has said nothing for long. */
const LATER_MS = 30_000;
/** The time of all calls is over by then, and their doubts are judged. */
const JUDGED_MS = 125_000;

interface Told {
  readonly set_id: string;
  readonly confirm_token: string;
  readonly state: string;
  readonly replayed?: boolean;
  readonly items: readonly {
    readonly item: number;
    readonly state: string;
    readonly request_id?: string;
  }[];
}

const gatewayAt = (folder: string, env: Record<string, string> = {}) =>
  start(folder, env, {
    run: ["-A", "--no-check", "--unstable-kv", "--unstable-cron", "tests/e2e/stopping_gateway.ts"],
  });

const CHANGES = ["Set one", "Set two"].map((title) => ({
  tool: "create_draft",
  arguments: { site_id: "acme", title, content_html: `<p>${title}</p>` },
}));

const prepare = (
  gateway: Running,
  token: string,
  more: Record<string, unknown> = {},
): Promise<Answered<Told>> =>
  gateway.call<Told>(token, "prepare_changes", { title: "Two", changes: CHANGES, ...more });

const look = async (gateway: Running, token: string, set_id: string): Promise<Told> =>
  (await gateway.call<Told>(token, "get_change_set", { set_id })).result;

const madeBy = ({ posts }: WordPressStandIn) =>
  [...posts.values()].map(({ title }) => title).filter((title) => title.startsWith("Set"));

const states = ({ items }: Told) => items.map(({ state }) => state);

/** A set that was confirmed, by a gateway that was killed at that point of a call of that tool. */
async function killedAt(folder: string, cms: WordPressStandIn, STOP_AT: string, STOP_TOOL: string) {
  await using gateway = gatewayAt(folder, { STOP_AT, STOP_TOOL });
  const { username, application_password } = cms.users.admin;
  const credentials = { cms: { username, application_password } };
  const { base_url } = cms;
  await gateway.admin("POST", "/sites", { id: "acme", name: "Acme", platform: "cms", base_url, credentials });
  const { token } = await gateway.token();
  const { result: { set_id, confirm_token } } = await prepare(gateway, token);
  const confirmed = { confirm: true, confirm_token };
  await assert.rejects(prepare(gateway, token, confirmed), TypeError);
  assert.equal((await gateway.ended).signal, "SIGKILL");
  return { token, set_id, confirmed };
}

const OF_ITEM = [
  { point: "begun", made: 0, found: "none", ends: "failed" },
  { point: "written", made: 1, found: "made", ends: "done" },
] as const;

for (const { point, made, found, ends } of OF_ITEM) {
  Deno.test(`killed once an item is ${point}: it is in doubt under the request that its row has, never done twice, and what the operator finds is told`, async () => {
    await using cms = await startWordPressStandIn();
    await inFolder(async (folder) => {
      const { token, set_id, confirmed } = await killedAt(folder, cms, point, "create_draft");
      let doubt = "";
      {
        await using after = gatewayAt(folder, { AHEAD_MS: String(LATER_MS) });
        const cut = await look(after, token, set_id);
        assert.deepEqual([cut.state, states(cut)], ["interrupted", ["unknown", "not_begun"]]);
        const row = (await after.audit()).find(({ item }) => item === 1);
        doubt = cut.items[0]!.request_id!;
        assert.deepEqual([row!.request_id, row!.status], [doubt, "started"]);
        const again = (await prepare(after, token, confirmed)).result;
        assert.deepEqual([again.state, again.replayed, states(again)], ["ended", true, [
          "unknown",
          "not_begun",
        ]]);
        assert.equal(again.items[0]!.request_id, doubt, "not the request that asked for it in vain");
        assert.equal(madeBy(cms).length, made);
      }
      await using judged = gatewayAt(folder, { AHEAD_MS: String(JUDGED_MS) });
      await judged.admin("POST", `/audit/${doubt}/resolve`, { found, note: "Seen on the site" });
      const told = await look(judged, token, set_id);
      assert.deepEqual([told.state, states(told)], ["ended", [ends, "not_begun"]]);
      assert.match(JSON.stringify(told.items[0]), /operator found at .* that it was/);
    });
  });
}
