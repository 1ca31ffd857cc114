/** Mistakes of models and developers: each is refused with nothing sent, and the one call that its answer leads to goes well. */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import { PNG } from "../cms_kit.ts";
import { endingOf } from "../endings.ts";
import { Clock, openDemo } from "../examples.ts";
import type { Kit } from "../kit.ts";
import { CUT_MARK } from "../../core/answer_parts.ts";

interface Asked {
  readonly tool: string;
  readonly args: unknown;
  readonly address?: string;
  readonly token?: string;
}

interface Row extends Asked {
  readonly mistake: string;
  readonly wants: string;
  readonly origin?: "code";
  readonly door?: "rest" | "mcp";
  readonly code?: string;
  readonly says: readonly string[];
  readonly sends?: "reads";
  readonly then: Asked;
}

/** How much later each call is made, so that no rate is met. */
const CALL_MS = 10_000;
const FROM_DOCS_MIN = 50;
const ROWS_MIN = 80;

async function rows(): Promise<readonly Row[]> {
  const text = await Deno.readTextFile(new URL("../golden/mistakes.yaml", import.meta.url));
  return (load(text) as { readonly mistakes: readonly Row[] }).mistakes;
}

/** The code of the answer, null where it is none of a refusal, and its words. */
async function ask(
  gw: Kit,
  { tool, args, address, token }: Asked,
  door: "rest" | "mcp",
): Promise<{ readonly code: string | null; readonly said: string }> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (token === "expired") headers["authorization"] = "Bearer site-ops-of-yesterday";
  const post = (path: string, body: unknown) =>
    gw.http(path, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      ...token !== undefined && token !== "expired" && { as: token },
    });
  const response = door === "rest"
    ? await post(`/api/v1/tools/${tool}`, args)
    : await post(address ?? "/mcp", {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: tool, arguments: args },
    });
  const { error } = await response.clone().json();
  if (error !== undefined) {
    const code = error.data?.code ?? error.code;
    return { code: String(code), said: error.message };
  }
  const ending = await endingOf(door, response);
  if ("code" in ending) return { code: ending.code, said: ending.message };
  return { code: null, said: JSON.stringify(ending.value) };
}

/** Makes what the calls are about; answers what stands for what in the rows. */
async function contents(gw: Kit): Promise<Record<string, unknown>> {
  const site_id = "demo-live";
  const write = async (tool: string, args: Record<string, unknown>) =>
    (await gw.call<{ id: number }>(tool, { site_id, ...args, confirm: true })).id;
  const text = { content_html: "<p>Twice a year.</p>" };
  const draft = await write("create_draft", { title: "Clean your gutters", ...text });
  const live = await write("create_draft", { title: "Roofs", ...text });
  await write("publish_post", { post_id: live });
  const scheduled = await write("create_draft", { title: "Winter", ...text });
  await write("schedule_draft", { post_id: scheduled, scheduled_at: "2026-12-24T09:00:00Z" });
  const page = await write("create_page_draft", { title: "About us", ...text });
  const live_page = await write("create_page_draft", { title: "Contact", ...text });
  await write("publish_page", { page_id: live_page });
  const project = { site_id: "demo-static", homepage_html: "<h1>Demo</h1>", confirm: true };
  await gw.call("init_static_project", project);
  const other = { site_id, title: "Tokens", ...text };
  const { confirm_token: token } = await gw.call<{ confirm_token: string }>("create_draft", other);
  const more = { png: PNG, 600: "Roof ".repeat(120), cut: `<p>Twice${CUT_MARK}` };
  return { draft, live, scheduled, page, live_page, token, ...more };
}

/** With what stands for something replaced by it; a whole text that does becomes the id itself. */
function filled<T>(value: T, by: Readonly<Record<string, unknown>>): T {
  return JSON.parse(JSON.stringify(value), (_, one) => {
    if (typeof one !== "string") return one;
    const whole = Object.entries(by).find(([name]) => one === `{${name}}`);
    if (whole) return whole[1];
    return Object.entries(by).reduce((text, [name, its]) => text.replaceAll(`{${name}}`, String(its)), one);
  });
}

/** What is wrong with the row, in words. */
async function faultsOf(gw: Kit, row: Row): Promise<string[]> {
  const found: string[] = [];
  for (const door of row.door ? [row.door] : ["rest", "mcp"] as const) {
    const before = gw.requests.length;
    const { code, said } = await ask(gw, row, door);
    const sent = gw.requests.slice(before);
    if (code !== (row.code ?? null)) found.push(`${door}: ended as ${code}: ${said.slice(0, 300)}`);
    const unsaid = row.says.filter((words) =>
      !said.includes(words) && !said.includes(JSON.stringify(words).slice(1, -1))
    );
    if (unsaid.length > 0) found.push(`${door}: does not say ${JSON.stringify(unsaid)}: ${said.slice(-600)}`);
    if (said.includes(" at file:") || said.includes(".ts:")) found.push(`${door}: a stack trace: ${said}`);
    const isQuiet = sent.every(({ method }) => row.sends === "reads" && method === "GET");
    if (!isQuiet) found.push(`${door}: sent ${sent.map(({ method, url }) => `${method} ${url}`).join(", ")}`);
  }
  const { code, said } = await ask(gw, row.then, row.door ?? "mcp");
  if (code !== null) found.push(`then ${row.then.tool}: ${code}: ${said.slice(0, 300)}`);
  return found.map((one) => `${row.mistake}: ${one}`);
}

Deno.test("every mistake is answered so that the next call goes well", async () => {
  using clock = new Clock();
  await using end = new AsyncDisposableStack();
  const { gw } = await openDemo(end, { static: { allowed_sites: ["demo-static"] } });
  const by = await contents(gw);
  const all = await rows();
  assert.ok(all.length >= ROWS_MIN, "there are as many as was meant");
  assert.ok(
    all.filter(({ origin }) => origin === undefined).length >= FROM_DOCS_MIN,
    "most are of no reader of the code",
  );
  assert.equal(new Set(all.map(({ mistake }) => mistake)).size, all.length, "each is another one");
  const found: string[] = [];
  for (const row of all) {
    clock.time += CALL_MS;
    found.push(...await faultsOf(gw, filled(row, by)));
  }
  assert.deepEqual(found, []);
});
