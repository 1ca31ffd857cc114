/** From the 401 over consent to a confirmed draft in a real WordPress, by an official client that knows nothing but the address. */
import assert from "node:assert/strict";
import type { User } from "../../model.ts";
import { filledIn } from "../guard/oauth_kit.ts";
import { Client2, Transport2 } from "../packages/mcp_clients.ts";
import { fresh, HIDDEN, onWordPress, Real } from "./_wordpress.ts";

const REDIRECT = "http://127.0.0.1:9/callback";

onWordPress({
  async "a client that was let in makes the draft its preview showed, and is ended"(site) {
    const opened = Promise.withResolvers<Real>();
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
      return await (await opened.promise).kit.gw.gateway.fetch(request);
    });
    const baseUrl = `http://127.0.0.1:${server.addr.port}`;
    let user: User | null = null;
    try {
      await using at = await Real.open(site, {
        settings: { baseUrl },
        signedIn: () => Promise.resolve(user && { user, session_id: "session", csrf: "csrf" }),
      });
      opened.resolve(at);
      const { store } = at.kit.gw;
      user = await store.users.create({
        email: "ann@gateway.example",
        role: "member",
        allowed_sites: ["*"],
        max_risk: 1,
      });
      const kept: Record<string, unknown> = {};
      let back = new URLSearchParams();
      const authProvider = {
        redirectUrl: REDIRECT,
        clientMetadata: { client_name: "Desk", redirect_uris: [REDIRECT] },
        clientInformation: () => kept.client,
        saveClientInformation: (client: unknown) => void (kept.client = client),
        tokens: () => kept.tokens,
        saveTokens: (tokens: unknown) => void (kept.tokens = tokens),
        codeVerifier: () => kept.verifier,
        saveCodeVerifier: (verifier: unknown) => void (kept.verifier = verifier),
        discoveryState: () => kept.discovered,
        saveDiscoveryState: (discovered: unknown) => void (kept.discovered = discovered),
        async redirectToAuthorization(page: URL) {
          const body = filledIn(await (await fetch(page)).text());
          const init = { method: "POST", body, headers: { origin: baseUrl }, redirect: "manual" } as const;
          const response = await fetch(page, init);
          await response.body?.cancel();
          back = new URL(response.headers.get("location")!).searchParams;
        },
      };
      type Options = ConstructorParameters<typeof Transport2>[1];
      const transport = () =>
        new Transport2(new URL(`${baseUrl}/mcp`), { authProvider } as unknown as Options);
      const client = () => new Client2({ name: "test", version: "1.0.0" });
      await assert.rejects(client().connect(transport()), /Unauthorized/);
      await transport().finishAuth(back);
      const connected = client();
      await connected.connect(transport());
      try {
        const title = fresh("By a client that was let in");
        const call = async (more: Record<string, unknown>) => {
          const args = { site_id: "acme", title, content_html: "<p>Hi</p>", ...more };
          const { content } = await connected.callTool({ name: "create_draft", arguments: args });
          return JSON.parse((content as { text: string }[])[0]!.text);
        };
        const unseen = await call({ confirm: true });
        assert.equal(unseen.needs_confirmation, true, "nothing is made that no preview showed");
        const made = await call({ confirm: true, confirm_token: unseen.confirm_token });
        const stored = await at.stored(made.id);
        assert.equal(stored["status"], "draft");
        assert.deepEqual(await at.visitor(made.id), HIDDEN);
        const [listed] = await store.oauthGrants.list(user!.id);
        await store.oauthGrants.end(listed!.grant.id, "its user ended it");
        await assert.rejects(connected.listTools(), /the connection has ended/);
      } finally {
        await connected.close();
      }
    } finally {
      await server.shutdown();
    }
  },
});
