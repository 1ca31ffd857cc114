/** What whoever watches a gateway is shown: figures of calls, upstreams, the store and jobs, and nothing that was sent. */
import assert from "node:assert/strict";
import { LIMITS } from "../../core/model.ts";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { sitesOf } from "../cms_kit.ts";
import { HangingKv, runToEnd, Ticks } from "../hanging_kv.ts";
import { gateway, type Kit, type KitOptions, MASTER, site } from "../kit.ts";
import { hasPromtool, promtool } from "../promtool.ts";

const TOKEN = "metrics-token-of-the-tests-0123456789";
const settings = { metricsToken: TOKEN };

/** Opens one that has /metrics. */
const watched = (options: KitOptions = {}) =>
  gateway({ ...options, settings: { ...settings, ...options.settings } });

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` }, as: null });

async function scrape(gw: Kit): Promise<string> {
  const response = await gw.http("/metrics", bearer(TOKEN));
  assert.equal(response.status, 200);
  assert.match(response.headers.get("content-type")!, /^text\/plain; version=0\.0\.4/);
  return await response.text();
}

/** The lines of one figure without its name, each with its value. */
function figure(text: string, name: string): Record<string, number> {
  const lines = text.split("\n").filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return Object.fromEntries(lines.map((line) => {
    const at = line.lastIndexOf(" ");
    return [line.slice(name.length, at), Number(line.slice(at))];
  }));
}

Deno.test("figures are there for the metrics token at /metrics, for the master token at /admin/metrics, and for nobody else", async () => {
  await using without = await gateway();
  assert.equal((await without.http("/metrics", bearer(TOKEN))).status, 404, "unset, there is no such page");
  const own = await without.http("/admin/metrics", bearer(MASTER));
  assert.match(await own.text(), /^# HELP gateway_calls_total /);
  await using gw = await watched();
  const asked: [string, string, number][] = [
    ["/metrics", TOKEN, 200],
    ["/metrics", `${TOKEN}x`, 401],
    ["/metrics", MASTER, 401],
    ["/metrics", gw.token(), 401],
    ["/admin/metrics", TOKEN, 401],
    ["/admin/metrics", gw.token(), 401],
    ["/admin/metrics", MASTER, 200],
  ];
  for (const [path, token, status] of asked) {
    const response = await gw.http(path, bearer(token));
    await response.body?.cancel();
    assert.equal(response.status, status, `${path} with ${token.slice(0, 9)}`);
  }
  const nobody = await gw.http("/metrics", { as: null });
  assert.deepEqual([nobody.status, nobody.headers.get("www-authenticate")], [401, 'Bearer realm="metrics"']);
  await nobody.body?.cancel();
});

Deno.test("who guesses the metrics token is counted as with any other, and the right one passes all the same", async () => {
  await using gw = await watched();
  const ask = async (token: string) => {
    const response = await gw.http("/metrics", bearer(token));
    await response.body?.cancel();
    return [response.status, response.headers.get("retry-after") !== null];
  };
  for (let at = 0; at < LIMITS.WRONG_TOKENS_PER_MINUTE; at++) {
    assert.deepEqual(await ask(`guess-${at}`), [401, false]);
  }
  assert.deepEqual(await ask("guess"), [429, true]);
  assert.deepEqual(await ask(TOKEN), [200, false]);
  await gw.gateway.counted.flush();
  const [row, ...more] = (await gw.audit()).filter(({ tool }) => tool === "token.refused");
  assert.deepEqual([(row?.arguments as { count: number }).count, more], [
    LIMITS.WRONG_TOKENS_PER_MINUTE + 1,
    [],
  ]);
});

Deno.test("calls are counted by tool, site, client and what came of them, a caller's mistake apart from a failure of ours", async () => {
  await using cms = await startWordPressStandIn();
  await using gw = await watched({
    fetch: "network",
    allowPrivate: ["127.0.0.1"],
    sites: sitesOf(cms),
    tokens: { reader: { max_risk: 0 } },
  });
  const secret = "a-title-that-nobody-may-read";
  const draft = { site_id: "acme", title: secret, content_html: "<p>x</p>" };
  await gw.call("list_drafts", { site_id: "acme" });
  await gw.call("list_drafts", { site_id: "acme" }, { door: "mcp" });
  await gw.call("create_draft", draft);
  await gw.call("create_draft", { ...draft, confirm: true }, { key: "k" });
  await gw.call("create_draft", { ...draft, confirm: true }, { key: "k" });
  await gw.end("create_draft", { site_id: "acme", titel: secret });
  await gw.end("create_draft", draft, { as: "reader" });
  for (const made of ["up", "by", secret]) await gw.end(`made_${made}`, {});
  await gw.end("list_drafts", { site_id: "nowhere" });
  const text = await scrape(gw);
  assert.deepEqual(figure(text, "gateway_calls_total"), {
    '{tool="list_drafts",door="rest",result="ok"}': 1,
    '{tool="list_drafts",door="mcp",result="ok"}': 1,
    '{tool="create_draft",door="rest",result="preview"}': 1,
    '{tool="create_draft",door="rest",result="ok"}': 1,
    '{tool="create_draft",door="rest",result="repeated"}': 1,
    '{tool="create_draft",door="rest",result="caller"}': 1,
    '{tool="create_draft",door="rest",result="policy"}': 1,
    '{tool="unknown",door="rest",result="caller"}': 3,
    '{tool="list_drafts",door="rest",result="caller"}': 1,
  });
  const refusals = figure(text, "gateway_call_refusals_total");
  assert.equal(refusals['{tool="create_draft",code="E_BAD_INPUT",class="caller"}'], 1);
  assert.equal(refusals['{tool="create_draft",code="E_SCOPE_DENIED",class="policy"}'], 1);
  assert.equal(refusals['{tool="unknown",code="E_TOOL_NOT_FOUND",class="caller"}'], 3);
  const bySite = figure(text, "gateway_site_calls_total");
  assert.deepEqual([bySite['{site="acme",result="ok"}'], bySite['{site="unknown",result="caller"}']], [3, 5]);
  const ids = new Set((await gw.audit()).map(({ token_id }) => token_id));
  for (const id of ids) assert.ok(text.includes(`gateway_client_calls_total{client="${id}"`), id);
  assert.equal(figure(text, "gateway_call_duration_seconds_count")['{tool="list_drafts"}'], 3);
  const upstream = figure(text, "gateway_upstream_requests_total");
  assert.ok(upstream['{platform="wordpress",result="2xx"}']! > 0, JSON.stringify(upstream));
  for (const  of of["commit", "read"]) {
    assert.ok(figure(text, `gateway_store_${of}_duration_seconds_count`)[""]! > 0, of);
  }
  for (const hidden of [secret, "made_up", gw.token(), gw.token("reader"), "titel", "nowhere"]) {
    assert.ok(!text.includes(hidden), hidden);
  }
});

Deno.test("a request without a token, and a body that cannot be read, are counted at their door", async () => {
  await using gw = await watched();
  for (const path of ["/api/v1/tools/list_sites", "/mcp"]) {
    const sent = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    await (await gw.http(path, { ...sent, as: null })).body?.cancel();
  }
  await (await gw.http("/api/v1/tools/list_sites", { method: "POST", body: "{" })).body?.cancel();
  const text = await scrape(gw);
  assert.deepEqual(figure(text, "gateway_requests_refused_total"), {
    '{door="rest",code="E_AUTH",class="caller"}': 1,
    '{door="mcp",code="E_AUTH",class="caller"}': 1,
  });
  const known = '{tool="list_sites",code="E_BAD_JSON",class="caller"}';
  assert.deepEqual(figure(text, "gateway_call_refusals_total"), { [known]: 1 });
});

Deno.test("what fails at an upstream is told apart by how", async () => {
  const answers: (() => Response | Promise<Response>)[] = [
    () => new Response("{}", { status: 500 }),
    () => new Response("{}", { status: 429 }),
    () => Promise.reject(new Error("connection refused")),
  ];
  for (const [nth, result] of ["5xx", "429", "no_answer"].entries()) {
    await using gw = await watched({
      sites: [site("acme", "cms")],
      allowPrivate: ["acme.example"],
      fetch: () => Promise.resolve(answers[nth]!()),
      http: { sleep: () => Promise.resolve() },
    });
    assert.equal((await gw.end("list_drafts", { site_id: "acme" }) as { code: string }).code, "E_UPSTREAM");
    const text = await scrape(gw);
    assert.ok(
      figure(text, "gateway_upstream_requests_total")[`{platform="wordpress",result="${result}"}`]! > 0,
      text,
    );
    assert.equal(
      figure(text, "gateway_call_refusals_total")['{tool="list_drafts",code="E_UPSTREAM",class="upstream"}'],
      1,
    );
  }
});

Deno.test("what waits and what is wrong shows: jobs, doubts, approvals, the audit's lag, memory", async () => {
  await using gw = await watched();
  await gw.gateway.retention.run();
  const text = await scrape(gw);
  assert.deepEqual(
    figure(text, "gateway_ready"),
    Object.fromEntries(
      ["store", "keys", "audit", "jobs"].map((check) => [`{check="${check}"}`, 1]),
    ),
  );
  const now = gw.clock.now / 1000;
  const job = '{task="audit retention"}';
  for (const last of ["last_run", "last_success"]) {
    assert.equal(figure(text, `gateway_job_${last}_timestamp_seconds`)[job], now);
  }
  assert.equal(figure(text, "gateway_job_failing")[job], 0);
  assert.deepEqual(figure(text, "gateway_writes_in_doubt"), {
    '{state="unknown"}': 0,
    '{state="under_way"}': 0,
  });
  assert.deepEqual(figure(text, "gateway_approvals_waiting"), { "": 0 });
  assert.deepEqual(figure(text, "gateway_audit_rows_waiting"), { "": 0 });
  assert.ok(figure(text, "process_resident_memory_bytes")[""]! > 1e6);
});

Deno.test("while the store hangs figures are answered, with how old those of the store are", async () => {
  const [hanging, ticks] = [new HangingKv(), new Ticks()];
  await using gw = await watched({ storage: { clock: ticks, around: (kv) => hanging.around(kv) } });
  await using _answers = { [Symbol.asyncDispose]: () => hanging.answer() };
  await scrape(gw);
  await ticks.pass(20_000);
  hanging.hang();
  const { value: text } = await runToEnd(ticks, scrape(gw));
  assert.equal(figure(text, "gateway_ready")['{check="store"}'], 0);
  assert.ok(figure(text, "gateway_store_figures_age_seconds")[""]! >= 20);
  assert.deepEqual(figure(text, "gateway_approvals_waiting"), { "": 0 });
});

Deno.test({
  name: "Prometheus reads all of it, and finds nothing to say of names and units",
  ignore: !hasPromtool,
  async fn() {
    await using cms = await startWordPressStandIn();
    await using gw = await watched({ fetch: "network", allowPrivate: ["127.0.0.1"], sites: sitesOf(cms) });
    await gw.call("list_drafts", { site_id: "acme" });
    await gw.end("create_draft", { site_id: "acme" });
    await gw.gateway.retention.run();
    const text = await scrape(gw);
    assert.deepEqual(await promtool(["check", "metrics"], text), { code: 0, said: "" });
  },
});
