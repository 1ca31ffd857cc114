/** What a write answers beside its result: of tools whose types nobody checked, of sites' own, and of large answers. */
import assert from "node:assert/strict";
import { Content } from "../../core/content.ts";
import { repeatable } from "../../guard/consent/repeated.ts";
import { LIMITS } from "../../core/model.ts";
import { compared, onlyRead, unverified, verified, WriteResult } from "../../registry/tool.ts";
import { ChangingSource, offer } from "../changing_source.ts";
import { DOORS } from "../cms_kit.ts";
import { handler, manifest, withFiles } from "../e2e/dropped.ts";
import { gateway, site } from "../kit.ts";
import { parted } from "../proof.ts";

const SILENT = "The tool does not say whether the site holds what was asked for";
const SITES = [site("acme", "cms")];
const CALL = { site_id: "acme", confirm: true };

/** A folder with one tool of tier 1 whose run is that text, tried through both doors. */
async function dropped(run: string, tier: string, work: (answer: unknown) => void): Promise<void> {
  const parts = `{ plan: () => Promise.resolve({ summary: "-", changes: [] }), run: ${run} }`;
  const files = {
    "manifests/own/try_it.yaml": manifest("try_it", `tier: ${tier}`, "input: {}"),
    "tools/own/try_it.ts": handler("try_it", parts),
  };
  await withFiles(files, async (root) => {
    await using gw = await gateway({ roots: [root], sites: SITES });
    for (const door of DOORS) work(await gw.call("try_it", CALL, { door }));
  });
}

Deno.test("a tool dropped in that does not say what it proved has written all the same, and is reported as such", async () => {
  await dropped(
    "() => ({ id: 7, warnings: ['Mind it', 3], verified: true, request_id: 'x' })",
    "T1",
    (answer) => {
      const { done, proof } = parted(answer);
      assert.deepEqual(done, { id: 7 });
      assert.deepEqual([proof.verified, proof.verified_reason, proof.warnings], [null, SILENT, ["Mind it"]]);
    },
  );
});

Deno.test("what such a tool answers that is no object stands under value", async () => {
  for (const [text, value] of [["'done'", "done"], ["null", null], ["undefined", null], ["[1, 2]", [1, 2]]]) {
    await dropped(`() => (${text})`, "T1", (answer) => {
      const { done, proof } = parted(answer);
      assert.deepEqual([done, proof.verified_reason], [{ value }, SILENT], String(text));
    });
  }
});

Deno.test("a tool that reads answers its own result alone", async () => {
  await dropped("() => ({ id: 7, warnings: ['Mind it'] })", "T0", (answer) => {
    assert.deepEqual(answer, { id: 7, warnings: ["Mind it"] });
  });
});

Deno.test("a site's own tool that writes is unproven where it does not say; of its content the items go on as they came", async () => {
  const items = [{ type: "text", text: "One" }, { type: "text", text: "Two" }];
  const answers = {
    object: { id: 7, warnings: ["theirs"], verified: true },
    text: "Done",
    content: new Content(items),
  };
  const tools = Object.entries(answers).map(([name, answer]) =>
    offer(`shop-${name}`, ["acme"], { writes: true, run: () => answer })
  );
  await using gw = await gateway({ sites: SITES, sources: [new ChangingSource(...tools)] });
  for (const door of DOORS) {
    for (const [tool, answer] of [["shop-object", answers.object], ["shop-text", "Done"]] as const) {
      const { done, proof } = await gw.proven(tool, { site_id: "acme" }, { door });
      assert.deepEqual([done, proof.verified], [answer, null]);
      assert.match(proof.verified_reason!, /^The site's own tool does not say/);
    }
  }
  const { done, proof } = await gw.proven("shop-content", { site_id: "acme" });
  assert.deepEqual([done, proof.verified], [items, null]);
  const params = { name: "shop-content", arguments: { site_id: "acme" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const headers = { "content-type": "application/json" };
  const { result } = await (await gw.http("/mcp", { method: "POST", headers, body })).json();
  assert.deepEqual([result.content, "structuredContent" in result], [items, false]);
  assert.equal(parted(result._meta).proof.verified, null);
});

Deno.test("differences make a write unverified before anything else, and stand before other warnings", () => {
  const json = (result: unknown) => JSON.parse(JSON.stringify(result));
  assert.deepEqual(json(verified({ id: 1 })), { id: 1, verified: true, warnings: [] });
  assert.deepEqual(
    json(unverified("It is hidden", { id: 1 }, ["a"])),
    { id: 1, verified: null, verified_reason: "It is hidden", warnings: ["a"] },
  );
  const found = { id: 1, differences: ["title: b"], warnings: ["a"], uncompared: "It is hidden" };
  assert.deepEqual(json(compared(found)), { id: 1, verified: false, warnings: ["title: b", "a"] });
  assert.deepEqual(
    json(compared({ ...found, differences: [] })),
    { id: 1, verified: null, verified_reason: "It is hidden", warnings: ["a"] },
  );
  assert.ok(!(onlyRead({ id: 1 }) instanceof WriteResult));
});

Deno.test("an answer too large to keep keeps what was proven of it, and fits", () => {
  const large = "x".repeat(LIMITS.REPEATED_ANSWER_BYTES);
  const warnings = Array.from({ length: 200 }, (_, n) => `${n}: ${"ä".repeat(2000)}`);
  const proof = { verified: null, verified_reason: "It is hidden", request_id: "01" };
  const kept = repeatable({ value: { id: 7, html: large, ...proof, warnings } });
  const value = kept.value as Record<string, unknown>;
  assert.deepEqual(
    [value.id, value.verified, value.verified_reason, value.request_id, "html" in value],
    [7, null, "It is hidden", "01", false],
  );
  assert.match((value.warnings as string[])[0]!, /^0: ä+$/);
  assert.match(String(value.note), /bytes and was not kept whole/);
  const bytes = new TextEncoder().encode(JSON.stringify(kept)).byteLength;
  assert.ok(bytes <= LIMITS.REPEATED_ANSWER_BYTES, `${bytes} bytes`);
});
