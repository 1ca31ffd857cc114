/** The protocol's conformance suite: its scenarios of an authorization server, and why the others cannot apply. */
import assert from "node:assert/strict";
import type { User } from "../../core/model.ts";
import { filledIn } from "../guard/oauth_kit.ts";
import type { Kit } from "../kit.ts";
import { followTool, freePort, runTool } from "./mcp_outside.ts";
import { start } from "./mcp_start.ts";

const APPLY = ["authorization-server-metadata-endpoint", "authorization-code-grant"];

/** Scenarios about authorization in which the suite is the server, and a client is what it tries. */
const TRIES_A_CLIENT = [
  "auth/metadata-default",
  "auth/metadata-var1",
  "auth/metadata-var2",
  "auth/metadata-var3",
  "auth/basic-cimd",
  "auth/scope-from-www-authenticate",
  "auth/scope-from-scopes-supported",
  "auth/scope-omitted-when-undefined",
  "auth/scope-step-up",
  "auth/scope-retry-limit",
  "auth/token-endpoint-auth-basic",
  "auth/token-endpoint-auth-post",
  "auth/token-endpoint-auth-none",
  "auth/pre-registration",
  "auth/2025-03-26-oauth-metadata-backcompat",
  "auth/2025-03-26-oauth-endpoint-fallback",
  "auth/resource-mismatch",
  "auth/offline-access-scope",
  "auth/offline-access-not-supported",
  "auth/authorization-server-migration",
  "auth/iss-supported",
  "auth/iss-not-advertised",
  "auth/iss-supported-missing",
  "auth/iss-wrong-issuer",
  "auth/iss-unexpected",
  "auth/iss-normalized",
  "auth/metadata-issuer-mismatch",
  "auth/client-credentials-jwt",
  "auth/client-credentials-basic",
  "auth/enterprise-managed-authorization",
  "auth/dpop",
  "auth/dpop-nonce",
  "auth/wif-jwt-bearer",
];

Deno.test("each scenario about authorization is run, or stands in the list of those that cannot apply", async () => {
  const { stdout } = await runTool("conformance", "list");
  const listed = [...stdout.matchAll(/^ {2}- ((?:auth\/|authorization-)\S+)/gm)].map(([, name]) => name!);
  assert.ok(listed.length > 20, stdout);
  assert.deepEqual(listed.toSorted(), [...APPLY, ...TRIES_A_CLIENT].sort());
});

Deno.test("conformance: every scenario of an authorization server passes", async () => {
  let user: User | null = null;
  let kit: Kit | undefined;
  const started = await start(
    { signedIn: () => Promise.resolve(user && { user, session_id: "session", csrf: "csrf" }) },
    (opened) => kit = opened,
  );
  const out = await Deno.makeTempDir();
  try {
    user = await kit!.store.users.create({
      email: "ann@gateway.example",
      role: "member",
      allowed_sites: ["*"],
      max_risk: 1,
    });
    const issuer = new URL(started.url).origin;
    const registered = await fetch(`${issuer}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ redirect_uris: ["http://127.0.0.1/callback"] }),
    });
    const { client_id } = await registered.json();
    const answered: Promise<void>[] = [];
    const which = ["--url", issuer, "--client-id", client_id, "--resource", started.url];
    const { code, stdout, stderr } = await followTool(
      "conformance",
      ["authorization", ...which, "-p", String(freePort()), "-o", out],
      (text) => {
        const page = /^(http\S+\/oauth\/authorize\?\S+)\n/m.exec(text)?.[1]; // the whole line, not a part that was read
        if (page === undefined || answered.length > 0) return;
        answered.push(allow(page));
        answered[0]!.catch(() => {}); // told once the suite has ended
      },
    );
    await Promise.all(answered);
    assert.equal(code, 0, stdout + stderr);
    const folders = [...Deno.readDirSync(out)].map(({ name }) => name);
    assert.equal(folders.length, APPLY.length, folders.join());
    for (const folder of folders) {
      const text = await Deno.readTextFile(`${out}/${folder}/checks.json`);
      const checks: { status: string }[] = JSON.parse(text);
      assert.ok(checks.length > 0 && checks.every(({ status }) => status === "SUCCESS"), text);
    }
  } finally {
    await Deno.remove(out, { recursive: true });
    await started.stop();
  }
});

/** A person opens the page, allows, and is led back to the client. */
async function allow(page: string): Promise<void> {
  const form = filledIn(await (await fetch(page)).text());
  const { origin } = new URL(page);
  const answer = await fetch(page, { method: "POST", body: form, headers: { origin } });
  await answer.body?.cancel();
  assert.equal(answer.status, 200);
}
