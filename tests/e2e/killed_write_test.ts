/** A gateway killed in the middle of a write: the same call again never writes twice, and the operator finds the doubt. */
import assert from "node:assert/strict";
import { startWordPressStandIn, type WordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { environment, inFolder, MASTER, type Running, start, until } from "./running.ts";
import { scenes } from "../scenes.ts";

const DRAFT = { site_id: "acme", title: "Hello", content_html: "<p>Hello</p>" };
/** The first call's minute, another until its doubt is judged, and some. */
const LATER_MS = 125_000;
const KEY = "the-only-one";

interface Answer {
  readonly status: number;
  readonly ok: boolean;
  readonly result: { readonly id: number; readonly replayed?: boolean; readonly confirm_token: string };
  readonly error?: { readonly code: string; readonly message: string; readonly outcome: string };
}

const gatewayAt = (folder: string, env: Record<string, string>) =>
  start(folder, env, {
    run: ["-A", "--no-check", "--unstable-kv", "--unstable-cron", "tests/e2e/stopping_gateway.ts"],
  });

async function ask(gateway: Running, token: string, args: object, key?: string): Promise<Answer> {
  const response = await fetch(`${await gateway.address()}/api/v1/tools/create_draft`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      ...key === undefined ? {} : { "idempotency-key": key },
    },
    body: JSON.stringify({ ...DRAFT, ...args }),
  });
  return { status: response.status, ...await response.json() };
}

/** What the operator's one command finds. */
async function inDoubt(folder: string, gateway: Running): Promise<string> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--frozen", "admin/cli.ts", "audit", "tail", "--unknown"],
    env: environment(folder, { GATEWAY_URL: await gateway.address(), MASTER_TOKEN: MASTER }),
  });
  return new TextDecoder().decode((await command.output()).stdout);
}

async function register(gateway: Running, cms: WordPressStandIn): Promise<string> {
  const { username, application_password } = cms.users.admin;
  const credentials = { cms: { username, application_password } };
  const { base_url } = cms;
  await gateway.admin("POST", "/sites", { id: "acme", name: "Acme", platform: "cms", base_url, credentials });
  return (await gateway.token()).token;
}

/** The same by a gateway that ends then. */
async function registered(folder: string, cms: WordPressStandIn): Promise<string> {
  await using gateway = gatewayAt(folder, {});
  const token = await register(gateway, cms);
  gateway.kill("SIGTERM");
  await gateway.ended;
  return token;
}

const drafts = ({ posts }: WordPressStandIn, title: string = DRAFT.title) =>
  [...posts.values()].filter((post) => post.title === title).map(({ id }) => id);

const test = scenes(() => startWordPressStandIn());

/** A call of a gateway that was killed at a point of it, under a token or a key. */
interface Killed {
  readonly by: "token" | "key";
  readonly point: "spent" | "begun" | "written" | "kept";
  readonly title: string;
  readonly call: readonly [args: object, key?: string];
}

const POINTS = ["spent", "begun", "written", "kept"] as const;
const KILLED = (["token", "key"] as const).flatMap((by) =>
  POINTS.map((point) => ({ by, point, title: `Until ${point}, by ${by}` }))
);

/** Has a gateway killed at that point of such a call. */
async function kill(
  folder: string,
  token: string,
  { by, point, title }: typeof KILLED[number],
): Promise<Killed> {
  await using killed = gatewayAt(folder, { STOP_AT: point });
  const shown = by === "token" ? (await ask(killed, token, { title })).result.confirm_token : undefined;
  const call = [
    { title, confirm: true, confirm_token: shown },
    by === "key" ? `${KEY}-${point}` : undefined,
  ] as const;
  await assert.rejects(ask(killed, token, ...call), TypeError);
  assert.equal((await killed.ended).signal, "SIGKILL");
  return { by, point, title, call };
}

