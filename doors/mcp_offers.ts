/** What the MCP door offers beside tools: resources, prompts and completion. Each answer is that of a call of a tool. */
import { clipped, GatewayError } from "../core/errors.ts";
import type { Caller } from "../core/model.ts";
import { isFields } from "../core/values.ts";
import { wants } from "../registry/asked_list.ts";
import type { ToolEntry } from "../registry/entry.ts";
import { type Prompt, prompts, wordsOf } from "../registry/prompts.ts";
import type { McpCall } from "./mcp_call.ts";
import { CARD, type Card } from "./mcp_card.ts";
import { COMPLETED, type Completing, completion } from "./mcp_completion.ts";
import { type Frame, FrameFault, RPC } from "./mcp_frame.ts";

/** What a server says that it has, beside its tools. */
export const OFFERED = `"resources":{},"prompts":{},"completions":{}`;

/** Who asks, and how the call is made that answers. */
export interface Offering extends Pick<McpCall, "caller" | "narrowed"> {
  readonly client: { readonly showsCards: boolean };
  /** Throws GatewayError for every refusal. */
  call(tool: string, args: Record<string, unknown>): Promise<unknown>;
}

/** What it depends on. */
export interface OffersPorts {
  /** The tool of that name, where the caller may call it. */
  callable(caller: Caller, name: string): ToolEntry | null;
}

/** Lists of what a token may see; what is read of a site is true of that moment. */
const LIST_TTL_MS = 60_000;
const READ_TTL_MS = 0;
/** Sites of a page of the list of resources. */
const PAGE_SITES = 100;
const JSON_TYPE = "application/json";
const SCHEME = "site://";

/** What can be read of each site: the tool that answers it. */
const VIEWS = {
  facts: {
    tool: "get_site",
    title: "How a site is set up",
    description: "Platform, flags, linked services, page builders, time zone, and a freeze",
  },
  changes: {
    tool: "list_changes",
    title: "What was changed on a site",
    description: "Changes made through the gateway, the newest ten, and which can be taken back",
  },
} as const;
type View = keyof typeof VIEWS;

/** The resources, prompts and completion of a caller. */
export class Offers {
  readonly #ports: OffersPorts;
  readonly #card: Card;

  constructor(ports: OffersPorts, card: Card) {
    this.#ports = ports;
    this.#card = card;
  }

  /**
   * The members of the answer to such a method; null for another method. Throws what the call threw that answers it.
   */
  async reply(frame: Frame, asked: Offering): Promise<string | FrameFault | null> {
    switch (frame.method) {
      case "resources/list":
        return await this.#resources(frame, asked);
      case "resources/templates/list":
        return onePage(frame) ?? this.#templates(frame, asked);
      case "resources/read":
        return await this.#read(frame, asked);
      case "prompts/list":
        return onePage(frame) ?? await this.#prompts(frame, asked);
      case "prompts/get":
        return await this.#prompt(frame, asked);
      case "completion/complete":
        return await this.#complete(frame, asked);
      default:
        return null;
    }
  }

