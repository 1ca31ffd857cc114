/** Whole gateways on one store, killed and started again under load: each write happens once, and the audit is whole. */
import assert from "node:assert/strict";
import { startWordPressStandIn, type WordPressStandIn } from "../sandbox/wordpress_standin/start.ts";
import { inFolder, type Running, start } from "./e2e/running.ts";
import type { Engine } from "./unit/store/engines.ts";

const KILLS = 9;
/** Writes that are asked for in each round, half of them at either gateway. */
const WRITES = 24;
/** A gateway is killed once so many of a round's writes have happened. */
const KILLED_AFTER = 6;
/** The minute of a call, another until its doubt is judged, and some. */
const LATER_MS = 125_000;
const BY_ANOTHER_CLOCK = [
  "-A",
  "--no-check",
  "--unstable-kv",
  "--unstable-cron",
  "tests/e2e/stopping_gateway.ts",
];
const ENV = {
  RATE_LIMIT_TOKEN: "0",
  RATE_LIMIT_SITE: "0",
  CALLS_PER_TOKEN: "0",
  DENO_KV_ACCESS_TOKEN: "kv-connect-token",
};

interface Answer {
  readonly status: number;
  readonly ok?: boolean;
  readonly error?: { readonly code: string; readonly outcome?: string };
}

async function draft(gateway: Running, token: string, title: string, signal?: AbortSignal): Promise<Answer> {
  const response = await fetch(`${await gateway.address()}/api/v1/tools/create_draft`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "idempotency-key": title,
    },
    signal,
    body: JSON.stringify({ site_id: "acme", title, content_html: "<p>x</p>", confirm: true }),
  });
  return { status: response.status, ...await response.json() };
}

const written = ({ posts }: WordPressStandIn) => [...posts.values()].map(({ title }) => title);

async function register(gateway: Running, cms: WordPressStandIn): Promise<string> {
  const { username, application_password } = cms.users.admin;
  const { base_url } = cms;
  const credentials = { cms: { username, application_password } };
  await gateway.admin("POST", "/sites", { id: "acme", name: "Acme", platform: "cms", base_url, credentials });
  return (await gateway.token()).token;
}

/** Waits until a gateway has ended, or so many of the round's writes have happened. */
async function reached(cms: WordPressStandIn, round: string, count: number): Promise<void> {
  while (written(cms).filter((title) => title.startsWith(round)).length < count) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** What a call is told that was asked for again: it is done, once, or nobody knows and somebody must look. */
function assertTold(title: string, times: () => number, { status, ok, error }: Answer): void {
  const said = `${title}: ${status} ${JSON.stringify(error ?? null)}`;
  assert.ok(times() <= 1, said);
  if (ok) assert.equal(times(), 1, said);
  else assert.deepEqual([status, error?.code, error?.outcome], [409, "E_OUTCOME_UNKNOWN", "unknown"], said);
}

/** What was asked for in a round, and which of it a gateway answered as done. */
interface Round {
  readonly titles: readonly string[];
  readonly answered: ReadonlySet<string>;
}

/** Has both gateways asked for the same writes under the same keys, and one of them killed in the middle. */
async function killed(
  round: number,
  gateways: Running[],
  begin: () => Running,
  { cms, token }: { cms: WordPressStandIn; token: string },
): Promise<Round> {
  const titles = Array.from({ length: WRITES }, (_, at) => `${round}-${at}`);
  const cut = new AbortController();
  const asked = gateways.flatMap((gateway) =>
    titles.map(async (title) =>
      (await draft(gateway, token, title, cut.signal).catch(() => null))?.ok ? title : null
    )
  );
  await reached(cms, `${round}-`, KILLED_AFTER);
  const side = round % 2;
  gateways[side]!.kill("SIGKILL");
  await gateways[side]!.ended;
  gateways[side] = begin();
  await gateways[side]!.address();
  cut.abort(); // the other one would wait a minute for what the killed one began
  return { titles, answered: new Set((await Promise.all(asked)).filter((title) => title !== null)) };
}

/** Asserts that each write happened once at most, that what was answered did, and that asking again never writes twice. */
async function assertOnce(
  rounds: readonly Round[],
  after: Running,
  cms: WordPressStandIn,
  token: string,
): Promise<void> {
  for (const { titles, answered } of rounds) {
    for (const title of titles) {
      const times = () => written(cms).filter((one) => one === title).length;
      const before = times();
      assert.ok(before <= 1, `${title} was written ${before} times`);
      if (answered.has(title)) assert.equal(before, 1, `${title} was answered as written`);
      assertTold(title, times, await draft(after, token, title));
    }
  }
  const { faults } = await after.admin<{ faults: string[] }>("GET", "/audit/verify");
  assert.deepEqual(faults, []);
}

/** Registers a test of two gateways on one store, one of which is killed in each of nine rounds. */
export function killedInTurns(engine: Engine): void {
  Deno.test(`${engine.name}: of two gateways that are killed in turns under load, each write happens once`, async () => {
    await using place = await engine.place();
    await using cms = await startWordPressStandIn();
    await inFolder(async (folder) => {
      const env = { ...ENV, KV_PATH: place.path };
      const begin = () => start(folder, env);
      const gateways = [begin(), begin()];
      try {
        const token = await register(gateways[0]!, cms);
        const rounds: Round[] = [];
        for (let round = 0; round < KILLS; round++) {
          rounds.push(await killed(round, gateways, begin, { cms, token }));
        }
        for (const gateway of gateways) gateway.kill("SIGKILL");
        // What was cut off is in doubt by then.
        await using after = start(folder, { ...env, AHEAD_MS: String(LATER_MS) }, { run: BY_ANOTHER_CLOCK });
        await assertOnce(rounds, after, cms, token);
      } finally {
        for (const gateway of gateways) gateway.kill("SIGKILL");
        await Promise.all(gateways.map(({ ended }) => ended));
      }
    });
  });
}
