/** The answer of a site's own tool given again: in the same words, and said to be the site's as the first time. */
import assert from "node:assert/strict";
import { repeatable, repeated } from "../../guard/consent/repeated.ts";
import { Content } from "../../core/content.ts";
import { LIMITS } from "../../core/model.ts";
import { mcpResult } from "../endings.ts";
import { ADD, add, type Args, says, type World, world } from "./_proxied.ts";

const KEYED = { "site-operations/idempotency-key": "k" };

/** What a call under a key answers over MCP. */
const keyed = ({ gw }: World, args: Args) => mcpResult(gw, ADD, args, KEYED);

Deno.test("what a site's own tool answered is said to be its words when it is answered again", async () => {
  for (
    const answer of [
      { element_id: "e1" },
      "plain words",
      { needs_confirmation: true, confirm_token: "cft_x", element_id: "e1" },
    ]
  ) {
    await using at = await world();
    at.servers.answers.set("emcp-tools-add-free-widget", () => says(answer));
    const args = add(at.page("draft"));
    const [first, again] = [await keyed(at, args), await keyed(at, args)];
    assert.equal(at.servers.writes.length, 1);
    assert.equal(again._meta["site-operations/answered-by"], "site");
    const [said, anew] = [first, again].map(({ _meta }) => _meta) as [Args, Args];
    const own = { "site-operations/request-id": anew["site-operations/request-id"] };
    assert.deepEqual(anew, { ...said, ...own, replayed: true });
    assert.deepEqual(again.content[0], first.content[0]);
    assert.deepEqual(again.structuredContent, first.structuredContent);
    const headers = { "content-type": "application/json", "idempotency-key": "k" };
    const init = { method: "POST", headers, body: JSON.stringify(args) };
    const over = await at.gw.http(`/api/v1/tools/${ADD}`, init);
    assert.equal(over.headers.get("idempotent-replayed"), "true");
    const { ok: _, result, answered_by: __, ...beside } = await over.json();
    const { text } = again.content[0]!;
    assert.deepEqual(
      result,
      typeof answer === "string" ? text : JSON.parse(text),
      "the same over the other door",
    );
    const { "site-operations/request-id": ___, "site-operations/answered-by": ____, ...meta }: Args =
      again._meta;
    assert.deepEqual(beside, meta);
  }
});

Deno.test("of an answer too large to keep, ids and the proof are answered again, as the site's words", async () => {
  await using at = await world();
  const text = "x".repeat(LIMITS.REPEATED_ANSWER_BYTES);
  at.servers.answers.set("emcp-tools-add-free-widget", () => says({ post_id: 7, text }));
  const args = add(at.page("draft"));
  const [first, again] = [await keyed(at, args), await keyed(at, args)];
  assert.equal(again._meta["site-operations/answered-by"], "site");
  const own = JSON.parse(again.content[0]!.text);
  assert.deepEqual(own, { post_id: 7 });
  const proof = again._meta;
  assert.deepEqual(
    [proof["verified"], proof["request_id"], proof["replayed"]],
    [first._meta["verified"], first._meta["request_id"], true],
  );
  assert.match(
    (proof["warnings"] as string[]).at(-1)!,
    /^The first answer had \d+ bytes and was not kept whole/,
  );
});

Deno.test("of an answer whose ids are too large to keep, the proof is kept, and fits", () => {
  const large = '"'.repeat(LIMITS.REPEATED_ANSWER_BYTES / 2);
  for (const warnings of [[], Array.from({ length: 200 }, () => "\\u0001".repeat(2000))]) {
    const answer = { post_id: 7, url: large, id: large, text: large };
    const proof = { verified: false, warnings, request_id: "01" };
    const kept = repeatable({
      value: new Content([{ type: "text", text: JSON.stringify(answer) }], undefined, proof),
    });
    const bytes = new TextEncoder().encode(JSON.stringify(kept)).byteLength;
    assert.ok(bytes <= LIMITS.REPEATED_ANSWER_BYTES, `${bytes} bytes`);
    const again = JSON.parse(JSON.stringify(repeated(kept, "01").value)) as Args;
    assert.deepEqual([again["verified"], again["request_id"], again["replayed"]], [false, "01", true]);
  }
});
