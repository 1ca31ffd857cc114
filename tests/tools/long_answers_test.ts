/** Answers of reads over 2 KB, of all that the demo is asked: each can be asked for in parts, and none says a thing twice. */
import assert from "node:assert/strict";
import { summaryOf } from "../../core/answer_parts.ts";
import { takesParts, writes } from "../../registry/manifest.ts";
import { loadTools } from "../../registry/load.ts";
import { CONNECTORS } from "../connectors.ts";
import { callEach } from "../demo_calls.ts";
import { BUILD_MS, Clock, openDemo } from "../examples.ts";
import type { Args } from "../cms_kit.ts";

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

Deno.test("every long answer of a read can be asked for in parts, is much shorter in summary, and says nothing twice", async () => {
  using clock = new Clock();
  await using end = new AsyncDisposableStack();
  const { gw, section } = await openDemo(end);
  const faults: string[] = [];
  const long = new Map<string, number>();
  await callEach(async (tool, args: Args = {}) => {
    clock.time += 10_000;
    const answer = await gw.call<Args>(tool, args);
    const manifest = TOOLS.get(tool)?.manifest;
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
  assert.deepEqual(faults, []);
  assert.ok(long.size >= 10, JSON.stringify([...long]));
});
