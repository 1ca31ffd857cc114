/** What the demo prints: calls to try, ready to be pasted. */
import type { DemoPart, Paste, PasteUndone } from "./demo_part.ts";
import type { StaticProject } from "./project.ts";
import type { CmsSandbox } from "./wordpress/start.ts";

/** A call for a shell; `body` is JSON in single quotes, which may be left for a variable. */
const curl = (url: string, token: string, body: string) =>
  [
    `curl -s ${url} \\`,
    `  -H 'Authorization: Bearer ${token}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${body}'`,
  ].join("\n");

/** A write in two blocks: its preview, kept in a variable and shown, then the same call with the token of that preview. */
function previewed(url: string, token: string, args: Readonly<Record<string, unknown>>): string[] {
  const confirmed = JSON.stringify({ ...args, confirm: true, confirm_token: "" }).replace(
    /""}$/,
    `"'$CONFIRM'"}`,
  );
  return [
    `PREVIEW=$(${curl(url, token, JSON.stringify(args))}); printf "%s\\n" "$PREVIEW"`,
    "",
    "Read it, then send the same call with confirm and the confirm_token of that preview: exactly what it showed is done.",
    "",
    `CONFIRM=${read("PREVIEW", "confirm_token")}`,
    curl(url, token, confirmed),
  ];
}

/** What a field of an answer that was kept in a variable says. */
const read = (variable: string, field: string) =>
  `$(printf "%s" "$${variable}" | sed 's/.*"${field}":"\\([^"]*\\)".*/\\1/')`;

/** A write, its answer kept and shown; then what takes it back: shown, and carried out. */
function undone(
  tools: string,
  token: string,
  tool: string,
  args: Readonly<Record<string, unknown>>,
): string[] {
  return [
    `ANSWER=$(${curl(`${tools}/${tool}`, token, JSON.stringify(args))}); printf "%s\\n" "$ANSWER"`,
    "",
    "The site keeps what stood there before. Taking it back is shown first, too:",
    "",
    `REQUEST=${read("ANSWER", "request_id")}`,
    ...previewed(`${tools}/undo_change`, token, { site_id: args["site_id"], request_id: "'$REQUEST'" }),
  ];
}

/** What an MCP client is set to. */
function configuration(address: string, token: string): string {
  const headers = { Authorization: `Bearer ${token}` };
  const server = { type: "http", url: `${address}/mcp`, headers };
  return JSON.stringify({ mcpServers: { "site-operations": server } }, null, 2);
}

/** A draft through either door, and how a client is set up. */
function drafting(address: string, token: string): string[] {
  const draft = {
    site_id: "demo",
    title: "Hello",
    content_html: "<p>Written through the gateway.</p>",
  };
  const frame = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "create_draft", arguments: draft },
  };
  return [
    "1. A draft through REST. A preview first: it says what would be made, and nothing is changed.",
    "",
    ...previewed(`${address}/api/v1/tools/create_draft`, token, draft),
    "",
    "2. The same through MCP: the preview. An agent sends the call again, with confirm and confirm_token among its arguments.",
    "",
    curl(`${address}/mcp`, token, JSON.stringify(frame)),
    "",
    "3. For an MCP client's configuration:",
    "",
    configuration(address, token),
    "",
  ];
}

/** The site of pages that a build makes: begun, looked at, built. */
function staticSite(
  project: Pick<StaticProject, "folder" | "address"> | null,
  paste: Paste,
  write: (tool: string, args: Readonly<Record<string, unknown>>) => readonly string[],
): readonly string[] {
  if (project === null) {
    return ['git is missing on this machine, so there is no site id "demo-static" to try.'];
  }
  const scaffold = { site_id: "demo-static", homepage_html: "<h1>Hello</h1>", blog: true };
  return [
    '4. A static site (site id "demo-static", its repository still empty): see what would begin it.',
    "",
    ...write("init_static_project", scaffold),
    "",
    "The commit can be looked at:",
    "",
    `git clone ${project.folder} demo-site`,
    ...project.address === null ? [] : [
      "",
      `The site is at ${project.address} once the commit is built, which is done in the background with packages of npm`,
      "(some 160 MB, the first time; without npm the answer says that nothing was built). How it is doing:",
      "",
      paste("check_static_deploy", { site_id: "demo-static", wait_seconds: 30 }),
    ],
  ];
}

/** What to try, ready to be pasted; `section` is what the site builder has saved. */
export function guide(
  address: string,
  token: string,
  cms: Pick<CmsSandbox, "kind" | "base_url">,
  project: Pick<StaticProject, "folder" | "address"> | null,
  section: string,
  parts: readonly DemoPart[] = [],
): string {
  const tools = `${address}/api/v1/tools`;
  const post = (url: string, body: unknown) => curl(url, token, JSON.stringify(body));
  const write = (tool: string, args: Readonly<Record<string, unknown>>) =>
    previewed(`${tools}/${tool}`, token, args);
  const paste: Paste = (tool, args) => post(`${tools}/${tool}`, args);
  const back: PasteUndone = (tool, args) => undone(tools, token, tool, args);
  const site = `A ${
    cms.kind === "wordpress" ? "real WordPress with the companion plugin" : "stand-in for WordPress"
  } answers at ${cms.base_url} (site ids "demo" and "demo-live").`;
  return [
    `The gateway answers at ${address}. ${site}`,
    `A stand-in for Duda, a site builder, has the site id "demo-built"; its saved section is ${section}.`,
    "",
    ...drafting(address, token),
    ...staticSite(project, paste, write),
    "",
    `5. Topic planning on a stand-in (site id "demo" reads, "demo-live" may also write):`,
    "",
    paste("topicmap_list_content_jobs", { site_id: "demo" }),
    "",
    '6. A report of a made-up client from a stand-in for the CRM (site id "demo-crm"):',
    "",
    paste("crm_bootstrap_baseline", { site_id: "demo-crm" }),
    "",
    ...parts.flatMap((part, at) => {
      const [heading, ...lines] = part.guide(address, paste, back);
      return [`${7 + at}. ${heading}`, "", ...lines, ""];
    }),
    `The pages for people are at ${address}/admin. Sign in with the master token there: the MASTER_TOKEN of`,
    "data/secrets.json, or of the environment where it has one.",
    "",
    `Every call leaves a row: npx -y deno@2.9 task admin audit tail --url ${address}`,
    "Ctrl-C stops everything, and the sites are gone with what was done on them. data/secrets.json stays, for",
    "deno task admin, data/wordpress, so that the next demo starts sooner, and data/packages, which sites were built",
    "with; remove data/ to be rid of all three.",
  ].join("\n");
}
