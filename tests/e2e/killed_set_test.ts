/** A gateway killed in the middle of a change set: what was not begun is done by the same call again, what is in doubt never. */
import assert from "node:assert/strict";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { type Answered, inFolder, type Running, start } from "./running.ts";

/** A lease, the first call's minute, another until its doubt is judged, and some. */
const LATER_MS = 125_000;

/** Where the second of three items is cut off, after how many passes, what is told then, and what comes of the same call. */
const POINTS = [
  ["spent", 2, ["done", "not_begun", "not_begun"], ["done", "done", "done"]],
  ["begun", 2, ["done", "unknown", "not_begun"], ["done", "unknown", "not_begun"]],
  ["written", 1, ["done", "unknown", "not_begun"], ["done", "unknown", "not_begun"]],
  ["kept", 1, ["done", "done", "not_begun"], ["done", "done", "done"]],
] as const;

interface Told {
  readonly set_id: string;
  readonly confirm_token: string;
  readonly state: string;
  readonly replayed?: boolean;
  readonly items: readonly { readonly state: string; readonly request_id?: string }[];
}

const gatewayAt = (folder: string, env: Record<string, string>) =>
  start(folder, env, {
    run: ["-A", "--no-check", "--unstable-kv", "--unstable-cron", "tests/e2e/stopping_gateway.ts"],
  });

const order = (point: string) => ({
  title: `Until ${point}`,
  changes: [1, 2, 3].map((n) => ({
    tool: "create_draft",
    arguments: { site_id: "acme", title: `${point} ${n}`, content_html: "<p>x</p>" },
  })),
});

/** Has a gateway killed there; answers the set and the call that confirms it. */
async function killed(folder: string, token: string, [point, after]: typeof POINTS[number]) {
  await using gateway = gatewayAt(folder, { STOP_AT: point, STOP_AFTER: String(after) });
  const { result } = await gateway.call<Told>(token, "prepare_changes", order(point));
  const call = { ...order(point), confirm: true, confirm_token: result.confirm_token };
  await assert.rejects(gateway.call(token, "prepare_changes", call), TypeError);
  assert.equal((await gateway.ended).signal, "SIGKILL");
  return { set_id: result.set_id, call };
}

const states = ({ result }: Answered<Told>) => [result.state, result.items.map(({ state }) => state)];

async function register(gateway: Running, base_url: string, credentials: object): Promise<string> {
  await gateway.admin("POST", "/sites", { id: "acme", name: "Acme", platform: "cms", base_url, credentials });
  return (await gateway.token()).token;
}

Deno.test("killed at each step of a set's second item, two instances on one store go on with it, and no item is done twice", async () => {
  await using cms = await startWordPressStandIn();
  const { username, application_password } = cms.users.admin;
  const written = (title: string) => [...cms.posts.values()].filter((post) => post.title === title).length;
  await inFolder(async (folder) => {
    let token = "";
    {
      await using gateway = gatewayAt(folder, {});
      token = await register(gateway, cms.base_url, { cms: { username, application_password } });
      gateway.kill("SIGTERM");
      await gateway.ended;
    }
    const sets: Awaited<ReturnType<typeof killed>>[] = [];
    for (const point of POINTS) sets.push(await killed(folder, token, point));
    await using one = gatewayAt(folder, { AHEAD_MS: String(LATER_MS) });
    await using other = gatewayAt(folder, { AHEAD_MS: String(LATER_MS) });
    for (const [n, [point, , interrupted, ended]] of POINTS.entries()) {
      const { set_id, call } = sets[n]!;
      const seen = await other.call<Told>(token, "get_change_set", { set_id });
      assert.deepEqual(states(seen), ["interrupted", interrupted], point);
      const both = await Promise.all([one, other].map((by) => by.call<Told>(token, "prepare_changes", call)));
      for (const told of both) {
        assert.deepEqual(states(told), ["ended", ended], `${point}: ${JSON.stringify(told)}`);
        assert.equal(told.result.replayed, true);
      }
      const doubt = point === "begun" || point === "written";
      const count = (n: number) => written(`${point} ${n}`);
      const second = point === "begun" ? 0 : 1;
      assert.deepEqual([count(1), count(2), count(3)], [1, second, doubt ? 0 : 1], point);
    }
    const { faults } = await one.admin<{ faults: string[] }>("GET", "/audit/verify");
    assert.deepEqual(faults, []);
  });
});
