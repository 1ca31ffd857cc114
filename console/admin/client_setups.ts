/** How each client of others is set up for this gateway: the words and the files that a new token's page and docs/CLIENTS.md have. */

/** A client, and what its person does to connect it. */
export interface ClientSetup {
  readonly id: string;
  readonly name: string;
  readonly steps: string;
  /** A file or command to copy, with what it is. */
  readonly code: { readonly what: string; readonly text: string };
}

/** Where the tools are, where the gateway is, and the token as a header. */
interface Use {
  readonly url: string;
  readonly baseUrl: string;
  readonly bearer: string;
}

const NAME = "site-operations";

const json = (value: unknown) => JSON.stringify(value, null, 2);
/** A text between single quotes of a shell. */
const shell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const address = (text: string) => ({ what: "address", text });

/**
 * How each client is set up to call the tools at `url` with a token's text. docs/upstreams/clients.md has where its maker
 * says so.
 */
export function clientSetups(baseUrl: string, url: string, text: string): readonly ClientSetup[] {
  const use = { url, baseUrl, bearer: `Bearer ${text}` };
  return [...claude(use), ...editors(use), ...services(use), ...programs(use)];
}

/** Claude, as an assistant and in a terminal. */
function claude({ url, bearer }: Use): readonly ClientSetup[] {
  return [
    {
      id: "claude",
      name: "Claude",
      steps:
        `Claude's own connectors take no token: under Settings, Connectors, add a custom connector with the address ${url} ` +
        "and sign in here; then this token is not needed. To use the token, Claude Desktop runs a program that carries " +
        "it: put this into claude_desktop_config.json (Settings, Developer, Edit Config) and start Claude anew. It needs Node.js.",
      code: {
        what: "claude_desktop_config.json",
        text: json({
          mcpServers: {
            [NAME]: {
              command: "npx",
              args: ["-y", "mcp-remote", url, "--header", "Authorization:${AUTH_HEADER}"],
              env: { AUTH_HEADER: bearer },
            },
          },
        }),
      },
    },
    {
      id: "claude-code",
      name: "Claude Code",
      steps: "Run this where you work. With --scope user it holds in every project.",
      code: {
        what: "command",
        text: `claude mcp add --transport http ${NAME} ${shell(url)} \\\n  --header ${
          shell(`Authorization: ${bearer}`)
        }`,
      },
    },
  ];
}

/** Editors, and other assistants. */
function editors({ url, bearer }: Use): readonly ClientSetup[] {
  return [
    {
      id: "cursor",
      name: "Cursor",
      steps: "Put this into ~/.cursor/mcp.json, or into .cursor/mcp.json of a project that nobody else gets.",
      code: {
        what: "mcp.json",
        text: json({ mcpServers: { [NAME]: { url, headers: { Authorization: bearer } } } }),
      },
    },
    {
      id: "vscode",
      name: "VS Code",
      steps:
        "Run the command MCP: Open User Configuration and put this in. In .vscode/mcp.json it would be shared with the project.",
      code: {
        what: "mcp.json",
        text: json({ servers: { [NAME]: { type: "http", url, headers: { Authorization: bearer } } } }),
      },
    },
    {
      id: "chatgpt",
      name: "ChatGPT",
      steps:
        "ChatGPT takes no token. Turn on its developer mode (Settings, Connectors, Advanced), create a connector with this " +
        "address and OAuth, and sign in here: the page that follows asks what it may do. This token is not needed for it.",
      code: address(url),
    },
    goose({ url, bearer }),
  ];
}

/** Goose; each text of its YAML is written as JSON, which YAML reads as the same text. */
function goose({ url, bearer }: Pick<Use, "url" | "bearer">): ClientSetup {
  const lines = [
    "extensions:",
    `  ${NAME}:`,
    "    enabled: true",
    "    type: streamable_http",
    `    name: ${NAME}`,
    "    description: Site operations",
    `    uri: ${JSON.stringify(url)}`,
    "    headers:",
    `      Authorization: ${JSON.stringify(bearer)}`,
    "    timeout: 300",
  ];
  return {
    id: "goose",
    name: "Goose",
    steps: "Put this into ~/.config/goose/config.yaml, beside the extensions that are there.",
    code: { what: "config.yaml", text: lines.join("\n") },
  };
}

/** Services that run workflows. */
function services({ url }: Use): readonly ClientSetup[] {
  return [
    {
      id: "n8n",
      name: "n8n",
      steps:
        "In the node MCP Client Tool choose HTTP Streamable, put this address into its endpoint, choose Bearer Auth, and make " +
        "a credential with the token.",
      code: address(url),
    },
    {
      id: "zapier",
      name: "Zapier",
      steps:
        "Under Apps add a connection to MCP Client: this address as Server URL, Streamable HTTP as Transport, No for OAuth, and " +
        "the token as Bearer Token. With Yes for OAuth you sign in here, and this token is not needed.",
      code: address(url),
    },
    {
      id: "make",
      name: "Make",
      steps:
        "Add the app MCP Client to a scenario, make a connection to a new server with this address, and sign in here: the " +
        "page that follows asks what it may do. Where its form takes an access token, that can be the token instead.",
      code: address(url),
    },
  ];
}

/** Programs that somebody writes, and the command line. */
function programs({ url, baseUrl, bearer }: Use): readonly ClientSetup[] {
  const headers = `{ Authorization: ${JSON.stringify(bearer)} }`;
  return [
    {
      id: "langchain",
      name: "LangChain",
      steps: "Install @langchain/mcp-adapters. A program should read the token from its environment.",
      code: {
        what: "code",
        text: `import { MultiServerMCPClient } from "@langchain/mcp-adapters";

const client = new MultiServerMCPClient({
  mcpServers: {
    ${JSON.stringify(NAME)}: {
      transport: "http",
      url: ${JSON.stringify(url)},
      headers: ${headers},
    },
  },
});
const tools = await client.getTools();`,
      },
    },
    {
      id: "ai-sdk",
      name: "AI SDK",
      steps: "Install @ai-sdk/mcp. A program should read the token from its environment.",
      code: {
        what: "code",
        text: `import { createMCPClient } from "@ai-sdk/mcp";

const client = await createMCPClient({
  transport: {
    type: "http",
    url: ${JSON.stringify(url)},
    headers: ${headers},
  },
});
const tools = await client.tools();`,
      },
    },
    {
      id: "curl",
      name: "curl",
      steps:
        "This says whose token it is, and what it may do. A tool is called by a POST to /api/v1/tools/ and its name.",
      code: {
        what: "command",
        text: `curl -s -H ${shell(`Authorization: ${bearer}`)} ${shell(`${baseUrl}/api/v1/whoami`)}`,
      },
    },
  ];
}
