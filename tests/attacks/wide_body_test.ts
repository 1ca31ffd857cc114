/** A body as wide as it may be costs the gateway no more than reading it. */
import assert from "node:assert/strict";
import { loadTools } from "../../registry/load.ts";
import { shorten } from "../../guard/audit/redact.ts";
import { GatewayError } from "../../core/errors.ts";
import { CONNECTORS } from "../connectors.ts";
import { StepsTaken } from "../steps_taken.ts";

const tools = await loadTools({ roots: [new URL("../../", import.meta.url)], known: CONNECTORS });
const { check } = tools.get("create_draft")!;

Deno.test("unknown arguments without number are told by three, and the others are compared with nothing", async () => {
  const count = 150_000;
  const args = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`conten${at.toString(36)}`, 1]),
  );
  const refused = () =>
    assert.throws(() => check(args), (error: unknown) => {
      assert.ok(error instanceof GatewayError);
      assert.ok(error.message.length < 1000);
      return error.message.split("; ").length === 3;
    });
  refused();
  using steps = await StepsTaken.started();
  const taken = await steps.of([refused]);
  assert.ok(taken < 40 * count, `${taken} steps for ${count}`);
});

Deno.test("long texts without a blank are searched for credentials no further than they are shown", async () => {
  const args = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`k${at}`, "a".repeat(50_000)]));
  using steps = await StepsTaken.started();
  const taken = await steps.of([() => shorten(args)]);
  assert.ok(taken < 40 * 50_000, `${taken} steps for 40 texts of 50,000`);
});
