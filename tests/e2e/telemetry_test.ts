/** A real process that traces to a collector on loopback: the spans of a call, its figures, and nothing that was sent. */
import assert from "node:assert/strict";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { beyondFirst, inFolder, start, until } from "./running.ts";

interface Pair {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface Figure {
  readonly name: string;
}
interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly Pair[];
}

/** A collector that keeps what it is sent, as OTLP/HTTP in JSON (https://opentelemetry.io/docs/specs/otlp/#otlphttp). */
function collector() {
  const bodies: Record<string, string[]> = { "/v1/traces": [], "/v1/metrics": [], "/v1/logs": [] };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    bodies[new URL(request.url).pathname]?.push(await request.text());
    return Response.json({});
  });
  const address = `http://127.0.0.1:${server.addr.port}`;
  return {
    bodies,
    env: {
      OTEL_DENO: "true",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_ENDPOINT: address,
      OTEL_METRIC_EXPORT_INTERVAL: "200",
      OTEL_BSP_SCHEDULE_DELAY: "100",
    },
    spans: (): Span[] =>
      bodies["/v1/traces"]!.flatMap((text) =>
        JSON.parse(text).resourceSpans.flatMap(
          (one: { scopeSpans: { spans: Span[] }[] }) => one.scopeSpans.flatMap(({ spans }) => spans),
        )
      ),
    /** By name how each figure is handed on: sum, histogram or gauge. */
    figures: (): Map<string, string> =>
      new Map(
        bodies["/v1/metrics"]!.flatMap((text) =>
          JSON.parse(text).resourceMetrics.flatMap((one: { scopeMetrics: { metrics: Figure[] }[] }) =>
            one.scopeMetrics.flatMap(({ metrics }) =>
              metrics.map(({ name, ...of }) =>
                [name, ["sum", "histogram", "gauge"].find((kind) => kind in of)!] as const
              )
            )
          )
        ),
      ),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const said = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]));

Deno.test("a traced call is a door with its call, guard, plan, run, upstream and store, and no span or figure holds what was sent", async () => {
  await using cms = await startWordPressStandIn();
  await using there = collector();
  await inFolder(async (folder) => {
    await using gateway = start(folder, there.env);
    const { username, application_password } = cms.users.admin;
    const credentials = { cms: { username, application_password } };
    const site = { id: "acme", name: "Acme", platform: "cms", base_url: cms.base_url, credentials };
    await gateway.admin("POST", "/sites", site);
    const { token, token_id } = await gateway.token();
    const args = {
      site_id: "acme",
      title: "hidden-title",
      content_html: "<p>hidden-text</p>",
      confirm: true,
    };
    assert.equal((await gateway.call(token, "create_draft", args)).status, 200);
    assert.equal((await gateway.call(token, "create_draft", { hidden_field: 1 })).status, 400);
    const address = await gateway.address();
    // As OAuth sends people back, with what a client could have traced: the runtime would make a span of it.
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const code = await fetch(`${address}/connect/callback?code=hidden-code`, { headers: { traceparent } });
    await code.body?.cancel();
    await until(
      async () => (await Promise.resolve(there.spans())).filter(({ name }) => name === "door").length === 2,
      10_000,
    );
    const handed = ["gateway_writes_in_doubt", "gateway_upstream_requests"];
    await until(() => Promise.resolve(handed.every((name) => there.figures().has(name))), 20_000);

    const figures = there.figures();
    for (
      const name of [
        "gateway_calls",
        "gateway_call_refusals",
        "gateway_site_calls",
        "gateway_upstream_requests",
      ]
    ) {
      assert.equal(figures.get(name), "sum", name);
    }
    for (const  of of["gateway_call", "gateway_upstream", "gateway_store_commit"]) {
      assert.equal(figures.get(`${of}_duration_seconds`), "histogram", of);
    }
    for (
      const  of of[
        "writes_in_doubt", "approvals_waiting", "audit_lag_seconds", "job_failing", "ready", "memory_bytes"
      ]
    ) {
      assert.equal(figures.get(`gateway_${of}`), "gauge", of);
    }
    const spans = there.spans();
    const [first] = spans.filter((one) => one.name === "call" && said(one)["gateway.verdict"] === "passed");
    const whole = spans.filter(({ traceId }) => traceId === first!.traceId);
    const names = new Set(whole.map(({ name }) => name));
    assert.deepEqual([...names].sort(), ["call", "door", "guard", "plan", "run", "store", "upstream"]);
    const byId = new Map(whole.map((one) => [one.spanId, one]));
    const parentOf = (name: string) => byId.get(whole.find((one) => one.name === name)!.parentSpanId)?.name;
    assert.deepEqual(["call", "guard", "plan", "run", "store"].map(parentOf), [
      ...["door", "call", "call", "call", "call"],
    ]);
    const { "gateway.request_id": id, ...call } = said(first!);
    assert.match(id!, /^[0-9A-Z]{26}$/);
    assert.deepEqual(call, {
      ...{ "gateway.tool": "create_draft", "gateway.site": "acme", "gateway.token": token_id },
      "gateway.verdict": "passed",
    });
    const upstreams = whole.filter(({ name }) => name === "upstream").map(said);
    assert.ok(
      upstreams.every((one) => one["gateway.platform"] === "wordpress" && one["gateway.result"] === "2xx"),
    );
    const refused = spans.find((one) => one.name === "call" && one.traceId !== first!.traceId)!;
    assert.deepEqual([refused.status.code, said(refused)["gateway.class"], said(refused)["gateway.code"]], [
      ...[2, "caller", "E_BAD_INPUT"],
    ]);

    gateway.kill("SIGTERM");
    assert.equal((await gateway.ended).code, 0);
    const all = Object.values(there.bodies).flat().join("\n");
    for (
      const hidden of ["hidden", token, application_password, "connect/callback", cms.base_url, "wp-json"]
    ) {
      assert.ok(
        !all.includes(hidden),
        `${hidden} in ${all.slice(Math.max(0, all.indexOf(hidden) - 300), all.indexOf(hidden) + 50)}`,
      );
    }
  });
});

