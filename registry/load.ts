/** Boot: reads every manifest, imports its handler, and refuses with all that is wrong at once. */
import { checker } from "./dialect.ts";
import { type Documents, type Kept, keyOf, parseYaml, readKept } from "./documents.ts";
import type { ToolEntry } from "./entry.ts";
import { find, firstLine, type Found, importAll, RegistryError } from "./files.ts";
import { broughtBy, definition, type Known, type Manifest, readManifest, writes } from "./manifest.ts";
import type { ToolModule } from "./tool.ts";

/** Where tools are looked for: a folder holding `manifests/` and `tools/`. */
export interface Sources {
  readonly roots: readonly URL[];
  /** What manifests may name. */
  readonly known: Known;
  /** The golden catalogue: a tool it lists must be as it says; one it does not list is fine. */
  readonly golden?: URL;
}

/** Loads every tool below the roots, by name. Throws RegistryError with every fault at once. */
export async function loadTools(sources: Sources): Promise<ReadonlyMap<string, ToolEntry>> {
  const faults: string[] = [];
  const entries = new Map<string, ToolEntry>();
  const { known } = sources;
  const found = await readKept();
  const kept = found.brought === broughtBy(known) ? found : { ...found, manifests: {} };
  const golden = sources.golden
    ? await readGolden(sources.golden, kept.documents)
    : new Map<string, GoldenTool>();
  for (const root of sources.roots) {
    const [manifests, handlers] = await Promise.all([
      find(new URL("manifests/", root), ".yaml"),
      find(new URL("tools/", root), ".ts"),
    ]);
    const tools = manifests.filter((one) => one.group !== "proxies");
    faults.push(...unpaired(tools, handlers));
    const modules = await importAll(handlers.map((one) => one.url));
    const loading = { handlers, modules, golden, known, kept };
    const loaded = await Promise.all(
      tools.map((one) => loadOne(one, loading)),
    );
    for (const result of loaded) {
      if ("faults" in result) faults.push(...result.faults);
      else if (entries.has(result.name)) faults.push(`${pathOf(result, "yaml")}: the name is taken`);
      else entries.set(result.name, result);
    }
  }
  if (faults.length === 0) faults.push(...unreadable(entries));
  if (faults.length) throw new RegistryError("tools", faults.sort());
  return new Map([...entries].sort(([a], [b]) => a < b ? -1 : 1));
}

/** Tools to look with that there are not, or that would change something. */
function unreadable(entries: ReadonlyMap<string, ToolEntry>): string[] {
  return [...entries.values()].flatMap((entry) => {
    const { read_with, read_in } = entry.manifest;
    const file = pathOf(entry, "yaml");
    if (read_with !== undefined && read_in !== undefined) {
      return [`${file}: read_in: leave it out where read_with names a tool`];
    }
    const shows = read_with === entry.name
      ? writes(entry.manifest)
      : entries.get(read_with!)?.manifest.tier === 0;
    if (read_with === undefined || shows) return [];
    return [`${file}: read_with names "${read_with}", which is no tool that reads`];
  });
}

const pathOf = (tool: { group: string; name: string }, kind: "yaml" | "ts") =>
  `${kind === "yaml" ? "manifests" : "tools"}/${tool.group}/${tool.name}.${kind}`;

function unpaired(manifests: readonly Found[], handlers: readonly Found[]): string[] {
  const key = (one: Found) => `${one.group}/${one.name}`;
  const described = new Set(manifests.map(key));
  return handlers.filter((one) => !described.has(key(one)))
    .map((one) => `${pathOf(one, "ts")}: has no ${pathOf(one, "yaml")}`);
}

/** What a tool is loaded by. */
interface Loading {
  readonly handlers: readonly Found[];
  readonly modules: ReadonlyMap<string, unknown> | null;
  readonly golden: ReadonlyMap<string, GoldenTool>;
  readonly known: Known;
  readonly kept: Kept;
}

async function loadOne(
  found: Found,
  { handlers, modules, golden, known, kept }: Loading,
): Promise<ToolEntry | { faults: string[] }> {
  const file = pathOf(found, "yaml");
  const handler = handlers.find((one) => one.group === found.group && one.name === found.name);
  const faults = handler ? [] : [`${file}: has no ${pathOf(found, "ts")}`];
  const fault = (reason: string) => void faults.push(`${file}: ${reason}`);
  const said = await parse(found.url, kept);
  if ("fault" in said) fault(said.fault);
  const document = "fault" in said ? null : said.document;
  const outcome = "fault" in said ? { faults: [] } : said.manifest ?? readManifest(document, known);
  if ("faults" in outcome) {
    outcome.faults.forEach(fault);
    return { faults };
  }
  const { manifest } = outcome;
  if (manifest.name !== found.name) fault(`name "${manifest.name}" is not the file's`);
  const row = golden.get(manifest.name);
  if (!sameAsRow(found.group, document, row)) goldenFaults(found.group, manifest, row, known).forEach(fault);
  if (!handler) return { faults };
  const module = await importHandler(handler, modules, manifest);
  if ("faults" in module) return { faults: [...faults, ...module.faults] };
  if (faults.length) return { faults };
  return {
    name: manifest.name,
    group: found.group,
    manifest,
    handler: module,
    definition: definition(manifest),
    check: checker(manifest.input),
  };
}

