/** What the tasks download: the packages that service and demo run, and none that only tests need. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { copyProject } from "./copy.ts";
import { inFolder, start } from "./running.ts";

const ROOT = new URL("../../", import.meta.url);

interface Lock {
  readonly npm: Readonly<
    Record<string, {
      readonly integrity: string;
      readonly dependencies?: readonly string[];
      readonly optionalDependencies?: readonly string[];
    }>
  >;
}

const nameOf = (specifier: string) => /^(?:npm:\/?)?(@[^/@]+\/[^@/]+|[^@/]+)/.exec(specifier)![1]!;

interface Config {
  readonly imports: Readonly<Record<string, string>>;
  readonly lock: { readonly path: string; readonly frozen: boolean };
}

const read = async <T>(path: string): Promise<T> => JSON.parse(await Deno.readTextFile(new URL(path, ROOT)));

/** The packages that these names bring along, themselves included, as the lock file has them. */
function withDependencies({ npm }: Lock, names: readonly string[]): Set<string> {
  const found = new Set<string>();
  const add = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    for (const [key, { dependencies = [], optionalDependencies = [] }] of Object.entries(npm)) {
      if (nameOf(key) === name) [...dependencies, ...optionalDependencies].map(nameOf).forEach(add);
    }
  };
  names.forEach(add);
  return found;
}

async function deno(args: readonly string[], cwd: string | URL, env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd,
    env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", ...env },
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

/** The texts of every module but those of tests and bench. */
async function served(): Promise<string> {
  const { stdout } = await new Deno.Command("git", { args: ["ls-files", "*.ts", "*.tsx"], cwd: ROOT })
    .output();
  const paths = new TextDecoder().decode(stdout).split("\n").filter((path) => /^(?!tests|bench)./.test(path));
  return (await Promise.all(paths.map((path) => Deno.readTextFile(new URL(path, ROOT)).catch(() => ""))))
    .join("\n");
}

/** A way out of this machine that lets nothing through, and notes what was asked for. */
function wall() {
  const asked: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    asked.push(`${request.method} ${request.url}`);
    return new Response(null, { status: 403 });
  });
  const address = `http://127.0.0.1:${server.addr.port}`;
  const env = { HTTPS_PROXY: address, HTTP_PROXY: address, NO_PROXY: "127.0.0.1" };
  return { asked, env, [Symbol.asyncDispose]: () => server.shutdown() };
}

Deno.test("the service's lock file holds what the service imports and nothing else, and tests run the same of it", async () => {
  const { imports, lock } = await read<Config>("deno.json");
  assert.equal(lock.frozen, true, "whoever runs anything runs what the lock file holds");
  const own = await read<Lock>(lock.path);
  const all = await read<Lock>("tests/deno.lock");
  const locked = new Set(Object.keys(own.npm).map(nameOf));
  const named = Object.values(imports).map(nameOf);
  assert.deepEqual([...locked].toSorted(), [...withDependencies(own, named)].toSorted());
  for (const [key, { integrity }] of Object.entries(own.npm)) {
    assert.equal(all.npm[key]?.integrity, integrity, key);
  }
  assert.ok(Object.keys(all.npm).length > Object.keys(own.npm).length, "tests need more");
  const text = await served();
  for (const name of Object.keys(imports)) {
    assert.ok(new RegExp(`(from |import\\()"${name}`).test(text), `${name} is imported by tests only`);
  }
});

Deno.test("start and demo run from a cache of the service's packages, and their tasks ask for no other", async () => {
  const needed = new Set(Object.keys((await read<Lock>("deno.lock")).npm).map(nameOf));
  await deno(["cache", "--frozen", ...await entries()], ROOT); // a new machine has not run them yet
  await using copy = await copyProject(["tests", "bench", "docs"]);
  await inFolder(async (folder) => {
    const env = await cacheOf(needed, folder);
    await using way = wall();
    const task = { ...env, ...way.env, PATH: dirname(Deno.execPath()), PORT: "eighty" };
    const demo = await deno(["task", "demo"], copy.folder, task);
    assert.equal(demo.code, 1, demo.stderr);
    assert.match(demo.stdout, /^These settings cannot be used:\n {2}PORT: /); // whatever it imports is there
    assert.deepEqual(way.asked, []);
    const empty = await deno(["task", "demo"], copy.folder, {
      ...task,
      DENO_DIR: `${folder}/empty`,
    });
    assert.notEqual(empty.code, 0);
    assert.ok(way.asked.length > 0, "what is missing is asked for");
    await using gateway = start(copy.folder, env, {
      run: ["--cached-only", "-A", "main.ts"], // every tool is imported while it boots
      cwd: copy.folder,
    });
    await gateway.address();
  });
});
