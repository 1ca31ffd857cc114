/** What start and demo download: the packages they run, and none that only tests need. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { copyProject } from "./copy.ts";
import { inFolder, start } from "./running.ts";

const ROOT = new URL("../../", import.meta.url);

/** Packages of deno.json that only tests import; whoever adds one names it here. */
const TESTS_ONLY = [
  "@modelcontextprotocol/client",
  "@modelcontextprotocol/sdk",
  "@modelcontextprotocol/server",
  "@seriousme/openapi-schema-validator",
  "ajv",
  "ajv-formats",
  "puppeteer-core",
];

interface Lock {
  readonly specifiers: Readonly<Record<string, string>>;
  readonly npm: Readonly<Record<string, { readonly dependencies?: readonly string[] }>>;
}

const nameOf = (specifier: string) => /^(?:npm:\/?)?(@[^/@]+\/[^@/]+|[^@/]+)/.exec(specifier)![1]!;

/** The packages that these names bring along, themselves included, as deno.lock has them. */
async function withDependencies(names: readonly string[]): Promise<Set<string>> {
  const { npm }: Lock = JSON.parse(await Deno.readTextFile(new URL("deno.lock", ROOT)));
  const found = new Set<string>();
  const add = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    for (const [key, { dependencies = [] }] of Object.entries(npm)) {
      if (nameOf(key) === name) dependencies.map(nameOf).forEach(add);
    }
  };
  names.forEach(add);
  return found;
}

async function deno(args: readonly string[], cwd: string | URL, env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd,
    env: { NO_COLOR: "1", ...env },
  }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)) as [string, string];
  return { code, stdout: out, stderr: err };
}

/** Where this machine keeps packages, and the folder in it of the registry they come from. */
async function packages(): Promise<{ cache: string; registry: string }> {
  const { npmCache: cache } = JSON.parse((await deno(["info", "--json"], ROOT)).stdout);
  for await (const { name: registry } of Deno.readDir(cache)) {
    const found = await Deno.stat(`${cache}/${registry}/zod`).then(() => true, () => false);
    if (found) return { cache, registry };
  }
  assert.fail(`${cache} holds no packages`);
}

/** A cache that holds these packages and nothing else; copies, because a link would lead the runtime back. */
async function cacheOf(names: Iterable<string>, folder: string): Promise<Record<string, string>> {
  const { cache, registry } = await packages();
  for (const name of names) {
    const to = `${folder}/npm/${registry}/${name}`;
    await Deno.mkdir(dirname(to), { recursive: true });
    const copied = await new Deno.Command("cp", { args: ["-r", `${cache}/${registry}/${name}`, to] })
      .output();
    assert.equal(copied.code, 0, new TextDecoder().decode(copied.stderr));
  }
  return { DENO_DIR: folder };
}

/** Every module that start and demo import, those imported by computed paths included. */
async function entries(): Promise<string[]> {
  const found = ["main.ts", "sandbox/world.ts"];
  for await (const group of Deno.readDir(new URL("tools/", ROOT))) {
    for await (const { name } of Deno.readDir(new URL(`tools/${group.name}/`, ROOT))) {
      found.push(`tools/${group.name}/${name}`);
    }
  }
  return found;
}

Deno.test("start and demo run from a cache without the packages of the tests, and ask for no other", async () => {
  const { imports } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const named = [...new Set(Object.values<string>(imports).map(nameOf))];
  for (const name of TESTS_ONLY) assert.ok(named.includes(name), `${name} is no package of deno.json`);
  const needed = await withDependencies(named.filter((name) => !TESTS_ONLY.includes(name)));
  for (const name of [...TESTS_ONLY, "express", "eventsource"]) assert.ok(!needed.has(name), name);
  await deno(["cache", "--frozen", ...await entries()], ROOT); // a new machine has not run them yet
  await using copy = await copyProject(["tests", "bench", "docs"]);
  await inFolder(async (folder) => {
    const env = await cacheOf(needed, folder);
    const run = ["run", "--frozen", "--cached-only", "-A", "sandbox/world.ts"];
    const demo = await deno(run, copy.folder, { ...env, PORT: "eighty", PATH: dirname(Deno.execPath()) });
    assert.deepEqual([demo.code, demo.stderr], [1, ""]);
    assert.match(demo.stdout, /^These settings cannot be used:\n {2}PORT: /); // whatever it imports is there
    await using gateway = start(copy.folder, env, {
      run: ["--cached-only", "-A", "main.ts"], // every tool is imported while it boots
      cwd: copy.folder,
    });
    await gateway.address();
  });
});
