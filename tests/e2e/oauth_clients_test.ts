/** The official clients of both SDK lines let themselves in with their own OAuth, and carry a draft through. */
import assert from "node:assert/strict";
import type { User } from "../../model.ts";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { filledIn } from "../guard/oauth_kit.ts";
import { type Kit, site } from "../kit.ts";
import { Client1, Client2, type Provider1, Transport1, Transport2 } from "../packages/mcp_clients.ts";
import { start } from "./mcp_start.ts";

const INFO = { name: "test", version: "1.0.0" };
const REDIRECT = "http://127.0.0.1:9/callback";

/** What a client keeps, as its SDK asks for it; its person's browser is `answer`. */
class Wallet {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = {
    client_name: "SDK client",
    redirect_uris: [REDIRECT],
    grant_types: ["authorization_code", "refresh_token"],
    token_endpoint_auth_method: "none",
  };
  back: URLSearchParams | null = null;
  saves = 0;
  #client: unknown;
  #tokens: unknown;
  #verifier = "";
  #discovered: unknown;

  constructor(private readonly answer: (page: URL) => Promise<URL>) {}

  clientInformation = () => this.#client;
  saveClientInformation = (client: unknown) => void (this.#client = client);
  tokens = () => this.#tokens;
  saveTokens = (tokens: unknown) => void (this.#tokens = tokens, this.saves++);
  codeVerifier = () => this.#verifier;
  saveCodeVerifier = (verifier: string) => void (this.#verifier = verifier);
  discoveryState = () => this.#discovered;
  saveDiscoveryState = (discovered: unknown) => void (this.#discovered = discovered);
  state = () => "state-of-the-client";
  redirectToAuthorization = async (page: URL) => {
    this.back = (await this.answer(page)).searchParams;
    assert.equal(this.back.get("state"), this.state());
  };
}

/** A client that is connected, whichever line it is of. */
interface Connected {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

async function first(url: URL, wallet: Wallet): Promise<Connected> {
  const transport = () => new Transport1(url, { authProvider: wallet as unknown as Provider1 });
  const refused = transport();
  await assert.rejects(new Client1(INFO).connect(refused), /Unauthorized/);
  await refused.finishAuth(wallet.back!.get("code")!);
  const client = new Client1(INFO);
  await client.connect(transport());
  return client as Connected;
}

const second = (mode?: "auto" | { pin: string }) => async (url: URL, wallet: Wallet): Promise<Connected> => {
  type Options = ConstructorParameters<typeof Transport2>[1];
  const transport = () => new Transport2(url, { authProvider: wallet } as unknown as Options);
  const made = () => new Client2(INFO, mode === undefined ? {} : { versionNegotiation: { mode } });
  const refused = transport();
  await assert.rejects(made().connect(refused), /Unauthorized/);
  await refused.finishAuth(wallet.back!);
  const client = made();
  await client.connect(transport());
  return client as Connected;
};

const CLIENTS: Record<string, (url: URL, wallet: Wallet) => Promise<Connected>> = {
  "@modelcontextprotocol/sdk": first,
  "@modelcontextprotocol/client": second(),
  "@modelcontextprotocol/client, auto": second("auto"),
  "@modelcontextprotocol/client, pinned to 2026-07-28": second({ pin: "2026-07-28" }),
};

/** What a tool answered, as JSON. */
async function call(client: Connected, name: string, args: Record<string, unknown>) {
  const answer = await client.callTool({ name, arguments: args }) as {
    content: { text: string }[];
    isError?: boolean;
  };
  assert.ok(!answer.isError, answer.content[0]!.text);
  return JSON.parse(answer.content[0]!.text);
}

for (const [name, connect] of Object.entries(CLIENTS)) {
  Deno.test(`${name} goes from the 401 to a confirmed draft, over a refresh in between`, async () => {
    const begun = Date.now();
    let kit: Kit | undefined;
    const cms = await startWordPressStandIn({ now: () => kit?.clock.now ?? begun });
    const { username, application_password } = cms.users.admin;
    let user: User | null = null;
    const started = await start(
      {
        realClock: false,
        start: begun,
        fetch: "network",
        allowPrivate: ["127.0.0.1"],
        sites: [
          site("blog", "cms", {
            base_url: cms.base_url,
            credentials: { cms: { username, application_password } },
          }),
        ],
        signedIn: () => Promise.resolve(user && { user, session_id: "session", csrf: "csrf" }),
      },
      (opened) => kit = opened,
    );
    try {
      user = await kit!.store.users.create({
        email: "ann@gateway.example",
        role: "member",
        allowed_sites: ["*"],
        max_risk: 3,
      });
      const wallet = new Wallet(async (page) => {
        const form = filledIn(await (await fetch(page)).text(), { sites: "blog" });
        const { origin } = page;
        const init = { method: "POST", body: form, headers: { origin }, redirect: "manual" } as const;
        const response = await fetch(page, init);
        await response.body?.cancel();
        return new URL(response.headers.get("location")!);
      });
      const client = await connect(new URL(started.url), wallet);
      try {
        const { tools } = await client.listTools();
        assert.ok(tools.some((tool) => tool.name === "create_draft"));
        kit!.clock.now += 55 * 60_000;
        const draft = { site_id: "blog", title: "By a client", content_html: "<p>Hello</p>" };
        const unbound = await call(client, "create_draft", { ...draft, confirm: true });
        assert.equal(unbound.needs_confirmation, true, "a confirmation without its preview is a preview");
        kit!.clock.now += 6 * 60_000;
        const { confirm_token } = unbound;
        const made = await call(client, "create_draft", { ...draft, confirm: true, confirm_token });
        assert.equal(made.status, "draft");
        assert.equal(wallet.saves, 2, "the code's tokens, and those of one refresh");
        const [written] = (await kit!.audit()).filter((row) =>
          row.tool === "create_draft" && row.status === "ok"
        );
        assert.equal(written!.token_name, "SDK client");
        assert.equal(written!.owner_user_id, user!.id);
      } finally {
        await client.close();
      }
    } finally {
      await started.stop();
      await cms.stop();
    }
  });
}
