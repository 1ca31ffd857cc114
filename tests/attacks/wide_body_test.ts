/** A body as wide as it may be costs the gateway no more than reading it. */
import assert from "node:assert/strict";
import { loadTools } from "../../registry/load.ts";
import { shorten } from "../../guard/audit/redact.ts";
import { GatewayError } from "../../core/errors.ts";
import { CONNECTORS } from "../connectors.ts";

const tools = await loadTools({ roots: [new URL("../../", import.meta.url)], known: CONNECTORS });
const { check } = tools.get("create_draft")!;

const RUNS = 12;

/** The shortest of many runs, for what else the machine does is no matter. */
function milliseconds(work: () => void): number {
  const runs = Array.from({ length: RUNS }, () => {
    const began = performance.now();
    work();
    return performance.now() - began;
  });
  return Math.min(...runs);
}

Deno.test("unknown arguments without number are told by three, in a moment", () => {
  const args = Object.fromEntries(
    Array.from({ length: 150_000 }, (_, at) => [`conten${at.toString(36)}`, 1]),
  );
  const refused = () =>
    assert.throws(() => check(args), (error: unknown) => {
      assert.ok(error instanceof GatewayError);
      assert.ok(error.message.length < 1000);
      return error.message.split("; ").length === 3;
    });
  assert.ok(milliseconds(refused) < 400);
});

Deno.test("long texts without a blank are searched for credentials in a moment", () => {
  const args = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`k${at}`, "a".repeat(50_000)]));
  assert.ok(milliseconds(() => shorten(args)) < 50);
});
