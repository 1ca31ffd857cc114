/** What is known of sites' own tools before anybody approves one: the files of `manifests/proxies/`. */
import { z } from "zod";
import type { PlatformKind } from "../core/model.ts";
import type {
  HoldRule,
  ProxyClass,
  ProxyEffect,
  ProxySource,
  ShownBy,
  UpstreamTool,
} from "../platforms/tool_servers/types.ts";
import { afterTurn } from "../core/async.ts";
import { closed, text, yesNo } from "../core/fields.ts";
import type { ArgumentNames } from "../rules/proxied/arguments.ts";
import { nameWords, neverRun } from "../rules/proxied/names.ts";
import type { Connectors } from "./connectors.ts";
import { parseYaml, readKept } from "./documents.ts";
import { find, firstLine, isOutOfFiles, RegistryError } from "./files.ts";
import { readBackFaults, readBackSchema } from "./proxy_read_back.ts";

type Effects = readonly ProxyEffect[];
/** What a call of a tool can touch. */
export const PROXY_EFFECTS = ["read", "page", "new", "record", "site"] as const satisfies Effects;

/** What becomes of a tool that a site's own server lists. */
export const TOOL_STATES = ["offered", "approved", "held", "refused", "hidden"] as const;
export type ToolState = (typeof TOOL_STATES)[number];

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
const word = z.string().regex(/^[a-z][A-Za-z0-9_]{0,63}$/);
const effect = z.enum(PROXY_EFFECTS);
const names = z.array(z.string().regex(NAME)).default([]);
const pattern = z.string().regex(/^[A-Za-z0-9_.*-]+$/);
const argument = z.record(z.string(), z.string().min(1).max(200)).default({});

const proxySchema = closed({
  source: word,
  /** The kinds of site that can have such servers; every kind where it is left out. */
  kinds: z.array(z.string()).min(1).optional(),
  /** The field of a site that has the address of its servers: with another value nothing known of them holds. */
  bound_to: word,
  credential: word,
  link: word.optional(),
  servers: names,
  prefix: text("letters, digits and dashes", NAME).optional(),
  upstream_prefixes: names,
  word_prefixes: names,
  /** Prefixes of names whose last dash is a slash where a tool is run by name. */
  ability_prefixes: z.array(z.string().regex(/^[A-Za-z0-9_.-]{1,63}-$/)).default([]),
  /** Tools that list other tools, and those that describe them in full, by the names they are served under. */
  describe: closed({ briefly: names, fully: names }).default({ briefly: [], fully: [] }),
  read_words: z.array(word).optional(),
  write: z.array(pattern).default([]),
  effect,
  /** What a write can touch. */
  effects: z.array(effect).min(1),
  page: word.optional(),
  argument_prefixes: z.array(z.string().min(1)).default([]),
  filled: z.array(z.string().min(1)).default([]),
  filled_beside: z.record(z.string().min(1), z.string().min(1)).default({}),
  /** Writes of posts that visitors see by themselves at a moment: which argument names it. */
  posts: z.array(closed({ of: pattern, moment: word })).default([]),
  read_back: z.array(readBackSchema).default([]),
  /** How writes are held, where sites can: by the credential that is their key, and each server's own tables. */
  hold: closed({
    credential: word,
    own: z.record(z.string().regex(NAME), z.array(z.string().regex(/^[a-z][a-z0-9_]{0,63}$/))).default({}),
  }).optional(),
  arguments: argument,
  tools: z.record(
    z.string().regex(NAME),
    closed({
      about: z.string().min(1).max(300),
      effect,
      /** Where a tool counts as a write although it touches nothing. */
      writes: yesNo.optional(),
      page: word.optional(),
      /** Whether a held call of it stores files, and reads from other hosts. */
      files: yesNo.optional(),
      http: z.literal("get").optional(),
      also: names,
      /** Our words for its arguments, where they mean other things than in other tools. */
      arguments: argument,
      /** Arguments that are texts, whatever their schema says, with the values that are accepted; none where any is. */
      values: z.record(z.string(), z.array(z.string().min(1))).default({}),
      /** Where its arguments hold a state of content, names joined by dots: a draft's is sent, and no other. */
      states: z.array(z.string().regex(/^[a-z_]+(\.[a-z_]+)*$/)).default([]),
    }),
  ),
});

