/** Connected accounts over random interleavings: slow, lost and late answers, crashes, clocks that step. */
import assert from "node:assert/strict";
import { InvalidGrant } from "../../../core/invalid_grant.ts";
import type { Accounts } from "../../../store/accounts.ts";
import type { FreshToken, NoToken, RefreshAnswer } from "../../../store/store.ts";
import { GRANTED, HOUR, instance, LEASE_MS, sharedKv, USER } from "./accounts_kit.ts";
import { type Rotation, Upstream } from "./token_server.ts";
import { seeded, VirtualTime } from "./virtual_time.ts";

const SEEDS = 10;
const MINUTE = 60_000;
/** What calls of the KV may add to a wait. */
const SLACK_MS = 1000;

interface Record {
  readonly id: string;
  readonly generation: number;
  readonly reconnect: unknown;
}

interface Instance {
  readonly accounts: Accounts;
  alive: boolean;
  ahead: number;
}

/** How rough a run is. */
interface Weather {
  readonly rotation: Rotation;
  readonly lost: number;
  readonly slow: number;
  readonly crash: number;
  readonly step: number;
}

/** One connection, three instances that can crash and be replaced, an upstream; all of it follows from the seed. */
class World {
  readonly time = new VirtualTime();
  readonly random: () => number;
  readonly upstream: Upstream;
  readonly instances: Instance[] = [];
  /** Refresh tokens that reached an instance which could still keep them. */
  readonly delivered = new Set<string>();
  /** When requests began that are under way. */
  readonly asking = new Set<number>();
  stored: Record | null = null;
  asks = 0;
  kv!: Awaited<ReturnType<typeof sharedKv>>;

  constructor(seed: number, readonly weather: Weather) {
    this.random = seeded(seed);
    this.upstream = new Upstream(weather.rotation, this.time.now);
  }

  async open(): Promise<void> {
    this.kv = await sharedKv((before, after) => this.#written(before as Record, after as Record));
    for (let n = 0; n < 3; n++) this.instances.push(this.#start());
    await this.connect();
  }

  async connect(): Promise<void> {
    const grant = this.upstream.grant();
    this.delivered.clear();
    this.delivered.add(grant.refresh_token);
    const { accounts } = this.#alive();
    await this.time.until(accounts.connect(USER, "mail", { ...GRANTED, ...grant }));
  }

  #start(): Instance {
    const made: { -readonly [K in keyof Instance]: Instance[K] } = {
      accounts: undefined!,
      alive: true,
      ahead: 0,
    };
    const pass = async () => {
      await this.time.delay(this.random() * 4);
      if (!made.alive) await new Promise<never>(() => {});
    };
    made.accounts = instance(this.kv, this.time, pass, () => Math.floor(this.time.ms + made.ahead));
    return made;
  }

  #alive(): Instance {
    return this.instances[Math.floor(this.random() * this.instances.length)]!;
  }