Deno.test("a gateway that is told to stop ends while the runtime asks it for figures", async () => {
  await using there = collector();
  await inFolder(async (folder) => {
    // So often that it is asked at any moment.
    await using gateway = start(folder, { ...there.env, OTEL_METRIC_EXPORT_INTERVAL: "1" });
    await gateway.address();
    gateway.kill("SIGTERM");
    const { code, signal } = await gateway.ended;
    assert.deepEqual([code, signal], [0, null]);
  });
});

/** Where nobody listens, and where one accepts and never answers. */
const SILENT: Readonly<Record<string, () => { port: number; close(): Promise<void>; cause: RegExp }>> = {
  "is down"() {
    using closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    return {
      port: (closed.addr as Deno.NetAddr).port,
      close: () => Promise.resolve(),
      cause: /Connection refused/,
    };
  },
  hangs() {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const held: Deno.Conn[] = [];
    const accepting = (async () => {
      for await (const connection of listener) held.push(connection);
    })();
    const close = async () => {
      listener.close();
      await accepting;
      for (const connection of held) connection.close();
    };
    return { port: (listener.addr as Deno.NetAddr).port, close, cause: /^no answer within 5 s$/ };
  },
};

const CALLS = 3000;
const AT_ONCE = 20;
/** What calls cost without traces, and the runtime's queue of spans. */
const MEMORY_KB_MAX = 200 * 1024;

async function memoryOf({ pid }: { pid: number }): Promise<number> {
  return Number(/VmRSS:\s+(\d+)/.exec(await Deno.readTextFile(`/proc/${pid}/status`))![1]);
}

for (const [how, silent] of Object.entries(SILENT)) {
  Deno.test({
    name:
      `a collector that ${how} costs no call anything, keeps nothing in memory, and is one line of the log`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      const { port, close, cause } = silent();
      await using _closed = { [Symbol.asyncDispose]: close };
      await inFolder(async (folder) => {
        const env = {
          OTEL_DENO: "true",
          OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
          OTEL_METRIC_EXPORT_INTERVAL: "5000",
          RATE_LIMIT_TOKEN: "0",
        };
        await using gateway = start(folder, env);
        const { token } = await gateway.token();
        const before = await memoryOf(gateway);
        for (let nth = 0; nth < CALLS; nth += AT_ONCE) {
          const answers = await Promise.all(
            Array.from({ length: AT_ONCE }, () => gateway.call(token, "list_sites", {})),
          );
          assert.deepEqual(answers.filter(({ status }) => status !== 200), []);
        }
        const grown = await memoryOf(gateway) - before;
        assert.ok(grown < MEMORY_KB_MAX, `memory grew by ${grown} KB`);
        await until(() => Promise.resolve(gateway.logged.includes("telemetry_collector_silent")), 20_000);
        gateway.kill("SIGTERM");
        const { code, stderr } = await gateway.ended;
        assert.equal(code, 0);
        const lines = beyondFirst(stderr).trimEnd().split("\n").map((line) => JSON.parse(line));
        assert.deepEqual(lines.map(({ event }) => event), ["telemetry_collector_silent"]);
        assert.match(
          lines[0].message,
          /the collector at http:\/\/127\.0\.0\.1:\d+ does not answer; .* calls are carried out/,
        );
        assert.match(lines[0].cause, cause);
      });
    },
  });
}

Deno.test("a gateway whose runtime would send whole addresses does not start, and says what to set", async () => {
  for (
    const [env, says] of [
      [
        { OTEL_TRACES_SAMPLER: "always_on" },
        /^OTEL_DENO: the runtime's own spans hold whole addresses.*OTEL_TRACES_SAMPLER=/,
      ],
      [{ OTEL_PROPAGATORS: "tracecontext" }, /OTEL_PROPAGATORS=none/],
      [{ OTEL_TRACES_SAMPLER_ARG: "2" }, /^OTEL_TRACES_SAMPLER_ARG: "2" is no part of all calls/],
    ] as const
  ) {
    await inFolder(async (folder) => {
      await using gateway = start(folder, {
        OTEL_DENO: "true",
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
        ...env,
      });
      const { code, stderr } = await gateway.ended;
      assert.equal(code, 1);
      assert.match(stderr.replace(/^\{.*\n/gm, ""), says);
    });
  }
});
