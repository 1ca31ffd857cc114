/** The card of a change for hosts of MCP Apps: one text that loads nothing, runs no script but its own, and decides nothing. */
import { hash } from "node:crypto";
import { onDemand } from "../core/async.ts";
import { CARD_URI } from "../registry/listing.ts";
import type { Frame } from "./mcp_frame.ts";

/** MCP Apps, version 2026-01-26: https://modelcontextprotocol.io/seps/1865-mcp-apps-interactive-user-interfaces-for-mcp */
export const CARD_EXTENSION = "io.modelcontextprotocol/ui";
/** What a host must take to be shown the card. */
export const CARD_TYPE = "text/html;profile=mcp-app";
/** What the server adds to its capabilities for such hosts. */
export const CARD_CAPABILITIES = `,"extensions":{"${CARD_EXTENSION}":{}}`;

const TTL_MS = 3_600_000;
/** Nothing is loaded from anywhere; what is left out is as strict, and some hosts take it for an old card. */
const META = {
  ui: {
    csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] },
    prefersBorder: true,
  },
};
/** The card as a list of resources has it. */
export const CARD = {
  uri: CARD_URI,
  name: "approval",
  title: "A change that waits for a person",
  description:
    "Shows what a change would do and whether it was decided. The decision is made on the gateway's page.",
  mimeType: CARD_TYPE,
  _meta: META,
};

const read = (name: string) => Deno.readTextFile(new URL(`../console/${name}`, import.meta.url));
const allowed = (text: string) => `'sha256-${hash("sha256", text, "base64")}'`;
const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

/** The card of the gateway at that address: it leads there, and nowhere else. */
export async function approvalCard(baseUrl: string): Promise<string> {
  const [script, style] = await Promise.all([read("approval_card.js"), read("approval_card.css")]);
  const policy = `default-src 'none'; script-src ${allowed(script)}; style-src ${allowed(style)}; ` +
    "base-uri 'none'; form-action 'none'";
  return `<!DOCTYPE html>
<html lang="en" data-origin="${escaped(baseUrl)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A change on a site</title>
<style>${style}</style>
</head>
<body>
<main id="card"><p class="state">Waiting for the answer</p></main>
<script type="module">${script}</script>
</body>
</html>
`;
}

/** The card of this gateway, made when the first host reads it. */
export class Card {
  readonly #text: () => Promise<string>;

  constructor(baseUrl: string) {
    this.#text = onDemand(() => approvalCard(baseUrl));
  }

  /** The members of the answer to who reads it. */
  async read({ modern }: Frame): Promise<string> {
    const contents = [{ uri: CARD_URI, mimeType: CARD_TYPE, text: await this.#text(), _meta: META }];
    const caching = modern ? `,"ttlMs":${TTL_MS},"cacheScope":"private"` : "";
    return `"contents":${JSON.stringify(contents)}${caching}`;
  }
}
