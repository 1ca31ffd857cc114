/** What a new token's page and docs/CLIENTS.md print for a client is run, or connected with, as it is printed. */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import { clientSetups } from "../../console/admin/client_setups.ts";
import { folder } from "../folder.ts";
import { Client1, Transport1 } from "../packages/mcp_clients.ts";
import { startTool } from "./mcp_outside.ts";
import { start, type Started } from "./mcp_start.ts";

/** The printed file, command or code of a client, for a gateway that answers on loopback. */
const printed = (id: string, { url, token }: Started): string => {
  const setups = clientSetups(new URL(url).origin, url, token);
  return setups.find((setup) => setup.id === id)!.code.text;
};

async function onGateway(work: (started: Started) => Promise<void>): Promise<void> {
  const started = await start();
  try {
    await work(started);
  } finally {
    await started.stop();
  }
}

/** An answer of `list_sites`, as every client hands it on. */
function assertSites(answer: unknown): void {
  const { content } = answer as { content: { text: string }[] };
  assert.deepEqual(JSON.parse(content[0]!.text).sites.map(({ id }: { id: string }) => id), ["acme"]);
}

/** A server as the files of several editors name it. */
interface Server {
  readonly url?: string;
  readonly uri?: string;
  readonly headers: Record<string, string>;
}

const FILES: Record<string, (text: string) => Server> = {
  cursor: (text) => JSON.parse(text).mcpServers["site-operations"],
  vscode: (text) => JSON.parse(text).servers["site-operations"],
  goose: (text) => (load(text) as { extensions: Record<string, Server> }).extensions["site-operations"]!,
};

for (const [id, serverIn] of Object.entries(FILES)) {
  Deno.test(`the file for ${id} names an address and a header that list the tools and call one`, () =>
    onGateway(async (started) => {
      const { url, uri, headers } = serverIn(printed(id, started));
      const client = new Client1({ name: id, version: "1.0.0" });
      await client.connect(new Transport1(new URL((url ?? uri)!), { requestInit: { headers } }));
      try {
        assert.ok(
          (await client.listTools()).tools.some((tool: { name: string }) => tool.name === "list_sites"),
        );
        assertSites(await client.callTool({ name: "list_sites", arguments: {} }));
      } finally {
        await client.close();
      }
    }));
}

Deno.test("the file for Claude Desktop has mcp-remote list the tools and call one, with the token", () =>
  onGateway(async (started) => {
    await using kept = await folder();
    const { args, env } = JSON.parse(printed("claude", started)).mcpServers["site-operations"];
    assert.deepEqual(args.slice(0, 2), ["-y", "mcp-remote"]);
    const process = startTool("remote", args.slice(2), {
      cwd: kept.path,
      env: { ...env, MCP_REMOTE_CONFIG_DIR: kept.path, PATH: kept.path },
      stdin: "piped",
    });
    const writer = process.stdin.getWriter();
    const said = process.stderr.cancel();
    try {
      const clientInfo = { name: "test", version: "1.0.0" };
      const opening = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
      for (
        const message of [
          { id: 1, method: "initialize", params: opening },
          { method: "notifications/initialized" },
          { id: 2, method: "tools/list" },
          { id: 3, method: "tools/call", params: { name: "list_sites", arguments: {} } },
        ]
      ) {
        const line = `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
        await writer.write(new TextEncoder().encode(line));
      }
      const answers = await resultsOf(process.stdout, [2, 3]);
      assert.ok(
        (answers.get(2) as { tools: { name: string }[] }).tools.some(({ name }) => name === "list_sites"),
      );
      assertSites(answers.get(3));
    } finally {
      await writer.close().catch(() => {});
      process.kill("SIGKILL");
      await process.status;
      await said;
    }
  }));

/** The results of those requests, each on a line of a server's standard output. */
async function resultsOf(
  stream: ReadableStream<Uint8Array>,
  ids: readonly number[],
): Promise<Map<number, unknown>> {
  const results = new Map<number, unknown>();
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      const { id, result } = JSON.parse(line);
      results.set(id, result);
    }
    if (ids.every((id) => results.has(id))) return results;
  }
  throw new Error(`it ended after ${[...results.keys()]}`);
}

Deno.test("the code for the AI SDK lists the tools and calls one; with whole schemas the answer is of its type", () =>
  onGateway(async (started) => {
    await using kept = await folder();
    for (const address of [started.url, `${started.url}?schemas=full`]) {
      const code = printed("ai-sdk", { ...started, url: address })
        .replace("@ai-sdk/mcp", new URL("../packages/ai_sdk.ts", import.meta.url).href);
      const file = `${kept.path}/of_the_page_${address.length}.ts`;
      await Deno.writeTextFile(file, `${code}\nexport { client, tools };\n`);
      const { client, tools } = await import(`file://${file}`);
      try {
        const answer = await tools.list_sites.execute({}, { toolCallId: "1", messages: [] });
        assertSites(answer);
        assert.equal("structuredContent" in answer, address !== started.url);
      } finally {
        await client.close();
      }
    }
  }));

Deno.test("the command for curl says whose token it is", () =>
  onGateway(async (started) => {
    const command = printed("curl", started);
    const { success, stdout, stderr } = await new Deno.Command("sh", { args: ["-c", command] }).output();
    assert.ok(success, new TextDecoder().decode(stderr));
    const { result } = JSON.parse(new TextDecoder().decode(stdout));
    assert.equal(typeof result.max_risk, "number");
  }));

Deno.test("a quote in an address or a token ends no text of what is printed", () => {
  const texts = clientSetups("https://gate.test", "https://gate.test/mcp?site=a'b\"c", "t'\"\\");
  const of = (id: string) => texts.find((setup) => setup.id === id)!.code.text;
  assert.equal(FILES.cursor!(of("cursor")).headers["Authorization"], "Bearer t'\"\\");
  assert.equal(FILES.goose!(of("goose")).headers["Authorization"], "Bearer t'\"\\");
  assert.ok(of("claude-code").includes(`'Authorization: Bearer t'\\''"\\'`));
});
