/** The Inspector's command line lists and calls, in both eras. */
import assert from "node:assert/strict";
import { runTool } from "../e2e/mcp_outside.ts";
import { start, type Started } from "../e2e/mcp_start.ts";

async function inspect({ url, token }: Started, ...args: string[]): Promise<unknown> {
  const given = ["--transport", "http", "--header", `Authorization: Bearer ${token}`, "--format", "json"];
  const { code, stdout, stderr } = await runTool("inspector", "--cli", url, ...given, ...args);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

for (const era of ["legacy", "modern"]) {
  Deno.test(`the Inspector lists and calls in the ${era} era`, async () => {
    const started = await start();
    try {
      const inEra = ["--protocol-era", era];
      const list = await inspect(started, "--method", "tools/list", "--strict", ...inEra);
      assert.match(JSON.stringify(list), /"name":"list_sites"/);
      const called = await inspect(started, "--method", "tools/call", "--tool-name", "list_sites", ...inEra);
      assert.match(JSON.stringify(called), /sites/);
    } finally {
      await started.stop();
    }
  });
}

Deno.test("the Inspector is turned away without a valid token", async () => {
  const started = await start();
  try {
    const wrong = ["--transport", "http", "--header", "Authorization: Bearer gate_dev_wrong"];
    const { code } = await runTool("inspector", "--cli", started.url, ...wrong, "--method", "tools/list");
    assert.notEqual(code, 0);
  } finally {
    await started.stop();
  }
});
