/** Alert rules and the board: Prometheus reads them, they fire when they should, and name only what the gateway shows. */
import assert from "node:assert/strict";
import { folder } from "../folder.ts";
import { gateway, MASTER } from "../kit.ts";
import { hasPromtool, promtool } from "../promtool.ts";

const FOLDER = new URL("../../docs/monitoring/", import.meta.url);
const text = (name: string) => Deno.readTextFile(new URL(name, FOLDER));

interface Board {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

const expressions = async () =>
  (JSON.parse(await text("grafana.json")) as Board).panels.flatMap(({ targets }) =>
    targets.map(({ expr }) => expr)
  );

/** Names of figures in a text of PromQL. */
const namesIn = (promql: string) =>
  new Set(
    [...promql.matchAll(/\b(?:gateway|process)_[a-z_]+/g)].map(([name]) => name.replace(/_bucket$/, "")),
  );

Deno.test("rules and board name only figures that the gateway has", async () => {
  await using gw = await gateway();
  const response = await gw.http("/admin/metrics", {
    as: null,
    headers: { authorization: `Bearer ${MASTER}` },
  });
  const known = new Set([...(await response.text()).matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name!));
  const promql = [await text("alerts.yaml"), ...await expressions()].join("\n");
  const named = [...namesIn(promql)];
  assert.ok(named.length > 12, String(named));
  assert.deepEqual(named.filter((name) => !known.has(name)), []);
});

Deno.test("docs/OPERATING.md says of each alert what it means, and every one is tried", async () => {
  const alerts = [...(await text("alerts.yaml")).matchAll(/- alert: (\S+)/g)].map(([, name]) => name!);
  const operating = await Deno.readTextFile(new URL("../OPERATING.md", FOLDER));
  const told = [...operating.matchAll(/^### (\S+)/gm)].map(([, name]) => name!);
  assert.deepEqual(told, alerts);
  const tests = await text("alerts_test.yaml");
  const fired = alerts.filter((name) =>
    new RegExp(`alertname="${name}"[^\\n]*\\n[^\\n]*\\n[^\\n]*value: 1`).test(tests)
  );
  assert.deepEqual(fired, alerts);
});

const passes = async (...args: string[]) => {
  const { code, said } = await promtool(args);
  assert.equal(code, 0, said);
};

Deno.test({
  name:
    "each rule fires for what it is about and for nothing else, and Prometheus reads every expression of the board",
  ignore: !hasPromtool,
  async fn() {
    await passes("test", "rules", new URL("alerts_test.yaml", FOLDER).pathname);
    await using place = await folder();
    const records = (await expressions()).map((expr, at) => ({ record: `board:${at}`, expr }));
    const path = `${place.path}/board.yaml`;
    await Deno.writeTextFile(path, JSON.stringify({ groups: [{ name: "board", rules: records }] }));
    await passes("check", "rules", "--lint=none", path);
  },
});
