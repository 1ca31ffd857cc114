/** The gateway's end: a signal lets the call in flight finish, a kill leaves what is needed to know of it. */
import assert from "node:assert/strict";
import { SITE_SHAPE } from "../connectors.ts";
import { startWordPressStandIn, type WordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { openStore } from "../../store/kv.ts";
import type { AuditRow, Site } from "../../core/model.ts";
import { type Answered, beyondFirst, inFolder, KEY, MASTER, type Running, start } from "./running.ts";

/** A site whose writes wait until they are let through. */
interface Held extends AsyncDisposable {
  readonly base_url: string;
  readonly cms: WordPressStandIn;
  /** Resolves when a write has come in. */
  readonly arrived: Promise<void>;
  letThrough(): void;
}

async function held(): Promise<Held> {
  const cms = await startWordPressStandIn();
  const arrived = Promise.withResolvers<void>();
  const through = Promise.withResolvers<void>();
  const bound = Promise.withResolvers<Deno.NetAddr>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: bound.resolve }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const body = await request.bytes();
    if (request.method === "POST") {
      arrived.resolve();
      await through.promise;
    }
    const headers = new Headers(request.headers);
    headers.delete("content-length");
    return await fetch(`${cms.base_url}${pathname}${search}`, {
      method: request.method,
      headers,
      body: body.length ? body : undefined,
      redirect: "manual",
    });
  });
  const { port } = await bound.promise;
  return {
    base_url: `http://127.0.0.1:${port}`,
    cms,
    arrived: arrived.promise,
    letThrough: through.resolve,
    async [Symbol.asyncDispose]() {
      through.resolve();
      await server.shutdown();
      await cms.stop();
    },
  };
}

const DRAFT = { site_id: "acme", title: "Hello", content_html: "<p>Hello</p>", confirm: true };

/** What create_draft answers. */
interface Draft {
  readonly id: number;
  readonly status: string;
}

/** Registers the site; answers a token that may do everything. */
async function register(gateway: Running, site: Held): Promise<string> {
  const { username, application_password } = site.cms.users.admin;
  await gateway.admin("POST", "/sites", {
    id: "acme",
    name: "Acme",
    platform: "cms",
    base_url: site.base_url,
    credentials: { cms: { username, application_password } },
  });
  return (await gateway.token()).token;
}

/** Begins a write that is held upstream; answers its ending once the upstream has it. */
async function beginWrite(gateway: Running, site: Held): Promise<{ ending: Promise<Answered<Draft>> }> {
  const token = await register(gateway, site);
  const ending = gateway.call<Draft>(token, "create_draft", DRAFT);
  ending.catch(() => {}); // a killed gateway answers nothing
  const early = await Promise.race([site.arrived, ending]);
  assert.equal(early, undefined, `the write never left: ${JSON.stringify(early)}`);
  return { ending };
}

async function rowsIn(folder: string): Promise<AuditRow[]> {
  const store = await openStore({
    path: `${folder}/gateway.sqlite3`,
    keys: [KEY],
    siteShape: SITE_SHAPE,
    tokenPrefix: "gate",
  });
  try {
    assert.deepEqual((await store.audit.verify()).faults, []);
    return (await store.audit.list({}, { limit: 100 })).rows.filter(({ door }) => door !== "admin");
  } finally {
    await store.close();
  }
}

for (const signals of [["SIGTERM"], ["SIGINT"], ["SIGTERM", "SIGTERM"]] as const) {
  Deno.test(`${signals.join(" and ")}: a call in flight finishes, no new one begins, the row is kept, the exit is clean`, async () => {
    await inFolder(async (folder) => {
      await using site = await held();
      await using gateway = start(folder);
      const address = await gateway.address();
      const { ending } = await beginWrite(gateway, site);
      for (const signal of signals) {
        gateway.kill(signal);
        await turnedAway(address);
      }
      site.letThrough();
      const { status, result } = await ending;
      assert.deepEqual([status, result.status], [200, "draft"]);
      const { code, stderr } = await gateway.ended;
      assert.deepEqual([code, beyondFirst(stderr)], [0, ""]);
      const [row, ...more] = await rowsIn(folder);
      assert.deepEqual([row?.status, row?.result_id, more], ["ok", result.id, []]);
    });
  });
}

/** Resolves when the gateway takes no connection any more, or says that it is not ready; fails where it never does. */
async function turnedAway(address: string): Promise<void> {
  const until = Date.now() + 60_000;
  while (Date.now() < until) {
    try {
      using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
      const { status, body } = await fetch(`${address}/readyz`, { client });
      await body?.cancel();
      if (status === 503) return;
    } catch (error) {
      if (error instanceof TypeError) return;
      throw error;
    }
  }
  assert.fail("it still says that it is ready");
}

Deno.test("SIGTERM with DRAIN_SECONDS: not ready at once, every call is answered still, also on new connections", async () => {
  await inFolder(async (folder) => {
    await using gateway = start(folder, { DRAIN_SECONDS: "2" });
    const address = await gateway.address();
    const { token } = await gateway.token();
    gateway.kill("SIGTERM");
    await turnedAway(address);
    for (let calls = 0; calls < 3; calls++) {
      using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
      const ready = await fetch(`${address}/readyz`, { client });
      const [problem] = (await ready.json()).problems;
      assert.deepEqual([ready.status, problem.check], [503, "stopping"]);
      assert.equal((await gateway.call(token, "list_sites", {})).status, 200);
    }
    const { code, stderr } = await gateway.ended;
    assert.deepEqual([code, beyondFirst(stderr)], [0, ""]);
    assert.equal((await rowsIn(folder)).length, 3);
  });
});

