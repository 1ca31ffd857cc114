/** The official clients of both SDK lines as programs that let themselves in with their own OAuth. */
import assert from "node:assert/strict";
import { Client1, Client2, type Provider1, Transport1, Transport2 } from "../packages/mcp_clients.ts";

const INFO = { name: "test", version: "1.0.0" };

/** What a client keeps, as its SDK asks for it. */
class Wallet {
  readonly clientMetadata;
  /** The page that its person was last sent to. */
  asked: URL | null = null;
  saves = 0;
  #client: unknown;
  #tokens: unknown;
  #verifier = "";
  #discovered: unknown;

  constructor(client_name: string, readonly redirectUrl: string) {
    this.clientMetadata = {
      client_name,
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      token_endpoint_auth_method: "none",
    };
  }

  clientInformation = () => this.#client;
  saveClientInformation = (client: unknown) => void (this.#client = client);
  tokens = () => this.#tokens;
  saveTokens = (tokens: unknown) => void (this.#tokens = tokens, this.saves++);
  codeVerifier = () => this.#verifier;
  saveCodeVerifier = (verifier: string) => void (this.#verifier = verifier);
  discoveryState = () => this.#discovered;
  saveDiscoveryState = (discovered: unknown) => void (this.#discovered = discovered);
  state = () => "state-of-the-client";
  redirectToAuthorization = (page: URL) => void (this.asked = page);
}

/** A client that is connected, whichever line it is of. */
export interface Connected {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

/** A client that knows nothing but the address. */
export interface Stranger {
  /** Is refused with a 401, and answers the page that its person is sent to. */
  ask(): Promise<URL>;
  /** Goes on with what its person's browser brought back. */
  goOn(answer: URLSearchParams): Promise<Connected>;
  /** How often it was given tokens. */
  saves(): number;
}

/** Makes a client of some name for an MCP endpoint; the answer goes to `redirectUrl`. */
export type Line = (url: string, client_name?: string, redirectUrl?: string) => Stranger;

/** A line of the SDK, by what it calls its parts. */
function line<T>(
  client: () => { connect(transport: T): Promise<void> },
  transport: (url: URL, wallet: Wallet) => T,
  finish: (refused: T, answer: URLSearchParams) => Promise<void>,
): Line {
  return (url, client_name = "SDK client", redirectUrl = "http://127.0.0.1:9/callback") => {
    const wallet = new Wallet(client_name, redirectUrl);
    const refused = transport(new URL(url), wallet);
    return {
      async ask() {
        await assert.rejects(client().connect(refused), /Unauthorized/);
        return wallet.asked!;
      },
      async goOn(answer) {
        assert.equal(answer.get("state"), wallet.state());
        await finish(refused, answer);
        const connected = client();
        await connected.connect(transport(new URL(url), wallet));
        return connected as unknown as Connected;
      },
      saves: () => wallet.saves,
    };
  };
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
