/** Sites whose tool servers stand on one host: neither gets the other's session, credential or answers, whatever one of them does. */
import assert from "node:assert/strict";
import { type Ending, gateway, type Kit, site } from "../kit.ts";

const TOOL = "builder-mcp-list-pages";

/** A request as it arrived. */
interface Seen {
  readonly site: string;
  readonly method: string;
  readonly session: string | null;
  readonly password: string;
}

type Message = { readonly id: number; readonly method: string };

/** A host with a tool server below each first part of a path, and what arrived there. */
function host(
  answer: (message: Message, site: string, url: string) => Response | undefined = () => undefined,
) {
  const seen: Seen[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname } = new URL(request.url);
    const at = pathname.split("/")[1]!;
    if (!pathname.endsWith("/emcp-tools-server")) {
      return Response.json({ code: "rest_no_route", message: "No route" }, { status: 404 });
    }
    const message: Message = await request.json();
    const [, password = ""] = atob(request.headers.get("authorization")!.slice("Basic ".length)).split(":");
    const session = request.headers.get("mcp-session-id");
    seen.push({ site: at, method: message.method, session, password });
    const own = answer(message, at, base);
    if (own) return own;
    const results: Record<string, unknown> = {
      "initialize": {
        protocolVersion: "2025-06-18",
        capabilities: {},
        serverInfo: { name: at, version: "1" },
      },
      "tools/list": { tools: [{ name: "emcp-tools-list-pages", inputSchema: { type: "object" } }] },
      "tools/call": { content: [{ type: "text", text: JSON.stringify({ of: at }) }] },
    };
    const headers: Record<string, string> = message.method === "initialize"
      ? { "mcp-session-id": `session-of-${at}` }
      : {};
    return Response.json({ jsonrpc: "2.0", id: message.id, result: results[message.method] }, { headers });
  });
  const base = `http://127.0.0.1:${server.addr.port}`;
  return { base, seen, [Symbol.asyncDispose]: () => server.shutdown() };
}

const login = (application_password: string) => ({ cms: { username: "admin", application_password } });
const PASSWORDS = { one: "one1 one1 one1 one1", two: "two2 two2 two2 two2" };

/** A gateway with two sites there, their tools listed. */
async function opened({ base }: { readonly base: string }): Promise<Kit> {
  const gw = await gateway({
    fetch: "network",
    allowPrivate: ["127.0.0.1"],
    sites: (["one", "two"] as const).map((id) =>
      site(id, "cms", { base_url: `${base}/${id}`, credentials: login(PASSWORDS[id]) })
    ),
  });
  await gw.gateway.toolCatalogs.run();
  return gw;
}

/** The ending, of an answer without what the gateway says beside it. */
async function call(gw: Kit, id: string): Promise<Ending> {
  const ending = await gw.end(TOOL, { site_id: id });
  return "value" in ending ? { value: ending.value } : ending;
}

/** That each place was only ever asked with its own site's password, and in sessions that it gave itself. */
function assertApart(seen: readonly Seen[], given: (site: string) => readonly string[]): void {
  for (const { site, session, password } of seen) {
    assert.equal(password, PASSWORDS[site as keyof typeof PASSWORDS], site);
    assert.ok(session === null || given(site).includes(session), `${site} was sent ${session}`);
  }
}

Deno.test("calls of two sites on one host, at once and in turns, go each in its own session with its own credential", async () => {
  await using at = host();
  await using gw = await opened(at);
  const ids = Array.from({ length: 20 }, (_, n) => n % 2 ? "one" : "two");
  const ends = await Promise.all(ids.map((id) => call(gw, id)));
  assert.deepEqual(ends, ids.map((of) => ({ value: { of } })));
  assertApart(at.seen, (id) => [`session-of-${id}`]);
});

Deno.test("a server that gives out another site's session as its own gets that back, and the other keeps its own", async () => {
  await using at = host(({ id, method }, of) => {
    if (of !== "one" || method !== "initialize") return undefined;
    const result = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      serverInfo: { name: "one", version: "1" },
    };
    return Response.json({ jsonrpc: "2.0", id, result }, { headers: { "mcp-session-id": "session-of-two" } });
  });
  await using gw = await opened(at);
  assert.deepEqual([await call(gw, "one"), await call(gw, "two")], [{ value: { of: "one" } }, {
    value: { of: "two" },
  }]);
  assertApart(at.seen, () => ["session-of-two"]);
});

Deno.test("a server that sends its callers on to another site's gets no call there", async () => {
  await using at = host(({ method }, of, base) =>
    of === "one" && method === "tools/call"
      ? Response.redirect(`${base}/two/wp-json/mcp/emcp-tools-server`, 307)
      : undefined
  );
  await using gw = await opened(at);
  const before = at.seen.filter((one) => one.site === "two").length;
  const ending = await call(gw, "one");
  assert.ok("code" in ending && ending.code === "E_UPSTREAM", JSON.stringify(ending));
  assert.match(ending.message, /redirects to .* which was not followed/);
  assert.equal(at.seen.filter((one) => one.site === "two").length, before);
});

Deno.test("a session ends with the address and with the credential that it was opened for", async () => {
  await using at = host();
  await using gw = await opened(at);
  await call(gw, "one");
  const moved = { base_url: `${at.base}/moved`, credentials: login(PASSWORDS.two) };
  await gw.store.sites.update("one", moved);
  const ending = await call(gw, "one");
  assert.ok("code" in ending, JSON.stringify(ending));
  assert.ok(!at.seen.some(({ site }) => site === "moved"), "nothing is known of what stands there");
  await gw.gateway.toolCatalogs.run();
  assert.deepEqual(await call(gw, "one"), { value: { of: "moved" } });
  await gw.store.sites.update("one", { credentials: login(PASSWORDS.one) });
  assert.deepEqual(await call(gw, "one"), { value: { of: "moved" } });
  const sessions = at.seen.filter(({ site }) => site === "moved").map((
    { session, password },
  ) => [session, password]);
  const opening = sessions.findLastIndex(([session]) => session === null);
  assert.deepEqual(sessions[0], [null, PASSWORDS.two]);
  assert.deepEqual(sessions.slice(opening), [
    [null, PASSWORDS.one],
    ["session-of-moved", PASSWORDS.one], // the notice that it is open
    ["session-of-moved", PASSWORDS.one],
  ]);
});