/** A tool that is offered without an approval. */
export interface KnownTool extends ProxyClass {
  readonly name: string;
  readonly about: string;
  /** Our words for its own arguments, by name. */
  readonly words: Readonly<Record<string, string>>;
  /** Its arguments that are texts, whatever their schema says, with the values that are accepted; none where any is. */
  readonly values: Readonly<Record<string, readonly string[]>>;
  /** Where its arguments hold a state of content. */
  readonly states: readonly string[];
}

type ProxyFile = z.output<typeof proxySchema>;

/** What is known of the tools of one source. */
export class Proxies {
  readonly source: ProxySource;
  readonly kinds: readonly PlatformKind[];
  readonly boundTo: string;
  readonly credential: string;
  readonly links: readonly string[];
  /** What a write touches that is not known better. */
  readonly effect: ProxyEffect;
  /** What a write can touch. */
  readonly effects: readonly ProxyEffect[];
  readonly argumentNames: ArgumentNames;
  /** Our words for arguments, by name. */
  readonly words: Readonly<Record<string, string>>;
  readonly known: ReadonlyMap<string, KnownTool>;
  readonly #file: ProxyFile;
  readonly #aliases: ReadonlyMap<string, string>;

  constructor(file: ProxyFile, kinds: readonly PlatformKind[]) {
    this.#file = file;
    this.source = file.source as ProxySource;
    this.kinds = file.kinds as PlatformKind[] | undefined ?? kinds;
    this.boundTo = file.bound_to;
    this.credential = file.credential;
    this.links = file.link === undefined ? [] : [file.link];
    this.effect = file.effect;
    this.effects = file.effects;
    const { argument_prefixes: prefixes, filled, filled_beside } = file;
    this.argumentNames = { prefixes, filled, filled_beside };
    this.words = file.arguments;
    this.known = new Map(
      Object.entries(file.tools).map(([name, tool]) => [name, knownTool(name, tool, file)]),
    );
    const prefix = file.prefix ?? "";
    this.#aliases = new Map(
      Object.entries(file.tools).flatMap(([name, { also }]) =>
        also.map((one) => [prefix + one, name] as const)
      ),
    );
  }

  /** The name that a tool is served under. */
  servedName(upstream: string): string {
    const { prefix, upstream_prefixes } = this.#file;
    const own = upstream_prefixes.find((one) => upstream.startsWith(one) && upstream.length > one.length);
    const name = own === undefined || prefix === undefined ? upstream : prefix + upstream.slice(own.length);
    return this.#aliases.get(name) ?? name;
  }

  /** The name that tools which run others by name know a tool by too; null where it cannot be told from its name. */
  abilityName(upstream: string): string | null {
    const prefix = this.#file.ability_prefixes.find((one) =>
      upstream.startsWith(one) && upstream.length > one.length
    );
    return prefix === undefined ? null : `${prefix.slice(0, -1)}/${upstream.slice(prefix.length)}`;
  }

  /** How much of other tools a tool of that name tells; undefined for one that tells nothing of them. */
  describes(name: string): "briefly" | "fully" | undefined {
    const { briefly, fully } = this.#file.describe;
    return fully.includes(name) ? "fully" : briefly.includes(name) ? "briefly" : undefined;
  }

  /** Of two servers of a site that have a tool, the one it is called at comes first. */
  compareServers(a: string, b: string): number {
    const { servers } = this.#file;
    const at = (name: string) => servers.includes(name) ? servers.indexOf(name) : servers.length;
    return at(a) - at(b) || (a < b ? -1 : a > b ? 1 : 0);
  }

  /** Why a tool can only be a write; null where a person may say that it reads. */
  mustWrite(name: string, { read_only, destructive }: UpstreamTool["hints"]): string | null {
    const { write, read_words, word_prefixes } = this.#file;
    if (write.some((pattern) => matches(pattern, name))) return "its name is one of a write";
    if (read_only === false) return "its server says that it does not only read";
    if (destructive === true) return "its server says that it can destroy something";
    if (read_words === undefined) return null;
    const prefix = word_prefixes.find((one) => name.startsWith(one)) ?? "";
    const [first = ""] = nameWords(name.slice(prefix.length));
    return read_words.includes(first) ? null : `its name does not begin with ${read_words.join(", ")}`;
  }

  /** What reads back what a write of that name wrote; undefined where nothing more is known than its effect. */
  shownBy(name: string): ShownBy | undefined {
    return this.#file.read_back.find(({ of }) => matches(of, name));
  }

  /** The argument that says when a post which a tool of that name writes goes live; undefined where it writes none. */
  moment(name: string): string | undefined {
    return this.#file.posts.find(({ of }) => matches(of, name))?.moment;
  }

  /** How writes of a tool of that name are held at that server; undefined where such sites hold nothing. */
  holdRule(name: string, server: string): HoldRule | undefined {
    const { hold, tools } = this.#file;
    if (hold === undefined) return undefined;
    const { files = false, http = "none" } = Object.hasOwn(tools, name) ? tools[name]! : {};
    return { files, http, own: Object.hasOwn(hold.own, server) ? hold.own[server]! : [] };
  }

  /** The class of a tool with what its hints say: they only make it stricter. */
  strictest(given: ProxyClass, name: string, hints: UpstreamTool["hints"]): ProxyClass {
    if (given.writes || this.mustWrite(name, hints) === null) return given;
    return { writes: true, effect: this.effect };
  }
}

