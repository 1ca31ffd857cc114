/** `keys reseal` of many records: cut off and gone on, and two at once beside a gateway that writes; run by hand, `deno run -A --lock=tests/deno.lock bench/store/reseal.ts [sites] [path]`. */
import assert from "node:assert/strict";
import { checkStore } from "../../store/check.ts";
import { resealStore, statusOf } from "../../store/keys.ts";
import { SITE_SHAPE } from "../../tests/connectors.ts";
import { folder, KEY, open, proveAnew } from "../../tests/unit/store/kit.ts";
import type { Site } from "../../core/model.ts";
import { openPlace } from "../../store/engines.ts";
import { Sealer } from "../../store/seal.ts";

const NEXT = new Uint8Array(32).fill(9);
const AT_ONCE = 40;
const CUT_AFTER_MS = 5000;
const { addressBound } = SITE_SHAPE;

const credentials = (n: number) => ({ cms: { username: "u", application_password: `aaaa ${n}` } });

/** Makes so many sites, each with a password: one by the gateway, the others as it wrote that one, and proven together. */
async function fill(path: string, sites: number): Promise<void> {
  const base_url = "https://s0.example";
  {
    await using store = await open({ path });
    const made = await store.sites.create({
      ...{ id: "s0", name: "S", platform: "cms", base_url },
      credentials: credentials(0),
    });
    assert.ok(made);
  }
  const sealer = await Sealer.open([KEY]);
  const kv = await openPlace(path);
  const { value: first } = await kv.get<Site>(["sites", "s0"]);
  for (let from = 1; from < sites; from += AT_ONCE) {
    const change = kv.atomic();
    for (let n = from; n < Math.min(sites, from + AT_ONCE); n++) {
      const [id, key] = [`s${n}`, ["credentials", `s${n}`, "cms"]];
      const text = JSON.stringify(credentials(n).cms);
      change.set(["sites", id], { ...first, id }).set(key, await sealer.seal(text, key, base_url));
    }
    await change.commit();
  }
  kv.close();
  await proveAnew(path);
}

/** The command in a process of its own. */
function started(path: string) {
  const began = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--unstable-kv", "--lock=tests/deno.lock", import.meta.filename!],
      ...["--reseal", path],
    ],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const ended = child.output().then(({ code, stdout }) => ({
    code,
    said: new TextDecoder().decode(stdout).trim(),
    seconds: (performance.now() - began) / 1000,
  }));
  return { child, ended };
}

/** How many records stand under the older key, sealed and proven. */
async function left(path: string): Promise<[sealed: number, proven: number]> {
  const { counts, keys } = await statusOf({ path, keys: [NEXT, KEY] });
  const of = (how: "sealed" | "proven") =>
    counts.filter((one) => one.key === keys[1] && one.how === how)
      .reduce((sum, { records }) => sum + records, 0);
  return [of("sealed"), of("proven")];
}

const print = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
const say = (what: string, since: number, more: unknown = "") =>
  print(`${what}: ${((performance.now() - since) / 1000).toFixed(1)} s ${JSON.stringify(more)}`);

async function cutOffTwice(path: string): Promise<void> {
  for (let cut = 1; cut <= 2; cut++) {
    const { child, ended } = started(path);
    await new Promise((resolve) => setTimeout(resolve, CUT_AFTER_MS * cut));
    try {
      child.kill("SIGKILL");
    } catch { /* it was done before */ }
    await ended;
    print(`killed after ${CUT_AFTER_MS * cut / 1000} s, left under the older key: ${await left(path)}`);
  }
}

async function measure(sites: number, path: string): Promise<void> {
  let since = performance.now();
  await fill(path, sites);
  say(`${sites} sites with a password each`, since);
  print(`left under the older key: ${await left(path)}`);
  await cutOffTwice(path);
  await using gateway = await open({ path, keys: [NEXT, KEY] });
  since = performance.now();
  const both = [started(path), started(path)];
  let [writes, slowest] = [0, 0];
  let isDone = false;
  const all = Promise.all(both.map(({ ended }) => ended)).finally(() => isDone = true);
  while (!isDone) {
    const began = performance.now();
    assert.ok(await gateway.sites.update(`s${writes % sites}`, { name: `Written ${writes}` }));
    slowest = Math.max(slowest, performance.now() - began);
    writes++;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const ends = await all;
  say("two at once beside a gateway that writes", since, { writes, slowest_ms: Math.round(slowest), ends });
  since = performance.now();
  const once = await started(path).ended;
  say("once more", since, once);
  print(`left under the older key: ${await left(path)}`);
  since = performance.now();
  const { ok, faults } = await checkStore({ path, keys: [NEXT], now: Date.now });
  say("store check under the new key alone", since, { ok, faults });
  assert.ok(ok);
}

const [first = "100000", second] = Deno.args;
if (first === "--reseal") {
  const { resealed, proven, closed } = await resealStore({ path: second!, keys: [NEXT, KEY] }, {
    addressBound,
  });
  print(
    JSON.stringify({ resealed, proven, closed, memory_mib: Math.round(Deno.memoryUsage().rss / 2 ** 20) }),
  );
} else {
  await using dir = await folder();
  await measure(Number(first), second ?? `${dir.path}/gateway.sqlite3`);
}
