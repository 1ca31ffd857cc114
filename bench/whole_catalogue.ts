/** The tools of the catalogue that are not built yet, made up after those that are: what the gateway will once load. */
import { dump, load } from "js-yaml";
import { pathToFileURL } from "node:url";
import { readRegistry, type Registry } from "../gateway.ts";
import { loadTools, type ToolEntry } from "../registry/load.ts";
import { writes } from "../registry/manifest.ts";

const ROOT = new URL("../", import.meta.url);
const CATALOGUE = new URL("catalog.yaml", ROOT);

/** A row of the catalogue: what is fixed of a manifest. */
interface Row extends Record<string, unknown> {
  readonly name: string;
  readonly group: string;
  readonly tier: string;
  readonly platforms: string[] | "all";
  readonly raise?: { when: object }[];
  readonly flags?: { when?: object }[];
}

/** Every row, of all parts of the catalogue. */
export async function catalogueRows(): Promise<Row[]> {
  const parts = load(await Deno.readTextFile(CATALOGUE)) as Record<string, Row[]>;
  return Object.values(parts).flat();
}

/**
 * Writes manifests/ and tools/ below `folder` for every row without a tool. Each takes arguments, description and
 * handler of a built tool that reads or writes as it does, in turn, so that reading and compiling it costs as much.
 * Answers how many were made.
 */
export async function makeUp(folder: string): Promise<number> {
  const built = [...(await readRegistry()).tools.values()];
  const names = new Set(built.map(({ name }) => name));
  const missing = (await catalogueRows()).filter(({ name }) => !names.has(name));
  const models = {
    read: built.filter(({ manifest }) => !writes(manifest)),
    write: built.filter(({ manifest }) => writes(manifest)),
  };
  for (const [at, row] of missing.entries()) {
    const kind = row.tier === "T0" && !row.raise ? "read" : "write";
    await makeOne(folder, row, models[kind][at % models[kind].length]!);
  }
  return missing.length;
}

/**
 * The registry with the tools of such a folder beside the built ones. They are not compared with the catalogue: the
 * links and secrets that it names for them wait for their connectors.
 */
export async function readWhole(folder: string): Promise<Registry> {
  const { connectors, tools } = await readRegistry();
  const made = await loadTools({ roots: [pathToFileURL(`${folder}/`)], known: connectors });
  return { connectors, tools: new Map([...tools, ...made].sort(([a], [b]) => a < b ? -1 : 1)) };
}

async function makeOne(
  folder: string,
  { group, platforms, links: _, secrets: __, ...row }: Row,
  model: ToolEntry,
): Promise<void> {
  const place = `${model.group}/${model.name}`;
  const { title, description, input = {} } = load(
    await Deno.readTextFile(new URL(`manifests/${place}.yaml`, ROOT)),
  ) as { title: string; description: string; input?: { properties?: object } };
  const manifest = {
    ...row,
    title,
    description,
    ...(platforms === "all" ? {} : { platforms }),
    input: { ...input, properties: { ...conditions(row), ...input.properties } },
  };
  const url = new URL(`tools/${place}.ts`, ROOT);
  const handler = (await Deno.readTextFile(url))
    .replaceAll(/from "(\.[^"]+)"/g, (_, path: string) => `from "${new URL(path, url).href}"`)
    .replace(`tool("${model.name}"`, `tool("${row.name}"`);
  await write(`${folder}/manifests/${group}`, `${row.name}.yaml`, dump(manifest));
  await write(`${folder}/tools/${group}`, `${row.name}.ts`, handler);
}

/** The arguments that a row's conditions name. */
function conditions({ raise = [], flags = [] }: Pick<Row, "raise" | "flags">): Record<string, object> {
  const named = [...raise, ...flags].flatMap(({ when = {} }) => Object.keys(when));
  return Object.fromEntries(
    named.filter((name) => name !== "platform").map((name) => [name, { type: "string", description: "-" }]),
  );
}

async function write(folder: string, name: string, text: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(`${folder}/${name}`, text);
}
