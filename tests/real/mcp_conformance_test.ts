/** The protocol's conformance suite: every scenario that applies to a stateless server of tools. */
import assert from "node:assert/strict";
import { withDemoTools } from "../e2e/mcp_demo_tools.ts";
import { runTool } from "../e2e/mcp_outside.ts";
import { withToken } from "../e2e/mcp_proxy.ts";
import { serve, start, type Started } from "../e2e/mcp_start.ts";

/** The scenarios any server of tools can be put through, by revision. */
const PLAIN: Record<string, string[]> = {
  "2025-11-25": [
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "server-sse-multiple-streams",
    "server-session-lifecycle",
    "dns-rebinding-protection",
  ],
  "2026-07-28": [
    "tools-list",
    "resources-list",
    "prompts-list",
    "server-sse-multiple-streams",
    "dns-rebinding-protection",
    "http-header-validation",
    "sep-2164-resource-not-found",
    "input-required-result-unsupported-methods",
    "input-required-result-ignore-extra-params",
    "server-stateless",
    "caching",
  ],
};

/** Those that call tools of the suite's own. */
const DEMO = [
  "tools-call-simple-text",
  "tools-call-image",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-mixed-content",
  "tools-call-error",
  "tools-call-with-progress",
];

/** Checks that fail for want of something the gateway has no use for, by scenario. */
const WANTING: Record<string, string[]> = {
  // A tool that needs the client to take part, which no tool of the gateway does.
  "server-stateless": [
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
  ],
};

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** Runs one scenario; answers its checks. */
async function checks(from: Promise<Started>, scenario: string, revision: string): Promise<Check[]> {
  const started = await withToken(await from);
  const out = await Deno.makeTempDir();
  try {
    const which = ["--url", started.url, "--scenario", scenario, "--spec-version", revision, "-o", out];
    const { code, stdout, stderr } = await runTool("conformance", "server", ...which);
    const [folder] = [...Deno.readDirSync(out)];
    assert.ok(folder, stdout + stderr);
    const found: Check[] = JSON.parse(await Deno.readTextFile(`${out}/${folder.name}/checks.json`));
    assert.equal(code === 0, !found.some(({ status }) => status === "FAILURE"), stdout);
    return found;
  } finally {
    await Deno.remove(out, { recursive: true });
    await started.stop();
  }
}

function test(from: () => Promise<Started>, scenario: string, revision: string) {
  Deno.test(`conformance ${revision}: ${scenario}`, async () => {
    const failed = (await checks(from(), scenario, revision)).filter(({ status }) => status === "FAILURE");
    const ids = failed.map((check) => check.id).sort();
    assert.deepEqual(ids, [...WANTING[scenario] ?? []].sort(), JSON.stringify(failed, null, 2));
  });
}

for (const [revision, scenarios] of Object.entries(PLAIN)) {
  for (const scenario of scenarios) test(() => start(), scenario, revision);
  for (const scenario of DEMO) test(() => serve(withDemoTools), scenario, revision);
}

Deno.test("conformance 2026-07-28: a stream of changes is acknowledged, tagged, filtered, and told of a change", async () => {
  const found = await checks(serve(withDemoTools), "server-stateless", "2026-07-28");
  const ids = [
    "sep-2575-server-sends-subscription-ack",
    "sep-2575-server-tags-subscription-id",
    "sep-2575-server-honors-notification-filter",
    "sep-2575-server-sends-tools-list-changed-on-subscription",
  ];
  const statuses = ids.map((id) => found.find((check) => check.id === id)?.status);
  assert.deepEqual(statuses, ids.map(() => "SUCCESS"), JSON.stringify(found, null, 2));
});
