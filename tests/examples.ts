/** The examples of docs/TOOLS.md, from a run; `deno run -A tests/examples.ts` writes them and the page. */
import assert from "node:assert/strict";
import { readConnectors } from "../registry/connectors.ts";
import { type Example, type Examples, toolsPage } from "../registry/generate_tools_page.ts";
import { scratchFolder } from "../sandbox/core/scratch.ts";
import { startDemoAccounts } from "../sandbox/demo_accounts.ts";
import { startDemoBehavior } from "../sandbox/demo_behavior.ts";
import { startCrm } from "../sandbox/highlevel/start.ts";
import { startProject } from "../sandbox/project.ts";
import { startTopicMap } from "../sandbox/topic_map/start.ts";
import { addCompanionHealth } from "../sandbox/wordpress_standin/companion.ts";
import { addCompanionFind } from "../sandbox/wordpress_standin/companion_find.ts";
import { addCompanionGuarded } from "../sandbox/wordpress_standin/companion_guarded.ts";
import { addGuardedPages } from "../sandbox/wordpress_standin/companion_guarded_pages.ts";
import { addGuardedSeo } from "../sandbox/wordpress_standin/companion_guarded_seo.ts";
import { addCompanionPages } from "../sandbox/wordpress_standin/companion_pages.ts";
import { addCompanionSchema, addGuardedSchema } from "../sandbox/wordpress_standin/companion_schema.ts";
import { addCompanionSeo } from "../sandbox/wordpress_standin/companion_seo.ts";
import { startWordPressStandIn } from "../sandbox/wordpress_standin/start.ts";
import { registerSites, startDemoBuilder } from "../sandbox/world.ts";
import type { Args } from "./cms_kit.ts";
import { callEach, type Result } from "./demo_calls.ts";
import { gateway, type Kit, type KitOptions, NOW } from "./kit.ts";

const ROOT = new URL("../", import.meta.url);
/** Where the examples are kept. */
export const EXAMPLES = new URL("docs/examples.gen.json", ROOT);

/** How much later each call is made by the examples' clock, so that deployments end and no rate is met. */
const CALL_MS = 10_000;

/** As long as the demo's hosting takes for a build, and a little more. */
export const BUILD_MS = 60_000;

/** The whole process goes by this clock until it is disposed of: some packages take no other. */
export class Clock implements Disposable {
  readonly #real = Date.now;
  time = NOW;

  constructor() {
    Date.now = () => this.time;
  }

  [Symbol.dispose](): void {
    Date.now = this.#real;
  }
}

/** A WordPress with the companion plugin, a template of the visual builder and an entry of custom schema. */
async function startSite() {
  const cms = await startWordPressStandIn();
  const { app, state } = cms;
  const report = { active: true, provider: "schemapro", entries: 1 };
  addCompanionHealth(app, state.namespaces, { version: "1.2.0", visual: true }, () => report);
  const pages = addCompanionPages(app, state);
  addGuardedPages(app, pages, addCompanionGuarded(app, state));
  const heading = { id: "0a1b2c3d", elType: "widget", settings: { title: "{{HERO_TITLE}}" }, elements: [] };
  const data = JSON.stringify([heading]);
  pages.templates.set(900, { id: 900, title: "Landing page", type: "page", data, modified: NOW });
  addGuardedSeo(app, addCompanionSeo(app, state));
  addCompanionFind(app, state);
  const schema = addCompanionSchema(app, state);
  addGuardedSchema(app, schema);
  const everywhere = { rule: ["basic-global"], specific: [] };
  schema.entries.set(10, {
    id: 10,
    title: "Organisation",
    type: "custom-markup",
    status: "draft",
    targets: { shown_on: everywhere, hidden_on: { rule: ["special-404"], specific: [] } },
    value: '{"@context":"https://schema.org","@type":"Organization","name":"Demo"}',
  });
  return cms;
}

/** The sites of the demo on stand-ins, and a gateway in memory. */
export async function openDemo(end: AsyncDisposableStack, tokens: KitOptions["tokens"] = {}) {
  const cms = end.adopt(await startSite(), (it) => it.stop());
  const folder = end.adopt(await scratchFolder("examples-"), (it) => Deno.remove(it, { recursive: true }));
  const project = end.adopt(await startProject(folder), (it) => it?.stop());
  assert.ok(project, "git is missing");
  const topics = end.adopt(startTopicMap(), (it) => it.stop());
  const { builder, section } = startDemoBuilder();
  end.defer(() => builder.stop());
  const crm = end.adopt(startCrm(), (it) => it.stop());
  const parts = [startDemoAccounts(), startDemoBehavior()];
  for (const part of parts) end.defer(() => part.stop());
  const own = { CRM_API_BASE: crm.base_url };
  const env = Object.assign({}, project.env, topics.env, builder.env, own, ...parts.map(({ env }) => env));
  const gw = end.use(
    await gateway({
      fetch: "network",
      allowPrivate: ["127.0.0.1"],
      realClock: true,
      tokens,
      settings: { upstream: env },
      http: { sleep: () => Promise.resolve() },
    }),
  );
  await registerSites(gw, cms, project, crm);
  for (const part of parts) await part.register(gw.gateway, "http://127.0.0.1:8000");
  return { gw, section, origin: cms.base_url };
}

