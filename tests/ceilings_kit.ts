/** Trying what a risk ceiling permits: a sentence holds from its ceiling on, and not one below. */
import assert from "node:assert/strict";
import { CEILINGS } from "../admin/ceilings.ts";
import type { Args } from "./cms_kit.ts";
import type { Kit } from "./kit.ts";

/** A call that a sentence permits. */
export type Call = readonly [tool: string, args: Args];
/** What is tried for a sentence, by its first words. */
export type Tries = Readonly<Record<string, readonly Call[]>>;

/** Every ceiling. */
export const RISKS = [0, 1, 2, 3, 4] as const;
/** Tokens of every ceiling, called at0 to at4. */
export const tokens = Object.fromEntries(RISKS.map((max_risk) => [`at${max_risk}`, { max_risk }]));
/** The sentences, and the tools, that were tried so far. */
export const tried = new Set<string>();
export const triedTools = new Set<string>();

/** The sentence that begins so, and the ceiling it stands under. */
export function sentenceOf(start: string): { sentence: string; ceiling: number } {
  const found = CEILINGS.flatMap((all, ceiling) => all.map((sentence) => ({ sentence, ceiling })))
    .filter(({ sentence }) => sentence.startsWith(start));
  assert.equal(found.length, 1, `one sentence begins with "${start}"`);
  return found[0]!;
}

/** Makes the calls of each sentence with a token of every ceiling. Fails where one below is not refused. */
export async function hold(gw: Kit, tries: Tries): Promise<void> {
  for (const [start, calls] of Object.entries(tries)) {
    const { sentence, ceiling } = sentenceOf(start);
    tried.add(sentence);
    for (const [tool, args] of calls) {
      triedTools.add(tool);
      for (const risk of RISKS) {
        const what = `${sentence} ${tool} at ${risk}`;
        const ending = await gw.end(tool, args, { as: `at${risk}` });
        if (risk >= ceiling) {
          assert.ok("value" in ending, `${what}: ${JSON.stringify(ending)}`);
          continue;
        }
        assert.ok("code" in ending && ending.code === "E_SCOPE_DENIED", `${what}: ${JSON.stringify(ending)}`);
        assert.match(ending.message, new RegExp(`max_risk is ${risk}`), what);
        assert.equal((await gw.audit())[0]?.status, "risk_capped", what);
      }
    }
  }
}