/** What the same call is told afterwards; answers the id of the request that is in doubt, if one is. */
function told({ by, point }: Killed, again: Answer, id: number | undefined): string | undefined {
  if (point === "kept") {
    assert.deepEqual([again.status, again.result?.id, again.result?.replayed], [200, id, true]);
  } else if (point !== "spent") {
    const { code, outcome, message } = again.error!;
    assert.deepEqual([again.status, code, outcome], [409, "E_OUTCOME_UNKNOWN", "unknown"]);
    return /request id "([0-9A-Z]{26})"/.exec(message)?.[1];
  } else if (by === "token") {
    const { code, outcome, message } = again.error!;
    assert.deepEqual([again.status, code, outcome], [400, "E_CONFIRM_INVALID", "none"]);
    assert.match(message, /nothing was carried out .*preview again/);
  } else assert.deepEqual([again.status, again.result?.replayed], [200, undefined]);
}

// One after the other on one store, and asked again together: each process takes as long to start as to be killed.
Deno.test("killed at any point, under a token or a key: the same call writes nothing twice, and is told", async (t) => {
  await using cms = await startWordPressStandIn();
  await inFolder(async (folder) => {
    const token = await registered(folder, cms);
    const calls: Killed[] = [];
    for (const row of KILLED) {
      calls.push(await kill(folder, token, row));
      const wrote = row.point === "written" || row.point === "kept";
      assert.equal(drafts(cms, row.title).length, wrote ? 1 : 0, row.title);
    }
    await using after = gatewayAt(folder, { AHEAD_MS: String(LATER_MS) });
    const doubts: string[] = [];
    for (const killed of calls) {
      const { by, point, title, call } = killed;
      await t.step(title, async () => {
        const [first] = drafts(cms, title);
        const again = await ask(after, token, ...call);
        const request = told(killed, again, first);
        if (request !== undefined) doubts.push(request);
        const now = drafts(cms, title);
        const once = first !== undefined || (point === "spent" && by === "key");
        assert.equal(now.length, once ? 1 : 0, "never twice");
        assert.equal((await ask(after, token, ...call)).status, again.status, "and it stays so");
        assert.deepEqual(drafts(cms, title), now);
      });
    }
    const found = await inDoubt(folder, after);
    const rows = doubts.map((id) => `started  create_draft  acme  e2e  outcome unknown  id ${id}`);
    assert.equal(rows.length, 4);
    assert.deepEqual(
      found.trim().split("\n").map((line) =>
        line.replace(/^\S+ +started +create_draft/, "started  create_draft")
      )
        .toSorted(),
      rows.toSorted(),
    );
  });
});

test("killed while the site is at the write: it is made once, the same call is told of the doubt, and so is the operator", async (cms) => {
  await inFolder(async (folder) => {
    await using killed = gatewayAt(folder, {});
    const token = await register(killed, cms);
    const confirm_token = (await ask(killed, token, {})).result.confirm_token;
    const call = [{ confirm: true, confirm_token }, KEY] as const;
    cms.inject({ kind: "hang", applied: true }, { method: "POST" });
    const ending = assert.rejects(ask(killed, token, ...call), TypeError);
    await until(() => Promise.resolve(drafts(cms).length > 0), 20_000);
    killed.kill("SIGKILL");
    await ending;
    await killed.ended;
    cms.clearFaults();
    await using after = gatewayAt(folder, { AHEAD_MS: String(LATER_MS) });
    for (const keyed of [call, [{ confirm: true }, KEY], [{ confirm: true, confirm_token }]] as const) {
      assert.equal((await ask(after, token, ...keyed as typeof call)).error?.code, "E_OUTCOME_UNKNOWN");
    }
    assert.match(
      await inDoubt(folder, after),
      /^\S+ +started +create_draft {2}acme .*outcome unknown {2}id \S+\n$/,
    );
    assert.equal(drafts(cms).length, 1);
  });
});

