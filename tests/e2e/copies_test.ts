/** Copies of the store, made and put back by the commands of docs/CONFIGURATION.md as they stand there. */
import assert from "node:assert/strict";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { copyProject } from "./copy.ts";
import { ACCESS_TOKEN, startKvConnect } from "./kv_connect_server.ts";
import { damageValue } from "../unit/store/files_kit.ts";
import { environment, start } from "./running.ts";

/** The commands of a section, in their order. */
function commands(title = "Copies of the store", fence = "sh"): string[] {
  const page = Deno.readTextFileSync(new URL("../../docs/CONFIGURATION.md", import.meta.url));
  const [, rest] = page.split(`\n## ${title}\n`);
  const [section] = (rest ?? "").split(/^(?:## |<!--)/m);
  assert.ok(section, "the page has the section");
  const fenced = new RegExp(`^\`\`\`${fence}\\n(.*?)^\`\`\`$`, "gms");
  return [...section.matchAll(fenced)].map(([, command]) => command!);
}

/** A copy of the project with a store in data/, as an operator has them, and what is typed in it. */
async function checkout() {
  const { folder, ...copy } = await copyProject(["tests", "bench", "docs", "companion"]);
  await Deno.mkdir(`${folder}/data`);
  const data = `${folder}/data`;
  /** Runs a command, with this Deno in the place of the one that npx brings. */
  async function shell(command: string, env: Record<string, string | null> = {}) {
    const args = ["-ec", command.replaceAll("npx -y deno@2.9 task", `${Deno.execPath()} task --quiet`)];
    const { code, stdout, stderr } = await new Deno.Command("/bin/sh", {
      args,
      cwd: folder,
      env: { ...environment(data, env), NO_COLOR: "1" },
      clearEnv: true,
    }).output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code, out: text(stdout), err: text(stderr) };
  }
  const gateway = (env: Record<string, string | null> = {}) => start(data, env, { cwd: folder });
  return { data, shell, gateway, file: `${data}/gateway.sqlite3`, ...copy };
}

Deno.test("a copy that is made while calls are recorded is whole, and what it holds works where it is put back", async () => {
  await using cms = await startWordPressStandIn();
  await using at = await checkout();
  const [copy, restore, ...more] = commands();
  assert.deepEqual(more, []);
  let early = "";
  let late = "";
  {
    await using gateway = at.gateway();
    const credentials = { cms: cms.users.admin };
    const { base_url } = cms;
    const site = { id: "acme", name: "Acme", platform: "cms", base_url };
    const { username, application_password } = credentials.cms;
    await gateway.admin("POST", "/sites", {
      ...site,
      credentials: { cms: { username, application_password } },
    });
    early = (await gateway.token()).token;
    const copying = at.shell(copy!);
    let isCopied = false;
    copying.finally(() => isCopied = true);
    do assert.equal((await gateway.call(early, "ping_site", { site_id: "acme" })).status, 200); while (
      !isCopied
    );
    assert.deepEqual((await copying).code, 0, (await copying).err);
    const [made, ...others] = [...Deno.readDirSync(`${at.data}/copies`)].map(({ name }) => name);
    assert.deepEqual(others, [], "one file, and nothing beside it");
    assert.match(made!, /^gateway-20\d\d-\d\d-\d\dT[\d-]+Z\.sqlite3$/);
    assert.equal(Deno.statSync(`${at.data}/copies/${made}`).mode! & 0o077, 0, "it is its owner's alone");
    late = (await gateway.token()).token;

    const refused = await at.shell(restore!);
    assert.equal(refused.code, 1);
    assert.match(
      refused.err,
      /^KV_PATH: ".*" is in use; stop every gateway on it, then put the copy back\n$/,
    );
    assert.equal((await gateway.call(late, "list_sites", {})).status, 200, "the gateway goes on as before");
    gateway.kill("SIGTERM");
    await gateway.ended;
  }
  const ignored = await new Deno.Command("git", {
    args: ["check-ignore", "data/copies/gateway-x.sqlite3", "data/before-x/gateway.sqlite3", "copy.sqlite3"],
    cwd: new URL("../../", import.meta.url),
  }).output();
  assert.equal(ignored.code, 0, "git ignores copies");
  const restored = await at.shell(restore!);
  assert.equal(restored.code, 0, restored.err);
  assert.match(
    restored.out,
    /gateway\.sqlite3 is the copy now; start the gateway\.\nWhat was there is in .*before-20.*\nThe audit: Whole: \d+ rows /,
  );
  const [before] = [...Deno.readDirSync(at.data)].filter(({ name }) => name.startsWith("before-"));
  assert.ok(Deno.statSync(`${at.data}/${before!.name}/gateway.sqlite3`).size > 0, "what was there is kept");
  await using gateway = at.gateway();
  const called = await gateway.call<{ authenticated: boolean }>(early, "ping_site", { site_id: "acme" });
  assert.equal(called.result.authenticated, true, "the credential is opened");
  assert.equal((await gateway.call(late, "list_sites", {})).error?.code, "E_AUTH");
  const verdict = await gateway.admin<{ ok: boolean; rows: number }>("GET", "/audit/verify");
  assert.ok(verdict.ok && verdict.rows > 0);
});

Deno.test("a store that is lost or sealed under lost keys is refused at start, and begun anew or given other keys on purpose", async () => {
  await using at = await checkout();
  const admin = (words: string, env?: Record<string, string | null>) =>
    at.shell(`npx -y deno@2.9 task admin store ${words}`, env);
  const started = async (env?: Record<string, string | null>) => {
    await using gateway = at.gateway(env);
    await gateway.address();
    gateway.kill("SIGTERM");
    return await gateway.ended;
  };
  assert.match((await started()).stderr, /"event":"store_made"/);
  await Deno.remove(at.file);
  const lost = await at.gateway().ended;
  assert.equal(lost.code, 1);
  assert.match(
    lost.stderr,
    /^KV_PATH: ".*" does not exist, and it held the store of this gateway; .*store init\)\n$/,
  );
  assert.equal((await admin("init")).code, 0);
  assert.doesNotMatch((await started()).stderr, /store_made/);
  const ENCRYPTION_KEYS = new Uint8Array(32).fill(9).toBase64();
  const wrong = await at.gateway({ ENCRYPTION_KEYS }).ended;
  assert.equal(wrong.code, 1);
  assert.match(
    wrong.stderr,
    /^ENCRYPTION_KEYS: none of them opens ".*", .* or where it is lost for good: .*accept-keys\n$/,
  );
  assert.equal((await admin("accept-keys", { ENCRYPTION_KEYS })).code, 0);
  assert.equal((await started({ ENCRYPTION_KEYS })).code, 0);
});

