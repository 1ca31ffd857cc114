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

/** What Prometheus itself adds. */
const ADDED = ["job", "instance", "le"];

Deno.test("rules and board choose and group by labels only that those figures have", async () => {
  await using gw = await gateway();
  const { figures, state } = gw.gateway;
  const specs = [...figures.counters, ...figures.histograms, ...state.gauges()].map(({ spec }) => spec);
  const labels = new Map(specs.map(({ name, labels }) => [name, [...labels, ...ADDED]]));
  const of = (name: string) => labels.get(name.replace(/_bucket$/, "")) ?? ADDED;
  const rules = [...(await text("alerts.yaml")).matchAll(/expr: (?:\|\n((?: {10}.*\n)+)|(.*)\n)/g)]
    .map(([, block, line]) => block ?? line!);
  let looked = 0;
  for (const expr of [...rules, ...await expressions()]) {
    const named = [...namesIn(expr)];
    for (const [, name, matchers] of expr.matchAll(/\b((?:gateway|process)_[a-z_]+)\{([^}]*)\}/g)) {
      for (const [, label] of matchers!.matchAll(/(\w+)\s*[=!]/g)) {
        assert.ok(of(name!).includes(label!), `${name} has no ${label}: ${expr}`);
        looked++;
      }
    }
    const known = new Set(named.flatMap(of));
    for (const [, list] of expr.matchAll(/\bby \(([^)]*)\)/g)) {
      for (const label of list!.split(",")) {
        assert.ok(known.has(label.trim()), `nothing of it has ${label}: ${expr}`);
        looked++;
      }
    }
  }
  assert.ok(looked > 30, `${looked} labels were looked at`);
});

/** What the operator is to see (and over OpenTelemetry as well), with the labels that tell one from another. */
const WANTED: Readonly<Record<string, readonly string[]>> = {
  gateway_calls_total: ["tool", "door", "result"],
  gateway_call_duration_seconds: ["tool"],
  gateway_call_refusals_total: ["tool", "code", "class"],
  gateway_site_refusals_total: ["site", "code", "class"],
  gateway_client_refusals_total: ["client", "code", "class"],
  gateway_requests_refused_total: ["door", "code", "class"],
  gateway_upstream_duration_seconds: ["platform"],
  gateway_upstream_requests_total: ["platform", "result"],
  gateway_store_commit_duration_seconds: [],
  gateway_store_commit_failures_total: [],
  gateway_store_read_duration_seconds: [],
  gateway_writes_in_doubt: ["state"],
  gateway_reconnects_needed: ["kind"],
  gateway_job_failing: ["task"],
  gateway_job_last_success_timestamp_seconds: ["task"],
  gateway_audit_lag_seconds: [],
  gateway_audit_rows_waiting: [],
  gateway_approvals_waiting: [],
  gateway_memory_bytes: ["of"],
  process_resident_memory_bytes: [],
  gateway_ready: ["check"],
};

Deno.test("each figure that an operator needs is there, under its labels", async () => {
  await using gw = await gateway();
  const { figures, state } = gw.gateway;
  const specs = [...figures.counters, ...figures.histograms, ...state.gauges()].map(({ spec }) => spec);
  const found = Object.fromEntries(specs.map(({ name, labels }) => [name, [...labels]]));
  for (const [name, labels] of Object.entries(WANTED)) assert.deepEqual(found[name], labels, name);
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

Deno.test("every event that the log may have stands in the table of OPERATING", async () => {
  const root = new URL("../../", import.meta.url);
  const { stdout } = await new Deno.Command("git", {
    args: ["ls-files", "-z", "*.ts", "*.tsx"],
    cwd: root,
  }).output();
  const paths = new TextDecoder().decode(stdout).split("\0").filter((path) =>
    /^(main|(core|store|guard|identity|admin|console|doors|gateway|platforms)\/.*)\.tsx?$/.test(path)
  );
  const events = new Set<string>();
  for (const path of paths) {
    // A file that was taken out and not yet committed is still listed.
    const code = await Deno.readTextFile(new URL(path, root)).catch(() => "");
    const jobs = path === "guard/jobs.ts" ? code.matchAll(/: "(\w+_failed)"/g) : [];
    for (const [, event] of [...code.matchAll(/(?<!\()\bevent: "(\w+)"/g), ...jobs]) events.add(event!);
  }
  for (const  of of["notification", "call"]) events.delete(of); // PostgreSQL's own; a line a call, on standard output
  assert.ok(events.size > 30, String(events.size));
  const page = await Deno.readTextFile(new URL("docs/OPERATING.md", root));
  const [, logs = ""] = /^## Logs$([\s\S]*?)^## /m.exec(page) ?? [];
  assert.deepEqual([...events].filter((event) => !logs.includes(`\`${event}\``)), []);
});
