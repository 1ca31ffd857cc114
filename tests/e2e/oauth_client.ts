/** Clients of others as programs that let themselves in with their own OAuth: both SDK lines, and the AI SDK's. */
import assert from "node:assert/strict";
import { auth, createMCPClient, type ProviderAi } from "../packages/ai_sdk.ts";
import { Client1, Client2, type Provider1, Transport1, Transport2 } from "../packages/mcp_clients.ts";

const INFO = { name: "test", version: "1.0.0" };

/** What a program keeps of its own, as JSON: all that is left of it where another process goes on. */
export interface Kept {
  client?: unknown;
  tokens?: unknown;
  verifier?: string;
  /** What it found out of the server; null where it never keeps that, for no SDK insists on it. */
  discovered?: unknown;
}

/** What a client keeps, as its SDK asks for it. */
class Wallet {
  readonly clientMetadata;
  /** The page that its person was last sent to. */
  asked: URL | null = null;
  saves = 0;

  constructor(client_name: string, readonly redirectUrl: string, readonly kept: Kept) {
    this.clientMetadata = {
      client_name,
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      token_endpoint_auth_method: "none",
    };
    if (kept.discovered === null) return;
    this.discoveryState = () => kept.discovered;
    this.saveDiscoveryState = (discovered) => void (kept.discovered = discovered);
  }

  discoveryState?: () => unknown;
  saveDiscoveryState?: (discovered: unknown) => void;
  clientInformation = () => this.kept.client;
  saveClientInformation = (client: unknown) => void (this.kept.client = client);
  tokens = () => this.kept.tokens;
  saveTokens = (tokens: unknown) => void (this.kept.tokens = tokens, this.saves++);
  codeVerifier = () => this.kept.verifier ?? "";
  saveCodeVerifier = (verifier: string) => void (this.kept.verifier = verifier);
  state = () => "state-of-the-client";
  redirectToAuthorization = (page: URL) => void (this.asked = page);
}

/** A client that is connected, whichever line it is of. */
export interface Connected {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

/** A client that knows nothing but the address and what it has kept. */
export interface Stranger {
  /** Is refused with a 401, and answers the page that its person is sent to. */
  ask(): Promise<URL>;
  /** Goes on with what its person's browser brought back, whether or not it is the one that asked. */
  goOn(answer: URLSearchParams): Promise<Connected>;
  /** Connects with the tokens it has kept. */
  connect(): Promise<Connected>;
  /** How often it was given tokens. */
  saves(): number;
}

/** Makes a client of some name for an MCP endpoint; the answer goes to `redirectUrl`, and `kept` is what it has kept. */
export type Line = (url: string, client_name?: string, redirectUrl?: string, kept?: Kept) => Stranger;

/** How a line of clients does it. */
interface Ways<T> {
  /** What goes on from the refusal, where it is the same object that goes on. */
  begin(url: string, wallet: Wallet): T;
  /** Rejects with what a 401 is to that line. */
  refuse(begun: T): Promise<unknown>;
  finish(begun: T, answer: URLSearchParams): Promise<void>;
  connect(url: string, wallet: Wallet): Promise<unknown>;
}

const lineOf = <T>(ways: Ways<T>): Line =>
(
  url,
  client_name = "SDK client",
  redirectUrl = "http://127.0.0.1:9/callback",
  kept = {},
) => {
  const wallet = new Wallet(client_name, redirectUrl, kept);
  const begun = ways.begin(url, wallet);
  const connect = async () => await ways.connect(url, wallet) as Connected;
  return {
    async ask() {
      await assert.rejects(ways.refuse(begun), /Unauthorized/);
      return wallet.asked!;
    },
    async goOn(answer) {
      assert.equal(answer.get("state"), wallet.state());
      await ways.finish(begun, answer);
      return await connect();
    },
    connect,
    saves: () => wallet.saves,
  };
};

/** A line of the SDK, by what it calls its parts. */
function line<T>(
  client: () => { connect(transport: T): Promise<void> },
  transport: (url: URL, wallet: Wallet) => T,
  finish: (refused: T, answer: URLSearchParams) => Promise<void>,
): Line {
  return lineOf({
    begin: (url, wallet) => transport(new URL(url), wallet),
    refuse: (refused) => client().connect(refused),
    finish,
    async connect(url, wallet) {
      const connected = client();
      await connected.connect(transport(new URL(url), wallet));
      return connected;
    },
  });
}

/** The client of line 1. */
export const first = line(
  () => new Client1(INFO),
  (url, wallet) => new Transport1(url, { authProvider: wallet as unknown as Provider1 }),
  (refused, answer) => refused.finishAuth(answer.get("code")!),
);

/** The client of line 2, by its own choice of a protocol version or by that one. */
export const second = (mode?: "auto" | { pin: string }) =>
  line<Transport2>(
    () => new Client2(INFO, mode === undefined ? {} : { versionNegotiation: { mode } }),
    (url, wallet) => {
      type Options = ConstructorParameters<typeof Transport2>[1];
      return new Transport2(url, { authProvider: wallet } as unknown as Options);
    },
    (refused, answer) => refused.finishAuth(answer),
  );

const withAi = (url: string, wallet: Wallet) =>
  createMCPClient({ transport: { type: "http", url, authProvider: wallet as unknown as ProviderAi } });

/** The client of the AI SDK, whose callback is a function that is given the code and what the provider kept. */
const ai = lineOf({
  begin: (url, wallet) => ({ url, wallet }),
  refuse: ({ url, wallet }) => withAi(url, wallet),
  async finish({ url, wallet }, answer) {
    const done = await auth(wallet as unknown as ProviderAi, {
      serverUrl: url,
      authorizationCode: answer.get("code")!,
      callbackState: answer.get("state")!,
      callbackIssuer: answer.get("iss")!,
    });
    assert.equal(done, "AUTHORIZED");
  },
  connect: withAi,
});

/** Every client of others there is a package of. */
export const CLIENTS: Readonly<Record<string, Line>> = {
  "@modelcontextprotocol/sdk": first,
  "@modelcontextprotocol/client": second(),
  "@modelcontextprotocol/client, auto": second("auto"),
  "@modelcontextprotocol/client, pinned to 2026-07-28": second({ pin: "2026-07-28" }),
  "@ai-sdk/mcp": ai,
};

/** What a tool answered, as JSON; a refusal fails the test. */
export async function call(client: Connected, name: string, args: Record<string, unknown>) {
  const answer = await client.callTool({ name, arguments: args }) as {
    content: { text: string }[];
    isError?: boolean;
  };
  assert.ok(!answer.isError, answer.content[0]!.text);
  return JSON.parse(answer.content[0]!.text);
}

/** Makes a draft with the token of its preview, which is all that a confirmation without one gets; answers its id. */
export async function draft(client: Connected, site_id: string, title: string): Promise<number> {
  const args = { site_id, title, content_html: "<p>Hello</p>", confirm: true };
  const unseen = await call(client, "create_draft", args);
  assert.equal(unseen.needs_confirmation, true, "nothing is made that no preview showed");
  const made = await call(client, "create_draft", { ...args, confirm_token: unseen.confirm_token });
  assert.equal(made.status, "draft");
  return made.id;
}
