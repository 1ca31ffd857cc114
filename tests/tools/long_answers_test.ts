/** Answers of all that the demo is asked: reads over 2 KB come in parts and say nothing twice, and agents read each in its budget. */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import { pathOf, picked, summaryOf } from "../../core/answer_parts.ts";
import { lean } from "../../guard/lean/lean.ts";
import { takesParts, writes } from "../../registry/manifest.ts";
import { loadTools } from "../../registry/load.ts";
import { CONNECTORS } from "../connectors.ts";
import { callEach } from "../demo_calls.ts";
import { BUILD_MS, Clock, openDemo } from "../examples.ts";
import type { Args } from "../cms_kit.ts";
import { encode } from "../packages/tokens.ts";

const TOOLS = await loadTools({ roots: [new URL("../../", import.meta.url)], known: CONNECTORS });
const LONG = 2048;
/** A text of so many characters that stands in an answer twice is noise. */
const NOISE = 200;

/** Long texts of an answer by where they stand. */
function* textsOf(value: unknown, at = ""): Generator<[string, string]> {
  if (typeof value === "string") yield [at, value];
  else if (typeof value === "object" && value !== null) {
    for (const [name, one] of Object.entries(value)) yield* textsOf(one, `${at}.${name}`);
  }
}

/** What of an answer is said twice, or says nothing. */
function noiseOf(answer: unknown): string[] {
  const seen = new Map<string, string>();
  const found: string[] = [];
  for (const [at, text] of textsOf(answer)) {
    if (text.length < NOISE) continue;
    if (seen.has(text)) found.push(`${at} is ${seen.get(text)} again`);
    seen.set(text, at);
    const isJson = text.startsWith("{") || text.startsWith("[");
    if (isJson && JSON.stringify(answer).includes(text)) found.push(`${at} is JSON that stands beside it`);
  }
  return found;
}

type Budgets = Readonly<Record<"answers" | "previews", Readonly<Record<string, number>>>>;
const BUDGETS = load(
  await Deno.readTextFile(new URL("../golden/answers.yaml", import.meta.url)),
) as Budgets;

/** What of an answer an agent reads, in tokens; what is wrong with that is added to the faults. */
function leanTokens(tool: string, answer: unknown, args: Args, faults: string[]): number {
  const { manifest } = TOOLS.get(tool)!;
  const told = lean(answer, manifest, args);
  const tokens = encode(JSON.stringify(told)).length;
  if (tokens > encode(JSON.stringify(answer)).length) faults.push(`${tool}: more than the whole answer`);
  const left = (manifest.aside ?? []).filter((path) => picked(answer, [pathOf(path)!]).missing.length === 0);
  const named = JSON.stringify(told).includes("with_fields");
  if (left.length > 0 && !named && !("fields" in args || "summary" in args)) {
    faults.push(`${tool}: does not say that it leaves out ${left}`);
  }
  return tokens;
}

Deno.test("every long answer of a read can be asked for in parts, is much shorter in summary, and says nothing twice; agents read it in its budget", async () => {
  using clock = new Clock();
  await using end = new AsyncDisposableStack();
  const { gw, section } = await openDemo(end);
  const faults: string[] = [];
  const long = new Map<string, number>();
  const most = { answers: new Map<string, number>(), previews: new Map<string, number>() };
  const note = (kind: keyof Budgets, tool: string, tokens: number) =>
    most[kind].set(tool, Math.max(tokens, most[kind].get(tool) ?? 0));
  await callEach(async (tool, args: Args = {}) => {
    clock.time += 10_000;
    const manifest = TOOLS.get(tool)?.manifest;
    if (Object.hasOwn(BUDGETS.previews, tool) && args["confirm"] === true) {
      const asked = { ...args, confirm: false };
      note("previews", tool, leanTokens(tool, await gw.call<Args>(tool, asked), asked, faults));
      clock.time += 10_000;
    }
    const answer = await gw.call<Args>(tool, args);
    if (manifest !== undefined && answer["needs_confirmation"] !== true) {
      note("answers", tool, leanTokens(tool, answer, args, faults));
    }
    const size = JSON.stringify(answer).length;
    if (manifest === undefined || writes(manifest) || size <= LONG || long.has(tool)) return answer;
    long.set(tool, size);
    if (!takesParts(manifest)) {
      faults.push(`${tool}: ${size} characters, and no parts`);
      return answer;
    }
    faults.push(...noiseOf(answer).map((one) => `${tool}: ${one}`));
    clock.time += 10_000;
    const own = manifest.input.properties ?? {};
    const begun = await gw.call<Args>(tool, { ...args, summary: true });
    const { shortened: _, read_on: __, ...rest } = begun;
    const isLess = JSON.stringify(rest).length < size;
    const isTold = "shortened" in begun || summaryOf(answer).left.length === 0;
    const isFit = "shortened" in begun ? isLess : "summary" in own || isTold;
    if (!isFit) {
      faults.push(`${tool}: summary is no less, or does not say what it left out`);
    }
    if ("fields" in own) return answer;
    const [first] = Object.keys(answer);
    const part = await gw.call<Args>(tool, { ...args, fields: first });
    if (Object.keys(part).join() !== first) {
      faults.push(`${tool}: fields ${first} answers ${Object.keys(part)}`);
    }
    return answer;
  }, {
    section,
    now: Date.now,
    built: () => Promise.resolve(void (clock.time += BUILD_MS)),
    policy: async (id, confirm_policy) => void await gw.store.sites.update(id, { confirm_policy }),
  });
  for (const kind of ["answers", "previews"] as const) {
    for (const [tool, tokens] of Object.entries(BUDGETS[kind])) {
      const found = most[kind].get(tool);
      if (found === undefined || found > tokens) {
        faults.push(`${kind}: ${tool} is ${found} tokens, not ${tokens}`);
      }
    }
  }
  assert.deepEqual(faults, []);
  assert.ok(long.size >= 10, JSON.stringify([...long]));
});
