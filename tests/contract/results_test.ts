/** Every tool says what it answers, in its manifest; that its answers are so every test with a gateway holds. */
import assert from "node:assert/strict";
import { answerSchema, outputSchema } from "../../registry/answers.ts";
import type { Schema } from "../../registry/dialect.ts";
import { loadTools } from "../../registry/load.ts";
import { writes } from "../../registry/manifest.ts";
import { CONNECTORS } from "../connectors.ts";

const ROOT = new URL("../../", import.meta.url);
const TOOLS = [...(await loadTools({ roots: [ROOT], known: CONNECTORS })).values()];

/** Tools whose answers nothing describes yet. No name may be added. */
const UNDESCRIBED: readonly string[] = [];

/** Tools whose answers are no object, with the reason; over MCP they have no structured content. */
const NO_OBJECT: Readonly<Record<string, string>> = {
  call_read_tool: "answers what another tool answers",
  call_write_tool: "answers what another tool answers",
  read_sheet: "answers rows of cells, as the specification says",
};

Deno.test("every tool says in its manifest what it answers", () => {
  const silent = TOOLS.filter(({ manifest }) => manifest.result === undefined).map(({ name }) => name);
  assert.deepEqual(silent, UNDESCRIBED);
});

Deno.test("every answer is an object for clients of MCP, but where the reason is known", () => {
  const others = TOOLS.filter(({ manifest }) => outputSchema(manifest) === null).map(({ name }) => name);
  assert.deepEqual(others, Object.keys(NO_OBJECT));
});

/** Parts of which nothing is known, by their paths, without a word of what they are. */
function silentParts(schema: Schema, at: string): string[] {
  const { type, description, properties, items, anyOf, additionalProperties: extra } = schema;
  const says = description !== undefined;
  if (anyOf) return anyOf.flatMap((one) => silentParts(one, at));
  const below = [
    ...Object.entries(properties ?? {}).flatMap(([name, one]) => silentParts(one, `${at}.${name}`)),
    ...(items ? silentParts(items, `${at}[]`) : []),
    ...(typeof extra === "object" ? silentParts(extra, `${at}.*`) : []),
  ];
  const isOpen = type === undefined || type === "object" && extra === true || type === "array" && !items;
  return isOpen && !says ? [at, ...below] : below;
}

Deno.test("a part of an answer that is anything says whose data it is", () => {
  assert.deepEqual(TOOLS.flatMap(({ name, manifest }) => silentParts(answerSchema(manifest)!, name)), []);
});

Deno.test("a write answers a preview or a result with its proof, a read its result alone", () => {
  for (const { name, manifest } of TOOLS) {
    const schema = answerSchema(manifest)!;
    const ways = schema.anyOf ?? [schema];
    const previews = ways.filter(({ properties }) => properties?.["confirm_token"] !== undefined);
    const proven = ways.filter(({ required }) => required?.includes("verified"));
    if (manifest.forwards !== undefined) continue;
    assert.equal(previews.length > 0, writes(manifest) || name === "get_change_set", name);
    if (manifest.tier === 0) assert.equal(proven.length, 0, name);
    else {
      const mayWait = ["prepare_changes", "replace_text"].includes(name);
      assert.equal(proven.length > 0, !mayWait, name);
    }
  }
});
