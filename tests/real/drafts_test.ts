/** The same create_draft through REST and MCP, and through the official clients, stands in a real WordPress. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { parted } from "../proof.ts";
import type { Args, Row } from "../cms_kit.ts";
import type { Json } from "../sandbox/asker.ts";
import { Client1, Client2, Transport1, Transport2 } from "../packages/mcp_clients.ts";
import { fresh, HIDDEN, onWordPress, Real } from "./_wordpress.ts";

/** The posts of that title as WordPress lists them to its administrator. */
async function named(at: Real, title: string): Promise<Json[]> {
  const status = "status=draft,future,pending,private,publish,trash";
  const { body } = await at.ask.rest("admin", "GET", `/posts?${status}&search=${encodeURIComponent(title)}`);
  return body;
}

/** Asserts that those posts and no others of that title stand as drafts, which no visitor sees. */
async function standAsDrafts(at: Real, title: string, ids: readonly number[]): Promise<void> {
  const found = await named(at, title);
  assert.deepEqual(found.map((row) => row["id"]).toSorted(), [...ids].toSorted());
  for (const row of found) assert.equal(row["status"], "draft");
  for (const id of ids) assert.deepEqual(await at.visitor(id), HIDDEN);
  const search = `/posts?search=${encodeURIComponent(title)}`;
  assert.deepEqual((await at.ask.rest(null, "GET", search)).body, []);
}

/** The whole gateway served on loopback. */
async function served(
  site: CmsSandbox,
  use: (at: Real, address: string, authorization: Record<string, string>) => Promise<void>,
): Promise<void> {
  const opened = Promise.withResolvers<Real>();
  const bound = Promise.withResolvers<Deno.NetAddr>();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: bound.resolve },
    async (request) => await (await opened.promise).kit.gw.gateway.fetch(request),
  );
  try {
    const baseUrl = `http://127.0.0.1:${(await bound.promise).port}`;
    await using at = await Real.open(site, { settings: { baseUrl } });
    opened.resolve(at);
    await use(at, baseUrl, { Authorization: `Bearer ${at.kit.gw.token()}` });
  } finally {
    await server.shutdown();
  }
}

/** What is used of a client of either line. */
interface Connected {
  callTool(call: { name: string; arguments: Args }): Promise<unknown>;
  close(): Promise<void>;
}

/** Makes a draft the way an agent does: the preview first, then the same call confirmed. */
async function draftBy(client: Connected, title: string): Promise<Row> {
  const ask = async (more: Args) => {
    const args = { site_id: "acme", title, content_html: "<p>Hi</p>", ...more };
    const result = await client.callTool({ name: "create_draft", arguments: args }) as {
      content: { text: string }[];
      isError?: boolean;
    };
    assert.notEqual(result.isError, true, result.content[0]?.text);
    return JSON.parse(result.content[0]!.text);
  };
  assert.equal((await ask({})).needs_confirmation, true);
  return await ask({ confirm: true });
}

onWordPress({
  async "the same create_draft through REST and MCP stands in the real WordPress twice as a draft"(site) {
    await using at = await Real.open(site);
    const title = fresh("Twice");
    const args = { site_id: "acme", title, content_html: "<p>Hi</p>", tags: [fresh("One")], confirm: true };
    const rest = await at.kit.gw.call<Row>("create_draft", args, { door: "rest" });
    const mcp = await at.kit.gw.call<Row>("create_draft", args, { door: "mcp" });
    assert.notEqual(rest.id, mcp.id);
    const url = (id: number) => `${site.base_url}/?p=${id}`;
    for (const made of [rest, mcp]) {
      const { done, proof } = parted(made);
      assert.deepEqual(done, { id: made.id, status: "draft", url: url(made.id) });
      assert.equal(proof.verified, true);
    }
    await standAsDrafts(at, title, [rest.id, mcp.id]);
    const [first, second] = [await at.stored(rest.id), await at.stored(mcp.id)];
    assert.deepEqual(first["tags"], second["tags"], "the tag was made once");
    assert.equal((first["tags"] as unknown[]).length, 1);
    const rows = await at.kit.rows(9);
    assert.deepEqual(rows.map(({ door, status, result_id }) => [door, status, result_id]), [
      ["mcp", "ok", mcp.id],
      ["rest", "ok", rest.id],
    ]);
  },

  async "a plain HTTP client makes a draft over a real socket"(site) {
    await served(site, async (at, address, authorization) => {
      const title = fresh("By fetch");
      const response = await fetch(`${address}/api/v1/tools/create_draft`, {
        method: "POST",
        headers: { ...authorization, "content-type": "application/json" },
        body: JSON.stringify({ site_id: "acme", title, content_html: "x", confirm: true }),
      });
      const { ok, result } = await response.json();
      assert.deepEqual([response.status, ok, result.status], [200, true, "draft"]);
      await standAsDrafts(at, title, [result.id]);
    });
  },

  async "the client of @modelcontextprotocol/sdk makes a draft"(site) {
    await served(site, async (at, address, headers) => {
      const title = fresh("By the first line");
      const client = new Client1({ name: "test", version: "1.0.0" });
      await client.connect(new Transport1(new URL(`${address}/mcp`), { requestInit: { headers } }));
      const made = await draftBy(client as Connected, title);
      await client.close();
      await standAsDrafts(at, title, [made.id]);
    });
  },

  async "the client of @modelcontextprotocol/client makes a draft"(site) {
    await served(site, async (at, address, headers) => {
      const title = fresh("By the second line");
      const client = new Client2({ name: "test", version: "1.0.0" });
      await client.connect(new Transport2(new URL(`${address}/mcp`), { requestInit: { headers } }));
      const made = await draftBy(client as Connected, title);
      await client.close();
      await standAsDrafts(at, title, [made.id]);
    });
  },
});
