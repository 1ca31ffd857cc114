/** From the 401 over consent to a confirmed draft in a real WordPress, by programs of others that are given the address alone. */
import assert from "node:assert/strict";
import { freePort, startTool } from "../e2e/mcp_outside.ts";
import { allowed } from "../guard/oauth_kit.ts";
import { inPlace, type Place } from "./_oauth.ts";
import { fresh, HIDDEN, onWordPress } from "./_wordpress.ts";
import { folder } from "../folder.ts";

/** A gateway with somebody who is signed in, and a folder for what a program keeps. */
async function inFolder(
  site: Parameters<typeof inPlace>[0],
  work: (place: Place, cwd: string) => Promise<void>,
): Promise<void> {
  await using kept = await folder();
  await inPlace(site, (place) => work(place, kept.path));
}

/** The person's yes to the page at that address; the browser then opens the program's own. */
async function allow(address: string): Promise<void> {
  const answered = await fetch(await allowed(new URL(address)));
  assert.equal(answered.status, 200, await answered.text());
}

/** What a stream says up to the end of the first line that fits; what comes later is read and dropped. */
async function saidUntil(stream: ReadableStream<Uint8Array>, fits: RegExp): Promise<string> {
  const found = Promise.withResolvers<string>();
  (async () => {
    let text = "";
    for await (const line of linesOf(stream)) {
      text += `${line}\n`;
      if (fits.test(line)) found.resolve(text);
    }
    found.reject(new Error(`it ended without ${fits}:\n${text}`));
  })().catch(found.reject);
  return await found.promise;
}

/** Waits for the results of a server over its standard output, by the ids of the requests. */
function answersOf(stream: ReadableStream<Uint8Array>) {
  const waiting = new Map<number, PromiseWithResolvers<Result>>();
  const of = (id: number) => {
    const one = waiting.get(id) ?? Promise.withResolvers<Result>();
    one.promise.catch(() => {}); // it is waited for below; what fails before says more
    waiting.set(id, one);
    return one;
  };
  (async () => {
    for await (const line of linesOf(stream)) {
      const { id, result, error } = JSON.parse(line);
      if (typeof id !== "number") continue;
      if (error) of(id).reject(new Error(line));
      else of(id).resolve(result);
    }
  })().finally(() => {
    for (const one of waiting.values()) one.reject(new Error("it ended"));
  });
  return (id: number) => of(id).promise;
}

interface Result {
  readonly tools: readonly { readonly name: string }[];
  readonly content: readonly { readonly text: string }[];
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream() as never) as ReadableStream<string>) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    yield* lines.filter((line) => line.trim() !== "");
  }
}

const ASKED = /http\S+\/oauth\/authorize\?\S+/;

onWordPress({
  async "the Inspector has its person asked once, and makes the draft that its preview showed"(site) {
    await inFolder(site, async ({ at, baseUrl, user }, cwd) => {
      const env = { HOME: cwd, PATH: cwd, MCP_AUTO_OPEN_ENABLED: "true", MCP_INSPECTOR_SECRET_STORE: "file" };
      const callback = `http://127.0.0.1:${freePort()}/oauth/callback`;
      let asked = 0;
      /** One run; whoever is asked says yes. */
      const run = async (...args: string[]) => {
        const given = ["--cli", `${baseUrl}/mcp`, "--transport", "http", "--callback-url", callback];
        const process = startTool("inspector", [...given, "--format", "json", ...args], {
          cwd,
          env,
          stdin: "null",
        });
        const decoder = new TextDecoder();
        let said = "";
        let answer: Promise<void> | null = null;
        const out = new Response(process.stdout).text();
        for await (const chunk of process.stderr) {
          said += decoder.decode(chunk, { stream: true });
          const address = ASKED.exec(said)?.[0];
          if (address && said.includes("\n", said.indexOf(address)) && answer === null) {
            asked++;
            answer = allow(address);
          }
        }
        await answer;
        assert.equal((await process.status).code, 0, said + await out);
        return JSON.parse(await out);
      };
      const title = fresh("By the Inspector");
      const draft = async (more: object) => {
        const args = JSON.stringify({ site_id: "acme", title, content_html: "<p>Hi</p>", ...more });
        const answer = await run(
          "--method",
          "tools/call",
          "--tool-name",
          "create_draft",
          "--tool-args-json",
          args,
        );
        return JSON.parse((answer.result ?? answer).content[0].text);
      };
      const { confirm_token } = await draft({});
      const made = await draft({ confirm: true, confirm_token });
      const stored = await at.stored(made.id);
      assert.deepEqual([stored["status"], asked], ["draft", 1]);
      assert.deepEqual(await at.visitor(made.id), HIDDEN);
      assert.equal((await at.kit.gw.store.oauthGrants.list(user.id)).length, 1);
    });
  },

  async "mcp-remote has its person asked, and carries a client's draft through"(site) {
    await inFolder(site, async ({ at, baseUrl, user }, cwd) => {
      // No browser is found on this path, so it prints the address that it would have opened.
      const env = { MCP_REMOTE_CONFIG_DIR: `${cwd}/kept`, PATH: cwd };
      const args = [`${baseUrl}/mcp`, String(freePort()), "--allow-http"];
      const process = startTool("remote", args, { cwd, env, stdin: "piped" });
      const writer = process.stdin.getWriter();
      const answers = answersOf(process.stdout);
      const say = (message: object) =>
        writer.write(new TextEncoder().encode(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`));
      try {
        // It prints the address before it listens for the answer.
        const said = await saidUntil(process.stderr, /Waiting for authorization/);
        await allow(ASKED.exec(said)![0]);
        const clientInfo = { name: "test", version: "1.0.0" };
        await say({
          id: 1,
          method: "initialize",
          params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
        });
        await answers(1);
        await say({ method: "notifications/initialized" });
        await say({ id: 9, method: "tools/list" });
        assert.ok((await answers(9)).tools.some(({ name }) => name === "create_draft"));
        const title = fresh("Over mcp-remote");
        const draft = async (id: number, more: object) => {
          const given = { site_id: "acme", title, content_html: "<p>Hi</p>", ...more };
          await say({ id, method: "tools/call", params: { name: "create_draft", arguments: given } });
          return JSON.parse((await answers(id)).content[0]!.text);
        };
        const { confirm_token } = await draft(2, {});
        const made = await draft(3, { confirm: true, confirm_token });
        assert.equal((await at.stored(made.id))["status"], "draft");
        assert.deepEqual(await at.visitor(made.id), HIDDEN);
        assert.equal((await at.kit.gw.store.oauthGrants.list(user.id)).length, 1);
      } finally {
        await writer.close().catch(() => {});
        process.kill("SIGKILL");
        await process.status;
      }
    });
  },
});
