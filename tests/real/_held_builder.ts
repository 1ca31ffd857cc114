/** Pages for the tools of a page builder, and calls of those tools that are held as the gateway holds them. */
import assert from "node:assert/strict";
import { allowedOf } from "../../platforms/_proxied_calls/held_effects.ts";
import type { ProxyContext } from "../../platforms/_proxied_calls/proxied_context.ts";
import type { Resolved } from "../../platforms/_proxied_calls/resolved.ts";
import type { ProxyClass } from "../../platforms/tool_servers/types.ts";
import { readProxies } from "../../registry/proxies.ts";
import type { Held } from "../companion/hold_kit.ts";
import { type Answer, type Json, signature } from "../companion/site.ts";
import { CONNECTORS } from "../connectors.ts";

const SERVER = "emcp-tools-server";
const ROUTE = `/mcp/${SERVER}`;
const CMS = (await readProxies([new URL("../../", import.meta.url)], CONNECTORS))
  .find(({ source }) => source === "cms")!;

/** What an operator would say of tools that nobody offers without an approval. */
const APPROVED: Readonly<Record<string, ProxyClass>> = {
  "create-post": { writes: true, effect: "new" },
  "update-post": { writes: true, effect: "page", page: "post_id" },
  "set-post-terms": { writes: true, effect: "page", page: "post_id" },
  "delete-post": { writes: true, effect: "page", page: "post_id" },
};
const UNKNOWN: ProxyClass = { writes: true, effect: CMS.effect };

/** How a call is to be held. */
interface Holding {
  readonly id: string;
  readonly dry?: true;
  /** Whether the site and the token allow what visitors see. */
  readonly publishes?: boolean;
  readonly expect?: string;
}

/** The header that the gateway sends with a call of that tool. */
export function held(tool: string, args: Json, { id, dry, publishes = false, expect }: Holding): string {
  const name = CMS.servedName(`emcp-tools-${tool}`);
  const { effect, page } = CMS.known.get(name) ?? APPROVED[tool] ?? UNKNOWN;
  const rule = CMS.holdRule(name, SERVER)!;
  const own = [`own=${rule.own.join(",")}`, ...(rule.http === "get" ? ["http=get"] : [])];
  if (dry) return ["dry", `id=${id}`, ...own].join("; ");
  const pageId = page === undefined ? null : Number(args[page]);
  const call = { target: { effect, hold: rule }, pageId } as Resolved;
  const site = { flags: { allow_publish: publishes }, caller: { maxRisk: 3 } };
  const { labels, of } = allowedOf(call, { site, caller: site.caller } as unknown as ProxyContext);
  const parts = [
    "hold",
    `id=${id}`,
    `allow=${labels.join(",")}`,
    ...(of === null ? [] : [`of=${of}`]),
    ...(rule.files ? ["files=1"] : []),
    ...(expect === undefined ? [] : [`expect=${expect}`]),
    ...own,
  ];
  return parts.join("; ");
}

/** Calls a tool, held where a header says so. */
export async function call(site: Held, tool: string, args: Json, hold = ""): Promise<Answer> {
  const params = { name: `emcp-tools-${tool}`, arguments: args };
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params } as unknown as Json;
  const headers = hold === "" ? {} : signature(site.key, "POST", ROUTE, { body, hold });
  return await site.wp.send("admin", "POST", `/wp-json${ROUTE}`, body, headers);
}

async function done(site: Held, tool: string, args: Json): Promise<Json> {
  const { body } = await call(site, tool, args);
  const { content, isError } = body["result"] as { content: { text: string }[]; isError: boolean };
  assert.equal(isError, false, content[0]!.text);
  return JSON.parse(content[0]!.text) as Json;
}

/** What the tools are tried on. */
export interface Made {
  /** A draft of elements, which its editor has looked at. */
  readonly page: number;
  readonly container: string;
  readonly heading: string;
  readonly text: string;
  readonly button: string;
  readonly second: string;
  /** A draft of blocks. */
  readonly blocks: number;
  /** A page of elements that visitors see. */
  readonly live: number;
  readonly template: number;
  readonly media: number;
}

const CONTENT = [1, 2, 3].map((n) => `<!-- wp:paragraph --><p>${n}</p><!-- /wp:paragraph -->`).join("\n\n");

/** Makes them, plainly. */
export async function makePages(site: Held): Promise<Made> {
  const widget = (widget_type: string, settings: Json) => ({ widget_type, settings });
  const children = [
    widget("heading", { title: "One" }),
    widget("text-editor", { editor: "Two" }),
    widget("button", { text: "Three" }),
  ];
  const structure = [{ children }, {}];
  const { post_id: page } = await done(site, "build-page", { title: "Base", structure });
  const { post_id: live } = await done(site, "build-page", { title: "Live", structure, status: "publish" });
  const { post_id: template } = await done(site, "save-as-template", { title: "Template", post_id: page });
  for (const id of [page, live]) await site.wp.peek({ call: ["BuilderActs\\show_page", [id]] });
  const { meta } = await site.wp.peek({ id: page });
  const ids = [...String(meta["_elementor_data"]).matchAll(/"id":"(\w+)"/g)].map(([, id]) => id!);
  const [container, heading, text, button, second] = ids as [string, string, string, string, string];
  return {
    page: page as number,
    container,
    heading,
    text,
    button,
    second,
    blocks: await site.wp.draft("admin", { title: "Blocks", content: CONTENT }, "pages"),
    live: live as number,
    template: template as number,
    media: (await site.wp.image(`image-${page}`)).id,
  };
}