Deno.test("SIGTERM while an upstream never answers: at the end of SHUTDOWN_SECONDS the caller is told of the doubt and the row is kept", async () => {
  await inFolder(async (folder) => {
    await using site = await held();
    await using gateway = start(folder, { SHUTDOWN_SECONDS: "5" });
    const { ending } = await beginWrite(gateway, site);
    const began = performance.now();
    gateway.kill("SIGTERM");
    const { status, error } = await ending;
    assert.deepEqual([status, error?.code, error?.outcome], [502, "E_UPSTREAM", "unknown"]);
    assert.match(
      error?.message ?? "",
      /gave no answer before the gateway was stopped; .*look at the site with "list_drafts" before trying again$/,
    );
    const { code } = await gateway.ended;
    const took = performance.now() - began;
    assert.equal(code, 0);
    assert.ok(took > 4900, `${took} ms: not at once, nor after the four seconds that are usual`);
    assert.deepEqual((await rowsIn(folder)).map((row) => [row.tool, row.status, row.outcome]), [
      ["create_draft", "error", "unknown"],
    ]);
  });
});

Deno.test("kill -9 in the middle of a write: after a restart its row is there, as started", async () => {
  await inFolder(async (folder) => {
    await using site = await held();
    await using killed = start(folder);
    await beginWrite(killed, site);
    killed.kill("SIGKILL");
    assert.equal((await killed.ended).signal, "SIGKILL");
    await using after = start(folder);
    const rows = await after.audit();
    assert.deepEqual(rows.map((row) => [row.tool, row.site_id, row.status, row.duration_ms]), [
      ["create_draft", "acme", "started", null],
    ]);
    const { token } = await after.token();
    assert.equal((await after.call<{ sites: Site[] }>(token, "list_sites", {})).result.sites[0]?.id, "acme");
    assert.deepEqual((await after.audit()).map((row) => row.status), ["ok", "started"]);
    const command = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--frozen", "admin/cli.ts", "audit", "tail", "--unknown"],
      env: { GATEWAY_URL: await after.address(), MASTER_TOKEN: MASTER },
    });
    const found = new TextDecoder().decode((await command.output()).stdout);
    assert.match(
      found,
      /^\S+ +started +create_draft {2}acme {2}e2e {2}outcome unknown {2}id [0-9A-Z]{26}\n$/,
    );
    after.kill("SIGTERM");
    assert.match((await after.ended).stderr, /"event":"writes_in_doubt","unknown":0,"open":1/);
  });
});

/** A set of two drafts, whose first is at the site by the time this resolves; nobody waits for it. */
async function beginSet(gateway: Running, site: Held): Promise<void> {
  const token = await register(gateway, site);
  const changes = ["One", "Two"].map((title) => ({
    tool: "create_draft",
    arguments: { site_id: "acme", title, content_html: `<p>${title}</p>` },
  }));
  const prepare = (more: Record<string, unknown>) =>
    gateway.call<{ confirm_token: string; state: string }>(token, "prepare_changes", {
      title: "Two",
      changes,
      wait_seconds: 0,
      ...more,
    });
  const { result: { confirm_token } } = await prepare({});
  assert.equal((await prepare({ confirm: true, confirm_token })).result.state, "running");
  await site.arrived;
}

const SET_ENDINGS = [
  { title: "ends in order", letsThrough: true, env: {}, row: ["ok", "made"] },
  {
    title: "is cut off, and its row says that it is in doubt",
    letsThrough: false,
    env: { SHUTDOWN_SECONDS: "1" },
    row: ["error", "unknown"],
  },
] as const;

for (const { title, letsThrough, env, row } of SET_ENDINGS) {
  Deno.test(`SIGTERM while a set goes on behind its answer: the item that is under way ${title}, and no further one begins`, async () => {
    await inFolder(async (folder) => {
      await using site = await held();
      await using gateway = start(folder, env);
      await beginSet(gateway, site);
      gateway.kill("SIGTERM");
      await turnedAway(await gateway.address());
      if (letsThrough) site.letThrough();
      const { code, stderr } = await gateway.ended;
      assert.deepEqual([code, beyondFirst(stderr)], [0, ""]);
      const items = (await rowsIn(folder)).filter(({ item }) => item !== undefined);
      assert.deepEqual(items.map(({ item, status, outcome }) => [item, status, outcome]), [[1, ...row]]);
    });
  });
}

/** A server of nothing that is told to stop in the very moment it says where it listens. */
const STOPPED_AT_ONCE = `
import { serve } from ${JSON.stringify(new URL("../../gateway/serve.ts", import.meta.url).href)};
const gateway = { fetch: () => new Response(), drain() {}, leave() {}, cutOff() {}, setsAtRest: async () => {}, close: () => Promise.resolve() };
await serve(gateway, { host: "127.0.0.1", port: 0, drainSeconds: 0, shutdownSeconds: 4 }, () => Deno.kill(Deno.pid, "SIGTERM"));
`;

Deno.test("a signal that comes the moment the address is told ends it in order", async () => {
  await inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/server.ts`, STOPPED_AT_ONCE);
    await using server = start(folder, {}, { run: ["-A", "--no-check", `${folder}/server.ts`] });
    const { code, signal, stderr } = await server.ended;
    assert.deepEqual([code, signal, beyondFirst(stderr)], [0, null, ""]);
  });
});
