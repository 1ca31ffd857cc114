/** The official clients of both SDK lines list and call over a real socket, in every era they can speak. */
import assert from "node:assert/strict";
import { Client1, Client2, Transport1, Transport2 } from "../packages/mcp_clients.ts";
import { site } from "../kit.ts";
import { start, type Started } from "./mcp_start.ts";

const INFO = { name: "test", version: "1.0.0" };

/** What the tests use of a client, whichever line it comes from. */
interface Connected {
  listTools(): Promise<{ tools: { name: string }[]; nextCursor?: string }>;
  listResources(of?: { cursor: string }): Promise<{ resources: { uri: string }[]; nextCursor?: string }>;
  getServerVersion(): { name: string; icons?: { src: string; mimeType?: string }[] } | undefined;
  getServerCapabilities(): { tools?: { listChanged?: boolean } } | undefined;
  readResource(of: { uri: string }): Promise<{ contents: unknown[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  getPrompt(of: { name: string; arguments: Record<string, string> }): Promise<{ messages: unknown[] }>;
  complete(of: {
    ref: { type: "ref/prompt"; name: string };
    argument: { name: string; value: string };
  }): Promise<{ completion: { values: string[] } }>;
  callTool(call: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

const authorized = (token: string) => ({ requestInit: { headers: { Authorization: `Bearer ${token}` } } });

async function first({ url, token }: Started): Promise<Connected> {
  const client = new Client1(INFO);
  await client.connect(new Transport1(new URL(url), authorized(token)));
  return client as Connected;
}

const second = (mode?: "auto" | { pin: string }) => async ({ url, token }: Started): Promise<Connected> => {
  const client = new Client2(INFO, mode === undefined ? {} : { versionNegotiation: { mode } });
  await client.connect(new Transport2(new URL(url), authorized(token)));
  return client as Connected;
};

const CLIENTS: Record<string, (started: Started) => Promise<Connected>> = {
  "@modelcontextprotocol/sdk": first,
  "@modelcontextprotocol/client": second(),
  "@modelcontextprotocol/client, auto": second("auto"),
  "@modelcontextprotocol/client, pinned to 2026-07-28": second({ pin: "2026-07-28" }),
};

/** Those that speak 2026-07-28, in which a client can listen for changes. */
const MODERN = new Set([
  "@modelcontextprotocol/client, auto",
  "@modelcontextprotocol/client, pinned to 2026-07-28",
]);

interface Answer {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly isError?: boolean;
}

for (const [name, connect] of Object.entries(CLIENTS)) {
  Deno.test(`${name} lists the tools, calls one, reads what is beside them, and is told of a refusal`, async () => {
    const started = await start();
    try {
      const client = await connect(started);
      try {
        const { tools, nextCursor } = await client.listTools();
        assert.ok(tools.some((tool) => tool.name === "list_sites"));
        assert.equal(nextCursor, undefined);
        const sites = await client.callTool({ name: "list_sites", arguments: {} }) as Answer;
        assert.notEqual(sites.isError, true);
        assert.ok(Array.isArray(JSON.parse(sites.content[0]?.text ?? "").sites));
        const { resources } = await client.listResources();
        const { prompts } = await client.listPrompts();
        const [site] = JSON.parse(sites.content[0]!.text).sites as { id: string }[];
        const report = { name: "monthly_report", arguments: { site_id: site!.id } };
        assert.ok(prompts.some(({ name }) => name === report.name));
        assert.equal((await client.getPrompt(report)).messages.length, 2);
        assert.equal(resources[0]?.uri, `site://${site!.id}/facts`);
        assert.equal((await client.readResource(resources[0])).contents.length, 1);
        const ref = { type: "ref/prompt", name: report.name } as const;
        const { completion } = await client.complete({ ref, argument: { name: "site_id", value: site!.id } });
        assert.deepEqual(completion.values, [site!.id]);
        const refused = await client.callTool({ name: "no_such_tool" }) as Answer;
        assert.equal(refused.isError, true);
        assert.match(refused.content[0]?.text ?? "", /^E_TOOL_NOT_FOUND: /);
        const call = { name: "list_sites", arguments: { fields: "nonsense" } };
        const unknown = await client.callTool(call) as Answer;
        assert.equal(unknown.isError, true);
        assert.match(unknown.content[0]?.text ?? "", /^E_BAD_INPUT: fields: "nonsense"/);
      } finally {
        await client.close();
      }
    } finally {
      await started.stop();
    }
  });

  Deno.test(`${name} follows a long list to its end, sees the icon, and is promised changes only where it can be told`, async () => {
    const sites = Array.from({ length: 130 }, (_, at) => site(`s${at}`, "static"));
    const started = await start({ sites });
    try {
      const client = await connect(started);
      try {
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const { resources, nextCursor } = await client.listResources(cursor ? { cursor } : undefined);
          seen.push(...resources.map(({ uri }) => uri));
          cursor = nextCursor;
        } while (cursor !== undefined);
        assert.deepEqual([seen.length, new Set(seen).size], [262, 262]);
        const [icon] = client.getServerVersion()?.icons ?? [];
        const mark = await fetch(icon!.src);
        assert.deepEqual([mark.status, mark.headers.get("content-type")?.split(";")[0]], [
          200,
          icon!.mimeType,
        ]);
        await mark.body?.cancel();
        const told = client.getServerCapabilities()?.tools?.listChanged;
        assert.equal(told, MODERN.has(name) ? true : undefined);
      } finally {
        await client.close();
      }
    } finally {
      await started.stop();
    }
  });

  Deno.test(`${name} is turned away without a valid token`, async () => {
    const started = await start();
    try {
      await assert.rejects(connect({ ...started, token: "gate_dev_wrong" }), /401|E_AUTH|[Uu]nauthorized/);
    } finally {
      await started.stop();
    }
  });
}
