/** What is shown once of a new token: its text to copy, and how each client is set up with it. */
import type { Child } from "hono/jsx";
import type { Token } from "../../core/model.ts";
import { Section } from "../parts.tsx";

/** A client, and what its person does with the token. */
interface Client {
  readonly id: string;
  readonly name: string;
  readonly steps: Child;
  /** A file or command to copy, with what it is. */
  readonly code?: { readonly what: string; readonly text: string };
}

const json = (value: unknown) => JSON.stringify(value, null, 2);
/** A text between single quotes of a shell. */
const shell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The address of the tools; of a token for one site that site's, so that a call need not name it. */
export function mcpAddress(baseUrl: string, { allowed_sites: [one, ...others] }: Token): string {
  const isOne = one !== undefined && one !== "*" && others.length === 0;
  return `${baseUrl}/mcp${isOne ? `?site=${encodeURIComponent(one)}` : ""}`;
}

/** A token, where it is used, and its text. */
interface Use {
  readonly url: string;
  readonly baseUrl: string;
  readonly bearer: string;
}

/** How each client is set up. docs/upstreams/clients.md has where its maker says so. */
export function clientsFor(baseUrl: string, token: Token, text: string): readonly Client[] {
  const use = { url: mcpAddress(baseUrl, token), baseUrl, bearer: `Bearer ${text}` };
  return [...editors(use), ...others(use)];
}

const NAME = "site-operations";

/** Programs that take a token. */
function editors({ url, bearer }: Use): readonly Client[] {
  return [
    {
      id: "claude",
      name: "Claude",
      steps: [
        "Claude's own connectors take no token: under Settings, Connectors, add a custom connector with the address " +
        `${url} and sign in here; then this token is not needed. To use the token, Claude Desktop runs a program that carries ` +
        "it: put this into claude_desktop_config.json (Settings, Developer, Edit Config) and start Claude anew. It needs Node.js.",
      ],
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
  ];
}

/** Services, and the command line. */
function others({ url, baseUrl, bearer }: Use): readonly Client[] {
  return [
    {
      id: "chatgpt",
      name: "ChatGPT",
      steps:
        "ChatGPT takes no token. Turn on its developer mode (Settings, Connectors, Advanced), create a connector with this " +
        "address and OAuth, and sign in here: the page that follows asks what it may do. This token is not needed for it.",
      code: { what: "address", text: url },
    },
    {
      id: "n8n",
      name: "n8n",
      steps: [
        "In the node MCP Client Tool choose HTTP Streamable, put the address below into its endpoint, choose Bearer Auth, and make " +
        "a credential with the token above.",
      ],
      code: { what: "address", text: url },
    },
    {
      id: "curl",
      name: "curl",
      steps: "This says whose token it is, and what it may do.",
      code: {
        what: "command",
        text: `curl -s -H ${shell(`Authorization: ${bearer}`)} ${shell(`${baseUrl}/api/v1/whoami`)}`,
      },
    },
  ];
}

/** A text to copy: a click selects all of it, and with scripts a button copies it. */
export function Copied(
  { what, text, secret = false }: { readonly what: string; readonly text: string; readonly secret?: boolean },
): Child {
  return (
    <div class="copied">
      <button type="button" class="quiet small" data-copy hidden>{`Copy the ${what}`}</button>
      {secret ? <code class="secret">{text}</code> : <pre><code>{text}</code></pre>}
    </div>
  );
}

/** The clients to choose from, one shown at a time, without scripts too. */
export function ClientTabs(
  { baseUrl, token, text }: { readonly baseUrl: string; readonly token: Token; readonly text: string },
): Child {
  const clients = clientsFor(baseUrl, token, text);
  return (
    <Section id="clients" title="Set up where it is used">
      <div class="switched">
        {clients.map(({ id, name }, at) => (
          <>
            <input id={`client-${id}`} type="radio" name="client" value={id} checked={at === 0} />
            <label for={`client-${id}`}>{name}</label>
          </>
        ))}
        {clients.map(({ id, name, steps, code }) => (
          <div class="panel" role="group" aria-label={name} data-client={id}>
            <p>{steps}</p>
            {code && <Copied what={code.what} text={code.text} />}
          </div>
        ))}
      </div>
    </Section>
  );
}