Deno.test("beside a store, secrets that are not set are to be loaded, and are not made anew", async () => {
  await using at = await checkout();
  const KV_PATH = `${at.data}/gateway.sqlite3`;
  {
    await using gateway = at.gateway();
    await gateway.address();
  }
  const unset = { MASTER_TOKEN: null, ENCRYPTION_KEYS: null };
  const { code, stderr } = await at.gateway(unset).ended;
  assert.equal(code, 1);
  for (const name of ["MASTER_TOKEN", "ENCRYPTION_KEYS"]) {
    assert.match(
      stderr,
      new RegExp(`^  ${name}: not set, and ".*" needs the one it was used with; load the file`, "m"),
    );
  }
  const dev = await at.shell("npx -y deno@2.9 task dev", { ...unset, KV_PATH });
  assert.equal(dev.code, 1);
  assert.match(
    dev.err,
    /^data\/secrets\.json is missing, and the store ".*" needs the ENCRYPTION_KEYS in it; put it back/,
  );
  assert.throws(() => Deno.statSync(`${at.data}/secrets.json`), Deno.errors.NotFound);
});

Deno.test("a store is backed up while it runs, checked, moved to another place and put back, by the commands of the page", async () => {
  await using at = await checkout();
  const [backup, copy] = commands("Moving the store, and portable backups", "");
  const [check] = commands("Checking the store", "");
  const moved = `${at.data}/moved/gateway.sqlite3`;
  const copying = copy!.replace("/srv/gateway/gateway.sqlite3", moved);
  assert.notEqual(copying, copy);
  let token = "";
  {
    await using gateway = at.gateway();
    token = (await gateway.token()).token;
    const backingUp = at.shell(backup!);
    let isOver = false;
    backingUp.finally(() => isOver = true);
    do assert.equal((await gateway.call(token, "list_sites", {})).status, 200); while (!isOver);
    const { code, out, err } = await backingUp;
    assert.equal(code, 0, err);
    assert.match(
      out,
      /^data\/copies\/today\.ndjson is a backup of \d+ entries of .*gateway\.sqlite3\.\nThe audit: Whole: \d+ rows .*\nThe proofs were not looked at: .*\n$/,
    );
    const checked = await at.shell(check!);
    assert.equal(checked.code, 0, checked.out + checked.err);
    assert.match(checked.out, /^Whole: \d+ entries of .* were read\.\nThe audit: Whole: \d+ rows/);
    const refused = await at.shell(copying);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /^<from>: ".*" is in use; stop every gateway on it, then copy it\n$/);
    gateway.kill("SIGTERM");
    await gateway.ended;
  }
  const copied = await at.shell(copying);
  assert.equal(copied.code, 0, copied.err);
  assert.match(
    copied.out,
    /^\d+ entries are the same at both places, .* and .*:\n(?: {2}\w+ +\d+ {2}[0-9a-f]{64}\n)+The audit there: Whole: /,
  );
  {
    await using gateway = at.gateway({ KV_PATH: moved });
    assert.equal((await gateway.call(token, "list_sites", {})).status, 200, "the token is known there");
    gateway.kill("SIGTERM");
    await gateway.ended;
  }
  const restored = await at.shell("npx -y deno@2.9 task admin store restore data/copies/today.ndjson");
  assert.equal(restored.code, 0, restored.err);
  await using gateway = at.gateway();
  assert.equal((await gateway.call(token, "list_sites", {})).status, 200);
  const verdict = await gateway.admin<{ ok: boolean; rows: number }>("GET", "/audit/verify");
  assert.ok(verdict.ok && verdict.rows > 0);
});