function knownTool(name: string, tool: ProxyFile["tools"][string], file: ProxyFile): KnownTool {
  const { about, effect, writes = effect !== "read" } = tool;
  const page = tool.page ?? (effect === "page" ? file.page : undefined);
  const { arguments: words, values, states } = tool;
  return { name, about, words, values, states, effect, writes, ...(page === undefined ? {} : { page }) };
}

/** Whether a name fits a pattern in which `*` stands for any characters. */
function matches(pattern: string, name: string): boolean {
  const parts = pattern.split("*").map((part) => RegExp.escape(part));
  return new RegExp(`^${parts.join(".*")}$`).test(name);
}

/**
 * Reads every `manifests/proxies/*.yaml` below the roots. Throws RegistryError with every fault at once; what was
 * thrown where no file could be opened just now.
 */
export async function readProxies(
  roots: readonly URL[],
  connectors: Connectors,
): Promise<readonly Proxies[]> {
  const { documents: parsed } = await readKept();
  const [faults, read]: [string[], Proxies[]] = [[], []];
  for (const root of roots) {
    const files = await find(new URL("manifests/", root), ".yaml");
    for (const { name, url } of files.filter(({ group }) => group === "proxies")) {
      try {
        const file = await afterTurn(parseYaml(await Deno.readTextFile(url), parsed));
        const found = await afterTurn(proxySchema.safeParseAsync(file));
        const wrong = found.success
          ? [...strangers(found.data, connectors), ...consistency(found.data, name)]
          : found.error.issues.map(({ path, message }) => `${path.join(".") || "file"}: ${message}`);
        faults.push(...wrong.map((fault) => `manifests/proxies/${name}.yaml: ${fault}`));
        if (found.success && wrong.length === 0) read.push(new Proxies(found.data, connectors.kinds));
      } catch (error) {
        if (isOutOfFiles(error)) throw error;
        faults.push(`manifests/proxies/${name}.yaml: is not YAML (${firstLine(error)})`);
      }
    }
  }
  if (faults.length > 0) throw new RegistryError("proxied tools", faults);
  return read;
}

/** What a file names that no connector brings. */
function strangers({ kinds = [], link, credential, hold }: ProxyFile, connectors: Connectors): string[] {
  const known: readonly string[] = connectors.kinds;
  return [
    ...kinds.filter((kind) => !known.includes(kind)).map((kind) => `kinds: "${kind}" is no kind of site`),
    ...(link !== undefined && !connectors.links.has(link) ? [`link: no connector offers "${link}"`] : []),
    ...[credential, ...(hold ? [hold.credential] : [])].filter((one) => !connectors.credentials.has(one))
      .map((one) => `credential: no connector has "${one}"`),
  ];
}

/** What a file says that its other parts contradict. */
function consistency(file: ProxyFile, name: string): string[] {
  const proxies = new Proxies(file, []);
  return [
    ...(file.source === name ? [] : [`source "${file.source}" is not the file's name`]),
    ...readBackFaults(file.read_back),
    ...[...proxies.known.values()].flatMap(({ name, writes, effect, page }) => {
      const because = proxies.mustWrite(name, {});
      const never = neverRun(name);
      return [
        ...(never === null ? [] : [`tools.${name}: is never run, for ${never.because}`]),
        ...(!writes && because !== null ? [`tools.${name}: must be a write, for ${because}`] : []),
        ...(effect === "page" && page === undefined ? [`tools.${name}: names no argument for its page`] : []),
        ...(!writes && effect !== "read" ? [`tools.${name}: touches something, so it is a write`] : []),
      ];
    }),
  ];
}
