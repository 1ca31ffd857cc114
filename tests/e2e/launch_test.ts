/** The launcher as a process: a store anywhere, no more rights than the set has, and nobody left behind. */
import assert from "node:assert/strict";
import { freePort } from "../../core/listening.ts";
import { copyProject } from "./copy.ts";
import { beyondFirst, inFolder, start } from "./running.ts";

Deno.test("the store may lie anywhere: its folder is made, and what it holds is there after a restart", async () => {
  await inFolder(async (folder) => {
    const KV_PATH = `${folder}/not yet/there/store.kv`;
    for (const round of ["first", "second"]) {
      await using gateway = start(folder, { KV_PATH });
      const projects = await gateway.admin<{ projects: { id: string }[] }>("GET", "/projects");
      if (round === "first") await gateway.admin("POST", "/projects", { id: "kept", name: "Kept" });
      else assert.deepEqual(projects.projects.map(({ id }) => id), ["kept"]);
      gateway.kill("SIGTERM");
      const { code, stderr } = await gateway.ended;
      assert.deepEqual([code, beyondFirst(stderr)], [0, ""]);
    }
    const found = (await Array.fromAsync(Deno.readDir(`${folder}/not yet/there`))).map(({ name }) => name);
    assert.deepEqual(found, ["store.kv"]);
    assert.equal(Deno.statSync(`${folder}/not yet/there`).mode! & 0o777, 0o700, "nobody else's to read");
  });
});

/** A script that says what it may do. */
const ASKS = `
const may = async (name, path) => (await Deno.permissions.query({ name, path })).state;
const [store, beside] = Deno.args;
console.log(JSON.stringify({
  store: [await may("read", store), await may("write", store)],
  beside: [await may("read", beside), await may("write", beside)],
  project: [await may("read", "."), await may("write", ".")],
  run: (await Deno.permissions.query({ name: "run" })).state,
  ffi: (await Deno.permissions.query({ name: "ffi" })).state,
  KV_PATH: Deno.env.get("KV_PATH"),
  pid: Deno.pid,
}));
Deno.exit(41);
`;

Deno.test("the script gets the set and the store's file, not the launcher's own rights", async () => {
  await inFolder(async (folder) => {
    const script = `${folder}/asks.ts`;
    await Deno.writeTextFile(script, ASKS);
    const [store, beside] = [`${folder}/store.kv`, `${folder}/secret`];
    await using asked = start(folder, { KV_PATH: store }, {
      run: ["-A", "gateway/launch.ts", "serve", script, store, beside],
    });
    const { code, stdout, stderr } = await asked.ended;
    assert.deepEqual([code, stderr], [41, ""]);
    assert.deepEqual(JSON.parse(stdout), {
      store: ["granted", "granted"],
      beside: ["prompt", "prompt"],
      project: ["granted", "prompt"],
      run: "prompt",
      ffi: "prompt",
      KV_PATH: store,
      pid: asked.pid, // it is the launcher's own process: whoever ends that one ends it
    });
  });
});

const PROJECT = new URL("../../", import.meta.url);
/** Boots the gateway in its own process, and says what that process may open once it answers. */
const BOOTED = `
const [project] = Deno.args;
const fault = async (work) => await work().then(() => null, ({ name }) => name);
const isUp = () => fetch("http://127.0.0.1:" + Deno.env.get("PORT") + "/healthz")
  .then(async (one) => (await one.body.cancel(), one.ok), () => false);
void import(project + "main.ts");
while (!await isUp()) await new Promise((resolve) => setImmediate(resolve));
const read = (path) => fault(() => Deno.readTextFile(new URL(path, project)));
console.log("\\n" + JSON.stringify({
  readme: await read("README.md"),
  env: await read(".env"),
  around: await read("docs/../.env"),
  secrets: await read("data/secrets.json"),
  written: await fault(() => Deno.writeTextFile(new URL("data/secrets.json", project), "{}", { createNew: true })),
}));
Deno.exit(41);
`;

Deno.test("a gateway that was started can open neither .env nor the secrets that dev keeps", async () => {
  await inFolder(async (folder) => {
    // Where deno.json is found from, and nothing else looks.
    const script = new URL(`data/booted-${crypto.randomUUID()}.ts`, PROJECT).pathname;
    await Deno.mkdir(new URL("data", PROJECT), { recursive: true, mode: 0o700 });
    await Deno.writeTextFile(script, BOOTED);
    await using cleanup = new AsyncDisposableStack();
    cleanup.defer(() => Deno.remove(script));
    await using asked = start(
      folder,
      { KV_PATH: `${folder}/store.kv`, PORT: String(freePort("127.0.0.1")) },
      {
        run: ["-A", "gateway/launch.ts", "serve", script, PROJECT.href],
      },
    );
    const { code, stdout, stderr } = await asked.ended;
    assert.equal(code, 41, stderr);
    const denied = "NotCapable";
    assert.deepEqual(
      JSON.parse(stdout.trim().split("\n").at(-1)!),
      { readme: null, env: denied, around: denied, secrets: denied, written: denied },
    );
  });
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.test(`${signal} to what the launcher was started as ends the gateway with 0`, async () => {
    await inFolder(async (folder) => {
      await using gateway = start(folder);
      await gateway.address();
      gateway.kill(signal);
      const { code, stderr } = await gateway.ended;
      assert.deepEqual([code, beyondFirst(stderr)], [0, ""]);
    });
  });
}

Deno.test("a store that KV_PATH names by a link is opened where the link leads", async () => {
  await inFolder(async (folder) => {
    await Deno.mkdir(`${folder}/real`);
    await Deno.symlink(`${folder}/real`, `${folder}/link`);
    await using gateway = start(folder, { KV_PATH: `${folder}/link/store.kv` });
    await gateway.address();
    assert.ok((await Deno.stat(`${folder}/real/store.kv`)).isFile);
  });
});

Deno.test("a relative KV_PATH starts from the folder the gateway is started in, and may leave it", async () => {
  await using copy = await copyProject(["tests", "bench", "sandbox", "docs", "companion"]);
  for (
    const KV_PATH of ["./data/store.kv", "here.kv", `../${copy.folder.split("/").at(-1)}-beside/store.kv`]
  ) {
    await using gateway = start(copy.folder, { KV_PATH }, { cwd: copy.folder });
    await gateway.address();
    assert.ok((await Deno.stat(`${copy.folder}/${KV_PATH}`)).isFile, KV_PATH);
  }
  await Deno.remove(`${copy.folder}-beside`, { recursive: true });
});

Deno.test("a set or a script that is missing is said in one line", async () => {
  for (const args of [[], ["serve"], ["nosuch", "main.ts"], ["toString", "main.ts"]]) {
    await inFolder(async (folder) => {
      await using asked = start(folder, {}, { run: ["-A", "gateway/launch.ts", ...args] });
      const { code, stdout, stderr } = await asked.ended;
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(stderr, /^Name a permission set of deno\.json \(serve, .*\) and a script\n$/);
    });
  }
});