Deno.test("a gateway does not start on a store that was cut off, and the command that it names says what is left", async () => {
  await using at = await checkout();
  {
    await using gateway = at.gateway();
    await gateway.token();
    gateway.kill("SIGTERM");
    await gateway.ended;
  }
  assert.equal((await at.shell("npx -y deno@2.9 task admin store backup data/copies/before.ndjson")).code, 0);
  const whole = await Deno.readFile(at.file);
  for (const end of ["-wal", "-shm"]) await Deno.remove(`${at.file}${end}`).catch(() => {});
  await Deno.writeFile(at.file, whole.subarray(0, whole.length - 1000));
  const { code, stderr } = await at.gateway().ended;
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^KV_PATH: ".*" is damaged \(.*\); see what .*store check\), and put back .*store restore\)\n$/,
  );
  const checked = await at.shell("npx -y deno@2.9 task admin store check");
  assert.equal(checked.code, 1);
  assert.match(checked.out, /^Damaged: \d+ entries of .* were read\.\n {2}The file ".*" is damaged/);
  const restored = await at.shell("npx -y deno@2.9 task admin store restore data/copies/before.ndjson");
  assert.equal(restored.code, 0, restored.out + restored.err);
  await using gateway = at.gateway();
  await gateway.token();
});

Deno.test("a store with an entry that cannot be read is backed up and put back with 1, and a gateway on it names the entry and answers all else", async () => {
  await using at = await checkout();
  let token = "";
  {
    await using gateway = at.gateway();
    await gateway.admin("POST", "/sites", {
      id: "acme",
      name: "Acme",
      platform: "cms",
      base_url: "https://acme.test",
    });
    token = (await gateway.token()).token;
    gateway.kill("SIGTERM");
    await gateway.ended;
  }
  damageValue(at.file, ["sites", "acme"]);
  const named = /\n {2}\["sites","acme"\] cannot be read: it was damaged or changed\nThe audit: Whole: /;
  for (
    const words of [
      "backup data/copies/a.sqlite3",
      "backup data/copies/a.ndjson",
      "restore data/copies/a.sqlite3",
    ]
  ) {
    const { code, out, err } = await at.shell(`npx -y deno@2.9 task admin store ${words}`);
    assert.equal(code, 1, err);
    assert.match(out, named, words);
  }
  await using gateway = at.gateway();
  const refused = await gateway.call(token, "list_sites", {});
  assert.match(
    refused.error!.message,
    /^The entry \["sites","acme"\] of the store is damaged; see what else is /,
  );
  const verdict = await gateway.admin<{ ok: boolean }>("GET", "/audit/verify");
  assert.ok(verdict.ok);
});

Deno.test("a store goes from a file to a server and back, and is backed up, checked and put back there", async () => {
  await using at = await checkout();
  await using server = startKvConnect();
  await using empty = startKvConnect();
  const admin = (words: string, KV_PATH: string | null = null) =>
    at.shell(`npx -y deno@2.9 task admin store ${words}`, { KV_PATH, DENO_KV_ACCESS_TOKEN: ACCESS_TOKEN });
  const good = async (words: string, path?: string) => {
    const { code, out, err } = await admin(words, path);
    assert.equal(code, 0, `${words}: ${out}${err}`);
    return out;
  };
  let token = "";
  {
    await using gateway = at.gateway();
    token = (await gateway.token()).token;
    gateway.kill("SIGTERM");
    await gateway.ended;
  }
  const there = await good(`copy data/gateway.sqlite3 ${server.url}`);
  assert.match(await good("check", server.url), /^Whole: /);
  const again = await admin(`copy data/gateway.sqlite3 ${server.url}`);
  assert.match(
    again.err,
    /^Whether a gateway runs on "http:.*" cannot be told; make sure that none does\.\n"http:.*" holds that store already; name an empty place, or empty it first\n$/,
  );
  await good("backup there.ndjson", server.url);
  const full = await admin("restore there.ndjson", server.url);
  assert.match(
    full.err,
    /^Whether a gateway runs on "http:.*" cannot be told; .*\n"http:.*" holds something; name an empty place, or empty it first\n$/,
  );
  await good("restore there.ndjson", empty.url);
  assert.match(await good("check", empty.url), /^Whole: /);
  const back = await good(`copy ${empty.url} back.sqlite3`);
  const hashes = (out: string) =>
    out.split("\n").filter((line) => /^ {2}(?!leases |store )\w+ +\d+ {2}\w{64}$/.test(line));
  assert.deepEqual(
    hashes(back),
    hashes(there),
    "the same counts and hashes, but for what belongs to processes and the mark, which says that it was put back",
  );
  assert.ok(hashes(there).length >= 3);
  await using gateway = at.gateway({ KV_PATH: `${at.data}/../back.sqlite3` });
  assert.equal((await gateway.call(token, "list_sites", {})).status, 200);
});