/** What a manifest says, and what it comes to where that is kept, or why it says nothing. */
async function parse(
  url: URL,
  { documents, manifests }: Kept,
): Promise<{ document: unknown; manifest?: { manifest: Manifest } } | { fault: string }> {
  try {
    const text = await Deno.readTextFile(url);
    const document = await parseYaml(text, documents);
    const manifest = manifests[keyOf(text)] as Manifest | undefined;
    return { document, manifest: manifest && { manifest } };
  } catch (error) {
    return { fault: `is not YAML (${firstLine(error)})` };
  }
}

async function importHandler(
  found: Found,
  modules: ReadonlyMap<string, unknown> | null,
  manifest: Manifest,
): Promise<ToolModule | { faults: string[] }> {
  const file = pathOf(found, "ts");
  let module: Partial<ToolModule> | undefined;
  try {
    const { href } = found.url;
    module = (modules ? modules.get(href) : (await import(href)).default) as typeof module;
  } catch (error) {
    return { faults: [`${file}: cannot be imported (${firstLine(error)})`] };
  }
  if (typeof module?.run !== "function" || typeof module.name !== "string") {
    return { faults: [`${file}: must export default tool("${found.name}", …)`] };
  }
  const faults: string[] = [];
  if (module.name !== found.name) faults.push(`${file}: is a handler of "${module.name}"`);
  if (writes(manifest) && typeof module.plan !== "function") {
    faults.push(`${file}: a tool that can write needs a plan`);
  }
  return faults.length ? { faults } : module as ToolModule;
}

/** A row of the golden catalogue: the parts of a manifest that are fixed. */
type GoldenTool = Record<string, unknown> & { name: string };

/** registry/catalog.yaml: the specification's tools, and those of ours beyond it. */
type GoldenCatalogue = { readonly [part in "specification" | "own"]: readonly GoldenTool[] };

async function readGolden(url: URL, parsed: Documents): Promise<Map<string, GoldenTool>> {
  const { specification, own } = await parseYaml(await Deno.readTextFile(url), parsed) as GoldenCatalogue;
  return new Map([...specification, ...own].map((tool) => [tool.name, tool]));
}

const FIXED_FIELDS = ["tier", "no_flag", "raise", "site", "platforms", "flags", "links", "secrets"] as const;

/** Whether a manifest says word for word what its golden row says, so that reading the row as well would show nothing. */
function sameAsRow(group: string, document: unknown, golden: GoldenTool | undefined): boolean {
  if (!golden) return true;
  const { name: _, group: goldenGroup, ...fixed } = golden;
  if (fixed.platforms === "all") delete fixed.platforms;
  const written: Record<string, unknown> = { site: "required", ...document as object };
  return goldenGroup === group &&
    Object.keys(fixed).every((field) => (FIXED_FIELDS as readonly string[]).includes(field)) &&
    FIXED_FIELDS.every((field) => JSON.stringify(written[field]) === JSON.stringify(fixed[field]));
}

/** Where a manifest differs from its golden row, a sentence each. Fields the row leaves out have the default. */
export function goldenFaults(
  group: string,
  manifest: Manifest,
  golden: GoldenTool | undefined,
  known: Known,
): string[] {
  if (!golden) return [];
  const { group: goldenGroup, platforms, ...rest } = golden;
  const wanted = readManifest({
    ...rest,
    ...(platforms === "all" ? {} : { platforms }),
    name: manifest.name,
    title: "-",
    description: "-",
    input: { properties: stubProperties(rest) },
  }, known);
  if ("faults" in wanted) return wanted.faults.map((fault) => `the golden catalogue is wrong: ${fault}`);
  const found = goldenGroup === group ? [] : [`the golden catalogue has it in group "${goldenGroup}"`];
  for (const field of FIXED_FIELDS) {
    const [is, should] = [JSON.stringify(manifest[field]), JSON.stringify(wanted.manifest[field])];
    if (is !== should) found.push(`${field} is ${is}, the golden catalogue says ${should}`);
  }
  return found;
}

/** Properties for the arguments a golden row's conditions name, so that the row reads as a manifest. */
function stubProperties(row: Record<string, unknown>): Record<string, unknown> {
  const conditions = [row.raise, row.flags].flat().map((one) =>
    (one as { when?: object } | undefined)?.when ?? {}
  );
  return Object.fromEntries(
    conditions.flatMap((when) => Object.entries(when)).filter(([name]) => name !== "platform")
      .map(([name, value]) => [name, { type: typeof value, description: "-" }]),
  );
}