  #written(before: Record | null, after: Record | null): void {
    if (after === null || !("generation" in after)) return;
    if (before?.id === after.id) {
      const grown = after.generation - before.generation;
      assert.ok(grown === 0 || grown === 1, "a generation follows the one before it");
    }
    this.stored = after;
  }

  /** An upstream over a bad line: the request, or its answer, may be slow or lost. */
  async #refresh(of: Instance, token: string): Promise<RefreshAnswer> {
    const began = this.time.ms;
    this.asks++;
    // Whatever a refresh throws counts as a failure of the upstream, so that what must not be is kept for the end.
    if (this.stored?.reconnect !== null) this.faults.push("asked for a connection that was given up");
    const early = [...this.asking].filter((one) => began - one < LEASE_MS - SLACK_MS);
    if (this.weather.step === 0 && early.length > 0) this.faults.push("asked while another's lease ran");
    this.asking.add(began);
    try {
      await this.time.delay(this.random() * 500);
      if (this.random() < this.weather.lost / 2) throw new Error("the request was lost");
      const answer = this.#ask(token);
      const slow = this.random() < this.weather.slow;
      await this.time.delay(slow ? LEASE_MS + this.random() * 2 * LEASE_MS : this.random() * 500);
      if (this.random() < this.weather.lost / 2) throw new Error("the answer was lost");
      if (answer instanceof InvalidGrant) throw answer;
      if (of.alive && answer.refresh_token !== undefined) this.delivered.add(answer.refresh_token);
      return answer;
    } finally {
      this.asking.delete(began);
    }
  }

  #ask(token: string): RefreshAnswer | InvalidGrant {
    try {
      return this.upstream.refresh(token);
    } catch (error) {
      if (error instanceof InvalidGrant) return error;
      throw error;
    }
  }

  /** One call of a tool: a token, used, and once more if it is refused; it keeps to its time. */
  async call(of: Instance): Promise<FreshToken | NoToken> {
    const wait_ms = 1000 + this.random() * MINUTE;
    const end = this.time.ms + wait_ms + SLACK_MS;
    const refresh = (token: string) => this.#refresh(of, token);
    let token = await of.accounts.token(USER, "mail", { refresh, wait_ms });
    assert.ok(this.time.ms <= end, "a call waits no longer than it said");
    if (token.state === "ok" && !this.upstream.accepts(token.access_token)) {
      token = await of.accounts.token(USER, "mail", { refresh, wait_ms, refused: token });
    }
    return token;
  }

  /** Something happens. */
  async happen(): Promise<void> {
    const n = Math.floor(this.random() * this.instances.length);
    const one = this.instances[n]!;
    const calls = Math.floor(this.random() * 5);
    for (let call = 0; call < calls; call++) {
      const running = this.call(this.#alive());
      running.catch((error) => this.faults.push(error));
    }
    if (this.random() < this.weather.step) one.ahead += (this.random() - 0.5) * 4 * HOUR;
    if (this.random() < this.weather.crash) {
      await this.time.advance(this.random() * 1500);
      one.alive = false;
      this.instances[n] = this.#start();
    }
    await this.time.advance(this.random() < 0.5 ? this.random() * 2000 : this.random() * 40 * MINUTE);
  }

  readonly faults: unknown[] = [];

  /** Once the weather is fair again: the last word of the connection. */
  async lastWord(): Promise<FreshToken | NoToken> {
    await this.time.advance(4 * LEASE_MS);
    for (const one of this.instances) one.ahead = 0;
    (this.weather as { -readonly [K in keyof Weather]: Weather[K] }).lost = 0;
    (this.weather as { -readonly [K in keyof Weather]: Weather[K] }).slow = 0;
    let last: FreshToken | NoToken | undefined;
    for (let call = 0; call < 4; call++) {
      await this.time.advance(HOUR);
      last = await this.time.until(this.call(this.#alive()));
    }
    return last!;
  }
}

async function play(seed: number, weather: Weather): Promise<void> {
  const world = new World(seed, { ...weather });
  await world.open();
  for (let turn = 0; turn < 25; turn++) await world.happen();
  await world.time.advance(4 * LEASE_MS);
  const delivered = [...world.delivered];
  const lasting = delivered.some((token) => world.upstream.isNewest(token));
  const dead = !delivered.some((token) => world.upstream.isLive(token));
  const last = await world.lastWord();
  assert.deepEqual(world.faults, [], `seed ${seed}`);
  if (last.state === "ok") {
    assert.ok(world.upstream.accepts(last.access_token), `seed ${seed}: the token works`);
  }
  if (lasting) assert.equal(last.state, "ok", `seed ${seed}: ${JSON.stringify(weather)}`);
  if (dead) assert.equal(last.state, "reconnect", `seed ${seed}: ${JSON.stringify(weather)}`);
  if (last.state !== "ok") {
    await world.connect();
    assert.equal(
      (await world.time.until(world.call(world.instances[0]!))).state,
      "ok",
      `seed ${seed}: connected anew`,
    );
  }
}

const FAIR: Omit<Weather, "rotation"> = { lost: 0, slow: 0, crash: 0, step: 0 };
const WEATHERS: readonly [string, Omit<Weather, "rotation">][] = [
  ["fair", FAIR],
  ["answers lost", { ...FAIR, lost: 0.3 }],
  ["answers late", { ...FAIR, slow: 0.3 }],
  ["crashes", { ...FAIR, crash: 0.3 }],
  ["clocks that step", { ...FAIR, step: 0.2 }],
  ["all of it", { lost: 0.2, slow: 0.2, crash: 0.2, step: 0.1 }],
];

for (const [name, weather] of WEATHERS) {
  Deno.test(`no token that arrived is lost, one asks at a time, and no call waits too long: ${name}`, async () => {
    for (const rotation of ["none", "strict", "family", "grace"] as const) {
      for (let seed = 1; seed <= SEEDS; seed++) await play(seed, { rotation, ...weather });
    }
  });
}