test("killed while the site is at the write: seconds later the same call is told of the doubt, and does not wait for the first one's time to end", async (cms) => {
  await inFolder(async (folder) => {
    await using killed = gatewayAt(folder, {});
    const token = await register(killed, cms);
    cms.inject({ kind: "hang", applied: true }, { method: "POST" });
    const ending = assert.rejects(ask(killed, token, { confirm: true }, KEY), TypeError);
    await until(() => Promise.resolve(drafts(cms).length > 0), 20_000);
    killed.kill("SIGKILL");
    await ending;
    await killed.ended;
    cms.clearFaults();
    await using after = gatewayAt(folder, { AHEAD_MS: "10000" });
    await after.address();
    const began = performance.now();
    const { error } = await ask(after, token, { confirm: true }, KEY);
    assert.deepEqual([error?.code, error?.outcome], ["E_OUTCOME_UNKNOWN", "unknown"]);
    assert.ok(performance.now() - began < 20_000, "the first one's time would have ended 50 s later");
    assert.equal(drafts(cms).length, 1);
  });
});

test("of two gateways on one store, equal calls at once under a token and under a key write once", async (cms) => {
  await inFolder(async (folder) => {
    await using one = gatewayAt(folder, {});
    const token = await register(one, cms);
    await using two = gatewayAt(folder, {});
    await two.address();
    const { confirm_token } = (await ask(one, token, {})).result;
    for (const [args, key] of [[{ confirm_token }, undefined], [{}, KEY]] as const) {
      const before = drafts(cms).length;
      const all = await Promise.all(
        Array.from({ length: 30 }, (_, n) => ask(n % 2 ? one : two, token, { confirm: true, ...args }, key)),
      );
      assert.ok(all.every(({ ok }) => ok), JSON.stringify(all.find(({ ok }) => !ok)));
      assert.equal(new Set(all.map(({ result }) => result.id)).size, 1);
      assert.equal(all.filter(({ result }) => result.replayed !== true).length, 1);
      assert.equal(drafts(cms).length - before, 1);
    }
  });
});

test("a store restored from a copy repeats what it knows, takes no token made since, and names what was in flight", async (cms) => {
  await inFolder(async (folder) => {
    const file = `${folder}/gateway.sqlite3`;
    const copied = `${folder}/copy.sqlite3`;
    let [token, first, since] = ["", 0, ""];
    {
      await using gateway = gatewayAt(folder, {});
      token = await register(gateway, cms);
      first = (await ask(gateway, token, { confirm: true }, KEY)).result.id;
      gateway.kill("SIGTERM");
      await gateway.ended;
    }
    {
      // The copy is taken while a write is under way.
      await using gateway = gatewayAt(folder, { STOP_AT: "begun" });
      await assert.rejects(ask(gateway, token, { confirm: true }, "in-flight"), TypeError);
      await gateway.ended;
    }
    await copyStore(file, copied);
    {
      await using gateway = gatewayAt(folder, {});
      since = (await ask(gateway, token, {})).result.confirm_token;
      gateway.kill("SIGTERM");
      await gateway.ended;
    }
    await using restored = gatewayAt(folder, { KV_PATH: copied, AHEAD_MS: String(23 * 3_600_000) });
    const again = await ask(restored, token, { confirm: true }, KEY);
    assert.deepEqual([again.result?.id, again.result?.replayed], [first, true], JSON.stringify(again));
    const unknown = await ask(restored, token, { confirm: true, confirm_token: since });
    assert.equal(unknown.error?.code, "E_CONFIRM_INVALID");
    const doubt = await ask(restored, token, { confirm: true }, "in-flight");
    assert.equal(doubt.error?.code, "E_OUTCOME_UNKNOWN");
    assert.match(
      await inDoubt(folder, restored),
      /^\S+ +started +create_draft .*outcome unknown {2}id [0-9A-Z]{26}\n$/,
    );
    assert.deepEqual(drafts(cms), [first]);
  });
});

/** A copy as an operator makes it of a store that nobody has open: the file, and what SQLite keeps beside it. */
async function copyStore(from: string, to: string): Promise<void> {
  for (const ending of ["", "-wal", "-shm"]) {
    await Deno.copyFile(from + ending, to + ending).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
}
