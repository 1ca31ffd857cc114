/** mcp-remote, which brings OAuth to clients that only speak over their standard streams, lets itself in. */
import assert from "node:assert/strict";
import type { User } from "../../core/model.ts";
import { filledIn } from "../guard/oauth_kit.ts";
import type { Kit } from "../kit.ts";
import { startTool } from "./mcp_outside.ts";
import { start } from "./mcp_start.ts";

/** A port that was free a moment ago. */
function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return (listener.addr as Deno.NetAddr).port;
}

/** What a stream says up to the end of the first line that fits; what comes later is read and dropped. */
async function saidUntil(stream: ReadableStream<Uint8Array>, fits: RegExp): Promise<string> {
  const found = Promise.withResolvers<string>();
  const decoder = new TextDecoder();
  let text = "";
  (async () => {
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true });
      if (text.split("\n").slice(0, -1).some((one) => fits.test(one))) found.resolve(text);
    }
    found.reject(new Error(`it ended without ${fits}:\n${text}`));
  })().catch(found.reject);
  return await found.promise;
}

Deno.test("mcp-remote registers, has its person asked, and hands on what a client says", async () => {
  let user: User | null = null;
  let kit: Kit | undefined;
  const started = await start(
    { signedIn: () => Promise.resolve(user && { user, session_id: "session", csrf: "csrf" }) },
    (opened) => kit = opened,
  );
  const cwd = await Deno.makeTempDir();
  user = await kit!.store.users.create({
    email: "ann@gateway.example",
    role: "member",
    allowed_sites: ["*"],
    max_risk: 1,
  });
  // No browser is found on this path, so it prints the address that it would have opened.
  const env = { MCP_REMOTE_CONFIG_DIR: `${cwd}/kept`, PATH: cwd };
  const args = [started.url, String(freePort()), "--allow-http"];
  const process = startTool("remote", args, { cwd, env, stdin: "piped" });
  const writer = process.stdin.getWriter();
  try {
    const answer = saidUntil(process.stdout, /"id":2/);
    answer.catch(() => {}); // it is waited for below; what fails before says more
    // It prints the address before it listens for the answer.
    const said = await saidUntil(process.stderr, /Waiting for authorization/);
    const address = /^http\S+\/oauth\/authorize\?\S+$/m.exec(said)![0];
    const form = filledIn(await (await fetch(address)).text());
    const headers = { origin: new URL(address).origin };
    const allowed = await fetch(address, { method: "POST", body: form, headers });
    assert.equal(allowed.status, 200, await allowed.text());
    const say = (message: object) =>
      writer.write(new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`));
    const clientInfo = { name: "test", version: "1.0.0" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    await say({ id: 1, method: "initialize", params });
    await say({ method: "notifications/initialized" });
    await say({ id: 2, method: "tools/list" });
    const line = (await answer).split("\n").find((one) => one.includes('"id":2'));
    const { result } = JSON.parse(line!);
    assert.ok(result.tools.some(({ name }: { name: string }) => name === "create_draft"));
    assert.equal((await kit!.store.oauthGrants.list(user!.id)).length, 1);
  } finally {
    await writer.close().catch(() => {});
    process.kill("SIGKILL");
    await process.status;
    await started.stop();
    await Deno.remove(cwd, { recursive: true });
  }
});
