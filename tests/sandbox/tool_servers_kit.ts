/** A client of tool servers that shows what comes over the wire, and the official one beside it. */
import type { CmsLogin } from "../../sandbox/wordpress/sandbox.ts";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { addToolServers, type ToolServersOptions } from "../../sandbox/tool_servers/start.ts";
import { Client2 as Client, Transport2 as StreamableHTTPClientTransport } from "../packages/mcp_clients.ts";

export type Json = Record<string, unknown>;

/** A message as it was answered. */
export interface Answered {
  readonly status: number;
  readonly session: string | null;
  readonly type: string | null;
  /** Parsed where it is JSON. */
  readonly body: Json & {
    readonly result?: Json;
    readonly error?: { readonly code: number; readonly message: string };
  };
}

/** A site with its tool servers, and who asks them. */
export class ToolSite implements AsyncDisposable {
  private constructor(
    readonly site: Awaited<ReturnType<typeof startWordPressStandIn>>,
    readonly servers: ReturnType<typeof addToolServers>,
  ) {}

  static async open(options: ToolServersOptions = {}): Promise<ToolSite> {
    const site = await startWordPressStandIn();
    return new ToolSite(site, addToolServers(site, options));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.site.stop();
  }

  authorization(login: CmsLogin): string {
    const { username, application_password } = this.site.users[login];
    return `Basic ${btoa(`${username}:${application_password}`)}`;
  }

  /** Sends a body as it is. */
  async send(
    body: unknown,
    { server = "emcp-tools-server", login = "admin", session, headers = {}, method = "POST" }: {
      server?: string;
      login?: CmsLogin | null;
      session?: string | null;
      headers?: Record<string, string>;
      method?: string;
    } = {},
  ): Promise<Answered> {
    const response = await fetch(`${this.site.base_url}/wp-json/mcp/${server}`, {
      method,
      headers: {
        "content-type": "application/json",
        ...login === null ? {} : { authorization: this.authorization(login) },
        ...session ? { "mcp-session-id": session } : {},
        ...headers,
      },
      ...method === "POST" ? { body: typeof body === "string" ? body : JSON.stringify(body) } : {},
    });
    const text = await response.text();
    const isJson = text !== "" && response.headers.get("content-type")?.includes("json");
    return {
      status: response.status,
      session: response.headers.get("mcp-session-id"),
      type: response.headers.get("content-type"),
      body: isJson ? JSON.parse(text) : { text },
    };
  }

  /** A new session. */
  async session(server?: string, login?: CmsLogin): Promise<string> {
    const params = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    };
    const { session } = await this.send({ jsonrpc: "2.0", id: 0, method: "initialize", params }, {
      server,
      login,
    });
    if (session === null) throw new Error("There is no session");
    return session;
  }

  /** A client that calls tools by their names without the builder's prefix, in one session. */
  async caller(server = "emcp-tools-server", login: CmsLogin = "admin") {
    const session = await this.session(server, login);
    const prefix = server === "elementor-mcp-server"
      ? "elementor-mcp-"
      : server === "emcp-tools-server"
      ? "emcp-tools-"
      : "";
    const ask = (method: string, params: Json = {}) =>
      this.send({ jsonrpc: "2.0", id: 1, method, params }, { server, login, session });
    const call = async (name: string, args: Json = {}) => {
      const { body } = await ask("tools/call", {
        name: name.startsWith("core-") ? name : prefix + name,
        arguments: args,
      });
      const { isError, structuredContent, content } = body.result ?? {};
      return {
        body,
        isError,
        done: structuredContent as Json,
        says: (content as { text: string }[] | undefined)?.[0]?.text ?? "",
      };
    };
    return { ask, call, session };
  }

  /** The official client. */
  async official(server = "emcp-tools-server"): Promise<Client> {
    const client = new Client({ name: "test", version: "1" });
    const url = new URL(`${this.site.base_url}/wp-json/mcp/${server}`);
    const headers = { authorization: this.authorization("admin") };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    return client;
  }
}
