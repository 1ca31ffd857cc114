/** A database behind a network that drops everything without a word: at the start, and while the gateway runs. */
import assert from "node:assert/strict";
import { openPlace } from "../../store/engines.ts";
import { start } from "../e2e/running.ts";
import { folderOnDisk } from "../folder.ts";
import { gateway, type Kit } from "../kit.ts";
import { Hole, onPostgres, Wire } from "./_postgres.ts";
import { until } from "./_postgres_kit.ts";

const server = onPostgres();
/** A call is refused within this. */
const MOST_MS = 15_000;
/** Calls are answered within this once the database can be reached: one dead line is waited for, not each of the pool. */
const BACK_MS = 10_000;

/** How long work takes, in milliseconds. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** What starts on a database at that port says. */
async function saidAt(port: number, run: readonly string[]): Promise<void> {
  await using dir = await folderOnDisk();
  const KV_PATH = `postgres://owner:s3cr3t@127.0.0.1:${port}/gateway`;
  const process = start(dir.path, { KV_PATH }, { run: ["-A", "gateway/launch.ts", ...run] });
  const took_ms = await timed(() => process.ended);
  const { code, stderr } = await process.ended;
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^KV_PATH: postgres:\/\/owner@.*\/gateway has not answered in time; see to it, and to the network between\n$/,
  );
  assert.ok(took_ms < MOST_MS, `${run}: ${took_ms} ms`);
}

Deno.test("a gateway and a command that start on a database which never answers say so in seconds", async () => {
  using wire = new Wire(server().port);
  wire.swallow();
  using hole = await Hole.dig();
  for (const { port } of [wire, hole]) {
    await saidAt(port, ["serve", "main.ts"]);
    await saidAt(port, ["admin", "admin/cli.ts", "store", "check"]);
  }
});

/** Every call is refused in time, and /readyz says that it should not be asked. */
async function assertRefused(gw: Kit): Promise<void> {
  const took_ms = await timed(async () => {
    const ends = await Promise.all(Array.from({ length: 20 }, () => gw.end("list_sites", {})));
    for (const end of ends) assert.equal((end as { code?: string }).code, "E_INTERNAL");
  });
  assert.ok(took_ms < MOST_MS, `refused after ${took_ms} ms`);
  const ready = await gw.http("/readyz");
  await ready.body?.cancel();
  assert.equal(ready.status, 503);
}

async function isBack(gw: Kit): Promise<boolean> {
  const ready = await gw.http("/readyz");
  await ready.body?.cancel();
  return ready.status === 200 && "value" in Object(await gw.end("list_sites", {}));
}

/** What becomes of the lines that are open when the network is gone. */
const OPEN_LINES: Readonly<Record<string, (wire: Wire) => void>> = {
  "are dead": (wire) => wire.swallow(),
  "are cut, and new ones are never answered": (wire) => {
    wire.cut();
    wire.swallow();
  },
};

for (const [how, gone] of Object.entries(OPEN_LINES)) {
  Deno.test(`calls are refused while open lines ${how}, and are answered again soon after the network is back`, async () => {
    const name = new URL(await server().database()).pathname.slice(1);
    using wire = new Wire(server().port);
    await using gw = await gateway({
      realClock: true,
      settings: { kvPath: server().address(name, wire.port) },
      storage: { open: (path) => openPlace(path) },
    });
    await Promise.all(Array.from({ length: 64 }, () => gw.call("list_sites", {}))); // the pool is full
    gone(wire);
    await assertRefused(gw);
    await assertRefused(gw);
    wire.heal();
    const back_ms = await timed(() => until(() => isBack(gw)));
    assert.ok(back_ms < BACK_MS, `back after ${back_ms} ms`);
    assert.match(
      String(gw.logged.find(({ event }) => event === "store_away")?.["cause"]),
      /not answered in time|not said in time|does not answer/,
    );
  });
}