/** Runs every call, and answers an example for each tool: the first call of it. */
export async function run(): Promise<Examples> {
  using clock = new Clock();
  await using end = new AsyncDisposableStack();
  const { gw, section, origin } = await openDemo(end);
  const found = new Map<string, Example>();
  const ask = async (tool: string, args: Args) => {
    clock.time += CALL_MS;
    return await answerOf(gw, tool, args);
  };
  await callEach(async (tool, { confirm, ...args } = {}) => {
    const first = await ask(tool, args);
    if (confirm !== true) {
      if (!found.has(tool)) found.set(tool, { args, answer: first });
      return first;
    }
    const { confirm_token } = first;
    const done = await ask(tool, { ...args, confirm, confirm_token });
    if (!found.has(tool)) found.set(tool, { args, preview: first, answer: done });
    return done;
  }, {
    section,
    now: Date.now,
    built: () => Promise.resolve(void (clock.time += BUILD_MS)),
    policy: async (id, confirm_policy) => void await gw.store.sites.update(id, { confirm_policy }),
  });
  const text = masked(JSON.stringify(Object.fromEntries([...found].map(([tool, one]) => [tool, cut(one)]))));
  return JSON.parse(text.replaceAll(origin, "https://demo.example"));
}

async function answerOf(gw: Kit, tool: string, args: Args): Promise<Result> {
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(args) };
  const { ok, result, error } = await (await gw.http(`/api/v1/tools/${tool}`, init)).json();
  assert.ok(ok, `${tool} of tests/demo_calls.ts is refused: ${error?.code}: ${error?.message}`);
  return result;
}

const TEXT_MAX = 160;
/** How many items of a list are shown, of the outermost first; deeper ones show one. */
const ITEMS_MAX = [3, 1];
const KEYS_MAX = 24;

/** A value of which long texts, lists and objects are shown in part; `depth` counts the lists around it. */
function cut(value: unknown, depth = 0): unknown {
  if (typeof value === "string") {
    return value.length > TEXT_MAX ? `${value.slice(0, TEXT_MAX).trimEnd()}…` : value;
  }
  if (Array.isArray(value)) {
    const most = ITEMS_MAX[depth] ?? 1;
    const shown = value.slice(0, most).map((one) => cut(one, depth + 1));
    return value.length > most ? [...shown, `… ${value.length - most} more`] : shown;
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const shown = entries.slice(0, KEYS_MAX).map(([key, one]) => [key, cut(one, depth)]);
  if (entries.length > KEYS_MAX) shown.push(["…", `${entries.length - KEYS_MAX} more`]);
  return Object.fromEntries(shown);
}

/** What is drawn at random, and the form of the number that stands for it. */
const RANDOM: readonly [found: RegExp, form: (number: number) => string][] = [
  [/\bcft_[\w-]{22}/g, (at) => `cft_${String(at).padStart(22, "0")}`],
  [/\brev_[0-9a-f]{22}/g, (at) => `rev_${String(at).padStart(22, "0")}`],
  [/\bmcp\/[0-9a-z]{12}\//g, (at) => `mcp/${String(at).padStart(12, "0")}/`],
  [/\b01[0-9A-HJKMNP-TV-Z]{24}\b/g, (at) => `01M7YZ${String(at).padStart(20, "0")}`],
  [
    /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g,
    (at) => `${String(at).padStart(8, "0")}-0000-4000-8000-000000000000`,
  ],
  [/(?<=\/\/)[0-9a-f]{8}(?=\.demo-site\.)/g, (at) => String(at).padStart(8, "0")],
  [/\b[0-9a-f]{40}\b/g, (at) => String(at).padStart(40, "0")],
  [/(?<=file_|\.com\/)[0-9a-f]{32}/g, (at) => String(at).padStart(32, "0")],
  [/\bloc[0-9a-f]{17}/g, (at) => `loc${String(at).padStart(17, "0")}`],
];

/** The text with the same number for the same random value throughout, counted from 1 for each kind of value. */
function masked(text: string): string {
  return RANDOM.reduce((rest, [found, form]) => {
    const numbers = new Map<string, number>();
    return rest.replaceAll(found, (value) => {
      if (!numbers.has(value)) numbers.set(value, numbers.size + 1);
      return form(numbers.get(value)!);
    });
  }, text);
}

/** The examples as they are kept: a line for each tool, by name. */
export function kept(examples: Examples): string {
  const lines = Object.keys(examples).sort().map((tool) =>
    `${JSON.stringify(tool)}: ${JSON.stringify(examples[tool])}`
  );
  return `{\n${lines.join(",\n")}\n}\n`;
}

if (import.meta.main) {
  const examples = await run();
  await Deno.writeTextFile(EXAMPLES, kept(examples));
  const connectors = await readConnectors([ROOT]);
  const page = await toolsPage(new URL("manifests/", ROOT), connectors, examples);
  await Deno.writeTextFile(new URL("docs/TOOLS.md", ROOT), page);
}