  /** A tool that the caller may call, within what its request leaves of them. */
  #tool({ caller, narrowed }: Offering, name: string): ToolEntry | null {
    const entry = this.#ports.callable(caller, name);
    return entry !== null && wants({ ...narrowed, own: false }, entry) ? entry : null;
  }

  /** The sites that the request is for, by a call of `list_sites`; none where that may not be called. */
  async #sites(asked: Offering): Promise<readonly Listed[]> {
    if (this.#tool(asked, "list_sites") === null) return [];
    const all = sitesOf(await asked.call("list_sites", {}));
    const [only] = asked.narrowed.sites;
    return only === undefined ? all : all.filter(({ id }) => id === only);
  }

  #views(asked: Offering): View[] {
    return (Object.keys(VIEWS) as View[]).filter((view) => this.#tool(asked, VIEWS[view].tool) !== null);
  }

  async #resources(frame: Frame, asked: Offering): Promise<string | FrameFault> {
    const from = pageOf(frame.params.cursor);
    if (from === null) return strange(frame, "cursor: send the nextCursor of the page before, or none");
    const views = this.#views(asked);
    const sites = views.length === 0 ? [] : await this.#sites(asked);
    const listed: unknown[] = from === 0 && asked.client.showsCards ? [CARD] : [];
    for (const { id, name } of sites.slice(from, from + PAGE_SITES)) {
      for (const view of views) {
        const { title, description } = VIEWS[view];
        listed.push({
          uri: addressOf(id, view),
          name: `${id} ${view}`,
          title: `${name}: ${view}`,
          description: `${title}. ${description}`,
          mimeType: JSON_TYPE,
        });
      }
    }
    const next = from + PAGE_SITES;
    const more = next < sites.length ? `,"nextCursor":"${next}"` : "";
    return `"resources":${JSON.stringify(listed)}${more}${caching(frame, LIST_TTL_MS)}`;
  }

  #templates(frame: Frame, asked: Offering): string {
    const listed = this.#views(asked).map((view) => ({
      uriTemplate: `${SCHEME}{site_id}/${view}`,
      name: `site ${view}`,
      title: VIEWS[view].title,
      description: VIEWS[view].description,
      mimeType: JSON_TYPE,
    }));
    return `"resourceTemplates":${JSON.stringify(listed)}${caching(frame, LIST_TTL_MS)}`;
  }

  async #read(frame: Frame, asked: Offering): Promise<string | FrameFault> {
    const { uri } = frame.params;
    if (typeof uri !== "string") return strange(frame, "uri: send the address of a resource");
    if (asked.client.showsCards && uri === CARD.uri) return await this.#card.read(frame);
    const found = placeOf(uri);
    if (found === null) {
      const ways = Object.keys(VIEWS).map((view) => `${SCHEME}<site_id>/${view}`).join(" and ");
      const message = `uri: there is no resource ${JSON.stringify(clipped(uri))}; there are ${ways}`;
      const code = frame.modern ? RPC.INVALID_PARAMS : RPC.RESOURCE_NOT_FOUND;
      return new FrameFault(200, code, message, frame.id, { uri: clipped(uri) });
    }
    const { tool } = VIEWS[found.view];
    const value = await asked.call(tool, { site_id: found.site });
    const contents = [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(value) }];
    return `"contents":${JSON.stringify(contents)}${caching(frame, READ_TTL_MS)}`;
  }

  async #prompts(frame: Frame, asked: Offering): Promise<string> {
    const listed = (await prompts()).filter((one) => this.#suits(asked, one)).map((one) => {
      const { name, title, description } = one;
      const known = one.arguments.map(({ name, description, required }) => ({
        name,
        description,
        required: required === true,
      }));
      return { name, title, description, arguments: known };
    });
    return `"prompts":${JSON.stringify(listed)}${caching(frame, LIST_TTL_MS)}`;
  }

  #suits(asked: Offering, { tools }: Prompt): boolean {
    return tools.every((name) => this.#tool(asked, name) !== null);
  }

  async #prompt(frame: Frame, asked: Offering): Promise<string | FrameFault> {
    const { name, arguments: given = {} } = frame.params;
    const there = (await prompts()).filter((one) => this.#suits(asked, one));
    const prompt = there.find((one) => one.name === name);
    if (prompt === undefined) {
      const known = there.map((one) => one.name).join(", ") || "none that this token may use";
      return strange(
        frame,
        `name: there is no prompt ${JSON.stringify(clipped(String(name)))}; there are ${known}`,
      );
    }
    if (!isFields(given)) return strange(frame, "arguments: send an object");
    const said = wordsOf(prompt, given);
    if ("wrong" in said) return strange(frame, said.wrong);
    const site = String(given["site_id"]).trim();
    const facts = await asked.call(VIEWS.facts.tool, { site_id: site });
    const resource = { uri: addressOf(site, "facts"), mimeType: JSON_TYPE, text: JSON.stringify(facts) };
    const messages = [
      { role: "user", content: { type: "text", text: said.text } },
      { role: "user", content: { type: "resource", resource } },
    ];
    return `"description":${JSON.stringify(prompt.description)},"messages":${JSON.stringify(messages)}`;
  }

  async #complete(frame: Frame, asked: Offering): Promise<string | FrameFault> {
    const known: Completing = {
      prompt: async (name) => (await prompts()).find((one) => one.name === name),
      tool: (name) => this.#tool(asked, name),
      isTemplate: (uri) => Object.keys(VIEWS).some((view) => uri === `${SCHEME}{site_id}/${view}`),
      sites: () => this.#sites(asked),
      titles: async (site_id, type, search) => {
        if (this.#tool(asked, "list_content") === null) return [];
        const found = search === "" ? {} : { search };
        return await asked.call("list_content", {
          ...{ site_id, type, per_page: COMPLETED, fields: ["id", "title"] },
          ...found,
        });
      },
    };
    const made = await completion(known, frame.params);
    return "wrong" in made ? strange(frame, made.wrong) : `"completion":${JSON.stringify(made)}`;
  }
}

/** A site as `list_sites` has it, of which this is used. */
interface Listed {
  readonly id: string;
  readonly name: string;
}

const isListed = (one: unknown): one is Listed =>
  isFields(one) && typeof one["id"] === "string" && typeof one["name"] === "string";

const sitesOf = (answer: unknown): readonly Listed[] => {
  const sites = isFields(answer) ? answer["sites"] : undefined;
  return Array.isArray(sites) ? sites.filter(isListed) : [];
};

const addressOf = (site: string, view: View) => `${SCHEME}${encodeURIComponent(site)}/${view}`;

/** The site and the view of an address; null for an address that is none of ours. */
function placeOf(uri: string): { readonly site: string; readonly view: View } | null {
  if (!uri.startsWith(SCHEME)) return null;
  const [encoded = "", view = "", ...more] = uri.slice(SCHEME.length).split("/");
  if (encoded === "" || more.length > 0 || !Object.hasOwn(VIEWS, view)) return null;
  try {
    return { site: decodeURIComponent(encoded), view: view as View };
  } catch {
    return null;
  }
}

/** Where a page of the list begins; null for what is no cursor of ours. */
function pageOf(cursor: unknown): number | null {
  if (cursor === undefined) return 0;
  const from = typeof cursor === "string" ? Number(cursor) : Number.NaN;
  return Number.isSafeInteger(from) && from > 0 && from % PAGE_SITES === 0 ? from : null;
}

const onePage = (frame: Frame): FrameFault | null =>
  frame.params.cursor === undefined ? null : strange(frame, "cursor: the list is one page; leave it out");

const strange = ({ id }: Frame, message: string) => new FrameFault(200, RPC.INVALID_PARAMS, message, id);

const caching = ({ modern }: Frame, ms: number) => modern ? `,"ttlMs":${ms},"cacheScope":"private"` : "";

/** The fault of a call that a list or a resource was to be answered by. */
export function refusedBy(
  { code, message, status }: GatewayError,
  { id, modern, method }: Frame,
): FrameFault {
  const isGone = code === "E_NOT_FOUND" || code === "E_SCOPE_DENIED";
  const missing = method === "resources/read" && isGone && !modern;
  const rpc = missing ? RPC.RESOURCE_NOT_FOUND : status < 500 ? RPC.INVALID_PARAMS : RPC.INTERNAL;
  return new FrameFault(200, rpc, `${code}: ${message}`, id);
}
