/** The drill of docs/OPERATING.md, typed as it is printed: gateways, a database and versions are lost and put back. */
import assert from "node:assert/strict";
import { VERSION } from "../../core/model.ts";
import { freePort } from "../../bench/process.ts";
import { copyProject } from "../e2e/copy.ts";
import { hasPromtool } from "../promtool.ts";
import { CADDYFILE, hasCaddy } from "./_caddy.ts";
import { Postgres } from "./_postgres.ts";

/** What the drill may take, on a machine with other work; it ends by itself long before. */
const DEADLINE_MS = 10 * 60_000;

const PAGE = await Deno.readTextFile(new URL("../../docs/OPERATING.md", import.meta.url));

/** The blocks of the section, in their order. */
function blocks(): string[] {
  const [, rest] = PAGE.split("\n## Drill\n");
  const [section] = (rest ?? "").split(/^## /m);
  return [...section!.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text]) => text!);
}

/** Each of them in the place of what is printed, which must be there. */
function replaced(text: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((changed, [from, to]) => {
    assert.ok(text.includes(from), `the page does not say ${from}`);
    return changed.replaceAll(from, to);
  }, text);
}

/** A program on the PATH in the place of the machine's own. */
async function program(folder: string, name: string, lines: string): Promise<void> {
  await Deno.writeTextFile(`${folder}/${name}`, `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
}

/** What each block says, as text; typed into one shell, in that folder. */
async function typed(
  texts: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<string[]> {
  const mark = (at: number) => `@@ ${at} @@`;
  const script = texts.map((text, at) => `${text}\necho "${mark(at)}"\n`).join("");
  const child = new Deno.Command("timeout", {
    args: ["-k", "5", `${DEADLINE_MS / 1000}`, "bash", "-c", `exec 2>&1\n${script}`],
    cwd,
    clearEnv: true,
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const said = new TextDecoder().decode((await child.output()).stdout);
  let from = 0;
  return texts.map((_, at) => {
    const to = said.indexOf(mark(at), from);
    assert.ok(to >= 0, `the drill stopped in block ${at}: ${said.slice(from)}`);
    const part = said.slice(from, to);
    from = to + mark(at).length;
    return part;
  });
}

/** The statuses that `answers` counted, in the order printed: ascending each time it was typed. */
const statusesIn = (said: string): number[] =>
  [...said.matchAll(/^ +\d+ (\d{3})$/gm)].map(([, status]) => Number(status));

Deno.test({
  name: "the drill says what is printed, block after block",
  ignore: !hasCaddy || !hasPromtool,
  async fn() {
    await using server = await Postgres.start();
    const folder = await Deno.makeTempDir();
    await using copy = await copyProject();
    await using service = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
      await (request.url.endsWith("/start") ? server.up() : server.down());
      return new Response();
    });
    const bin = `${folder}/bin`;
    await Deno.mkdir(bin);
    await program(bin, "service", `exec curl -s "http://127.0.0.1:${service.addr.port}/$2"`);
    const owner = server.address("postgres");
    await program(bin, "runuser", `shift 4; exec psql -d "${owner}" "$@"`);
    const git = ["-c", "user.name=drill", "-c", "user.email=drill@example.com", "-c", "gc.auto=0"];
    for (const args of [["init", "-q"], ["add", "-A"], [...git, "commit", "-q", "-m", "The project"]]) {
      assert.ok((await new Deno.Command("git", { args, cwd: copy.folder }).output()).success, args.join(" "));
    }
    const caddyfile = replaced(await Deno.readTextFile(CADDYFILE), {
      "health_interval 2s": "health_interval 500ms",
    });
    await Deno.writeTextFile(`${copy.folder}/docs/deploy/Caddyfile`, caddyfile);
    const ports = Array.from({ length: 4 }, () => String(freePort()));
    const text = replaced(blocks().join("\0"), {
      "npx -y deno@2.9": Deno.execPath(),
      "../gateway-next": `${folder}/gateway-next`,
      "127.0.0.1:5432": `127.0.0.1:${server.port}`,
      "DRAIN_SECONDS=5": "DRAIN_SECONDS=3",
      "sleep 10": "sleep 3",
      "sleep 5": "sleep 2",
      ": 5s": ": 1s",
    });
    const printed = ["8000", "8001", "8080", "9091"];
    const ours = text.replace(/\b(?:8000|8001|8080|9091)\b/g, (port) => ports[printed.indexOf(port)]!);
    const { HOME = "", PATH = "", DENO_DIR } = Deno.env.toObject();
    try {
      const said = await typed(ours.split("\0"), copy.folder, {
        ...{ HOME, PATH: `${bin}:${PATH}`, NO_COLOR: "1", XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
        ...DENO_DIR === undefined ? {} : { DENO_DIR },
        CADDY_GATEWAYS: `127.0.0.1:${ports[0]} 127.0.0.1:${ports[1]}`,
      });
      judge(said);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

const started = (version: string) => `{"ok":true,"version":"${version}"}`;

/** What the page says below a block. */
interface Expected {
  readonly says?: readonly (string | RegExp)[];
  /** Words that stand there so often. */
  readonly times?: Readonly<Record<string, number>>;
  /** Statuses that answers have beside 200; after the last `answers` there are none. */
  readonly also?: readonly number[];
}

const OURS = started(VERSION);

const EXPECTED: Readonly<Record<string, Expected>> = {
  settings: {},
  deploy: { says: [/^id +acme$/m], times: { [OURS]: 2 } },
  calls: { says: ['"id":"acme"'], also: [] },
  watch: { says: ["The gateway answers"], times: { "} => 1 @": 2, ALERTS: 0 }, also: [] },
  "lose one": {
    says: ['alertname="GatewayDown"', "No write is in doubt or under way."],
    times: { [OURS]: 1 },
    also: [502],
  },
  "lose the database": {
    says: [
      "The audit: Whole:",
      '"id":"acme"',
      'alertname="GatewayNotReady"',
      '"check":"store"',
      "E_INTERNAL",
      "No gateway is ready at this address",
    ],
    times: { '"event":"store_away"': 2 },
  },
  "the database is back": { times: { '"event":"store_back"': 2 }, also: [500, 503] },
  restore: {
    says: [
      "holds nothing, and it held the store of this gateway",
      "is the copy now; start the gateway.",
      /^Whole: \d+ entries/m,
      '"code":"E_AUTH"',
    ],
    times: { [OURS]: 2 },
    also: [502, 503],
  },
  "rotate a key": {
    says: [
      "an older key",
      /^\d+ records were sealed anew/m,
      /^Nothing needs key \w{12}/m,
      "The gateway answers",
    ],
    times: { [OURS]: 6, "Nothing needs key": 1 },
    also: [],
  },
  upgrade: { times: { [started("98.0.0")]: 2, [OURS]: 2 }, also: [] },
  "another format": {
    says: ["The audit: Whole:", "The gateway answers", "was written by a newer version (format 99)"],
    times: { [started("99.0.0")]: 1, [OURS]: 0 },
    also: [502, 503],
  },
  "roll back": {
    says: ["is the copy now; start the gateway.", /^Whole: \d+ rows/m],
    times: { [OURS]: 2 },
    also: [502, 503],
  },
  "clear away": { times: { rror: 0, fatal: 0 } },
};

/** Fails where a block did not say what the page says below it. */
function judge(said: readonly string[]): void {
  assert.equal(said.length, Object.keys(EXPECTED).length);
  for (const [at, [name, { says = [], times = {}, also }]] of Object.entries(EXPECTED).entries()) {
    const text = said[at]!;
    for (const one of says) {
      const isThere = typeof one === "string" ? text.includes(one) : one.test(text);
      assert.ok(isThere, `${name}: ${one} is missing: ${text}`);
    }
    for (const [words, often] of Object.entries(times)) {
      assert.equal(text.split(words).length - 1, often, `${name}: ${words}: ${text}`);
    }
    if (also === undefined) continue;
    const statuses = statusesIn(text);
    assert.ok(statuses.every((one) => one === 200 || also.includes(one)), `${name}: ${text}`);
    // Of each time the lowest status stands first: a last line of 200 is the only one of its time.
    assert.equal(statuses.at(-1), 200, `${name}: ${text}`);
  }
}
