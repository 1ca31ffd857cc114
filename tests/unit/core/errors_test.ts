/** Whether a failure leaves a write in doubt is a field of it, and its sentence is made of that. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import { isDoubtful } from "../../../platforms/_http/failures.ts";

const ENDS = "; the outcome is unknown: look at the site before trying again";

Deno.test("a failure in doubt says so at its end, in other words too, and one that words it alike is in none", () => {
  const doubted = new GatewayError("E_UPSTREAM", "CMS 500", { inDoubt: true });
  assert.equal(doubted.message, `CMS 500${ENDS}`);
  assert.equal(doubted.bareMessage, "CMS 500");
  assert.ok(isDoubtful(doubted));
  assert.ok(
    isDoubtful(doubted.saying("title: it failed")),
    "what is told in other words is the same failure",
  );
  const around = new GatewayError("E_UPSTREAM", `The fields: ${doubted.message}; read them`, {
    cause: doubted,
  });
  assert.equal(around.bareMessage, "The fields: CMS 500; read them");
  for (const other of [new GatewayError("E_UPSTREAM", `CMS 500${ENDS}`), new Error(ENDS), null]) {
    assert.ok(!isDoubtful(other));
  }
});

Deno.test("no module says it in words of its own", async () => {
  const { stdout } = await new Deno.Command("git", {
    args: [
      "grep",
      "-l",
      "the outcome is unknown: look at the site before",
      "--",
      "*.ts",
      "*.tsx",
      ":!tests/",
    ],
    cwd: new URL("../../../", import.meta.url),
  }).output();
  assert.deepEqual(new TextDecoder().decode(stdout).trim().split("\n"), ["core/errors.ts"]);
});
