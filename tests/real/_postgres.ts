/** A private PostgreSQL in a folder of its own, reached over loopback; gone when stopped. */
import { existsSync } from "node:fs";
import { freePort } from "../../core/listening.ts";
import type { Identity } from "../../sandbox/core/tls.ts";

const HOST = "127.0.0.1";
/** Its owner, who may do everything, and whose password is asked for over TCP. */
const OWNER = "owner";
/** Whoever is root cannot run it: then it runs as this account. */
const UNPRIVILEGED = "nobody";

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** How a server is started. */
export interface PostgresOptions {
  /** Of the owner; every character of it is kept. */
  readonly password?: string;
  /** What `initdb` is told beside. */
  readonly initdb?: readonly string[];
  /** Settings, as `max_connections=10`. */
  readonly settings?: readonly string[];
  /** Its certificate and key; without them it speaks no TLS. */
  readonly tls?: Identity;
}

/** Where Debian puts the programs of the newest version that is installed. */
async function programs(): Promise<string> {
  const root = "/usr/lib/postgresql";
  const versions: number[] = [];
  try {
    for await (const { name } of Deno.readDir(root)) versions.push(Number(name));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  if (versions.length === 0) throw new Error("PostgreSQL is not installed (wanted: postgresql)");
  return `${root}/${Math.max(...versions)}/bin`;
}

const isRoot = () => Deno.uid() === 0;
const asUser = (command: readonly string[]) =>
  isRoot()
    ? ["setpriv", `--reuid=${UNPRIVILEGED}`, `--regid=nogroup`, "--clear-groups", ...command]
    : [...command];

async function run(command: readonly string[], cwd: string): Promise<string> {
  const [program, ...args] = asUser(command);
  const { success, stdout, stderr } = await new Deno.Command(program!, {
    args,
    cwd,
    stdout: "piped",
    stderr: "piped",
  })
    .output();
  if (!success) throw new Error(`${command.join(" ")}: ${text(stderr)}${text(stdout)}`);
  return text(stdout);
}

/** A server. */
export class Postgres implements AsyncDisposable {
  #child: Deno.ChildProcess | null = null;

  private constructor(
    private readonly bin: string,
    private readonly folder: string,
    readonly port: number,
    private readonly options: PostgresOptions,
  ) {}

  /** Makes one and starts it. */
  static async start(options: PostgresOptions = {}): Promise<Postgres> {
    const folder = await Deno.makeTempDir({ prefix: "postgres-" });
    const password = options.password ?? "s3cr3t";
    await Deno.writeTextFile(`${folder}/password`, password);
    if (options.tls !== undefined) {
      await Deno.writeTextFile(`${folder}/server.crt`, options.tls.cert);
      await Deno.writeTextFile(`${folder}/server.key`, options.tls.key);
      await Deno.chmod(`${folder}/server.key`, 0o600);
    }
    if (isRoot()) {
      await new Deno.Command("chown", { args: ["-R", `${UNPRIVILEGED}:nogroup`, folder] }).output();
    }
    const server = new Postgres(await programs(), folder, freePort(HOST), { ...options, password });
    await server.#make();
    await server.up();
    return server;
  }

  async #make(): Promise<void> {
    const { bin, folder } = this;
    await run([
      `${bin}/initdb`,
      ...[
        "-D",
        `${folder}/data`,
        "-U",
        OWNER,
        "-A",
        "scram-sha-256",
        `--pwfile=${folder}/password`,
        "--no-sync",
      ],
      ...["-E", "UTF8", ...this.options.initdb ?? ["--locale=C.UTF-8"]],
    ], folder);
  }

  /** Starts it where it is not running; resolves once it takes connections. */
  async up(): Promise<void> {
    if (this.#child !== null) return;
    const { bin, folder } = this;
    const settings = [
      `listen_addresses=${HOST}`,
      `port=${this.port}`,
      `unix_socket_directories=${folder}`,
      "fsync=off", // the machine does not lose its power in a test; the server is killed often
      ...this.options.tls === undefined
        ? []
        : ["ssl=on", `ssl_cert_file=${folder}/server.crt`, `ssl_key_file=${folder}/server.key`],
      ...this.options.settings ?? [],
    ].flatMap((setting) => ["-c", setting]);
    // Ends with its standard input, and so with whoever started it.
    const [program, ...args] = asUser([
      "sh",
      "-c",
      '"$@" <&- >>log 2>&1 & server=$!; cat >/dev/null; kill -INT "$server" 2>/dev/null; wait "$server"',
      "sh",
      `${bin}/postgres`,
      ...["-D", `${folder}/data`, ...settings],
    ]);
    this.#child = new Deno.Command(program!, {
      args,
      cwd: folder,
      stdin: "piped",
      stdout: "null",
      stderr: "null",
    })
      .spawn();
    for (let tries = 1;; tries++) {
      const ready = await run([`${bin}/pg_isready`, "-h", HOST, "-p", `${this.port}`], folder).catch(() =>
        null
      );
      if (ready !== null) return;
      if (tries === 300) {
        throw new Error(`PostgreSQL did not start: ${await Deno.readTextFile(`${folder}/log`)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }

  /** The process ids of the server and of those that work for it. */
  async #processes(): Promise<number[]> {
    const server = Number((await Deno.readTextFile(`${this.folder}/data/postmaster.pid`)).split("\n")[0]);
    const { stdout } = await new Deno.Command("pgrep", { args: ["-P", `${server}`], stdout: "piped" })
      .output();
    return [server, ...text(stdout).split("\n").filter((line) => line !== "").map(Number)];
  }

  /** Ends it: at once by SIGQUIT, as if the machine had gone by SIGKILL. Resolves once another may take its files. */
  async down(signal: "SIGQUIT" | "SIGKILL" = "SIGQUIT"): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    this.#child = null;
    const processes = await this.#processes();
    Deno.kill(processes[0]!, signal);
    await child.stdin.close();
    await child.status;
    while (processes.some((one) => existsSync(`/proc/${one}`))) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await Deno.remove(`${this.folder}/data/postmaster.pid`).catch(() => {});
  }

  /** Stops it where it is, or lets it go on: connections stand, and nothing answers. */
  async freeze(signal: "SIGSTOP" | "SIGCONT"): Promise<void> {
    for (const one of await this.#processes()) Deno.kill(one, signal);
  }

  /** Carries SQL out as its owner, in that database; answers what it prints. */
  async sql(statement: string, database = "postgres"): Promise<string> {
    const [program, ...args] = [`${this.bin}/psql`, "-h", HOST, "-p", `${this.port}`, "-U", OWNER, "-XAtq"];
    const { success, stdout, stderr } = await new Deno.Command(program!, {
      args: [...args, "-v", "ON_ERROR_STOP=1", "-c", statement, database],
      env: { PGPASSWORD: this.options.password! },
      stdout: "piped",
      stderr: "piped",
    }).output();
    if (!success) throw new Error(text(stderr));
    return text(stdout).trim();
  }

  /** The address of a database; one of a name of its own is made where none is given. */
  async database(name = `db_${crypto.randomUUID().replaceAll("-", "")}`): Promise<string> {
    await this.sql(`create database ${name}`);
    return this.address(name);
  }

  /** The address of a database that is there, by that port. */
  address(name: string, port = this.port, parameters = ""): string {
    return `postgres://${OWNER}:${
      encodeURIComponent(this.options.password!)
    }@${HOST}:${port}/${name}${parameters}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down();
    await Deno.remove(this.folder, { recursive: true });
  }
}

/** A line to the server that can be cut, or made silent, in the middle of what is said. */
export class Wire implements Disposable {
  readonly #listener = Deno.listen({ hostname: HOST, port: 0 });
  readonly #open = new Set<Deno.Conn>();
  #isSilent = false;
  #isDeaf = false;
  /** Whether nothing passes on new lines; those that were open then stay dead, as behind a router that forgot them. */
  #isHole = false;
  readonly #dead = new WeakSet<Deno.Conn>();

  constructor(private readonly to: number) {
    this.#accept();
  }

  get port(): number {
    return this.#listener.addr.port;
  }

  /** Nothing that the server answers comes back any more, on lines that are open. */
  silence(): void {
    this.#isSilent = true;
  }

  /** Nothing that is asked arrives any more, on lines that are open. */
  deafen(): void {
    this.#isDeaf = true;
  }

  /** Like a network that drops all packets: lines that are open are dead from now on, and new ones are never answered. */
  swallow(): void {
    this.#isHole = true;
    for (const line of this.#open) this.#dead.add(line);
  }

  /** New lines work again. */
  heal(): void {
    this.#isHole = false;
  }

  /** Cuts every line; new ones work. */
  cut(): void {
    this.#isSilent = this.#isDeaf = false;
    for (const line of this.#open) close(line);
    this.#open.clear();
  }

  async #accept(): Promise<void> {
    for await (const client of this.#listener) {
      if (this.#isHole) {
        this.#open.add(client);
        continue;
      }
      const server = await Deno.connect({ hostname: HOST, port: this.to }).catch(() => null);
      if (server === null) {
        close(client);
        continue;
      }
      this.#open.add(client).add(server);
      this.#pass(client, server, () => this.#isDeaf);
      this.#pass(server, client, () => this.#isSilent);
    }
  }

  async #pass(from: Deno.Conn, to: Deno.Conn, isLost: () => boolean): Promise<void> {
    const part = new Uint8Array(64 * 1024);
    try {
      for (let read = await from.read(part); read !== null; read = await from.read(part)) {
        if (isLost() || this.#dead.has(from) || this.#dead.has(to)) continue;
        for (let at = 0; at < read;) at += await to.write(part.subarray(at, read));
      }
    } catch {
      // it was cut
    }
    close(from);
    close(to);
    this.#open.delete(from);
    this.#open.delete(to);
  }

  /** How many ends of lines are open. */
  get ends(): number {
    return this.#open.size;
  }

  [Symbol.dispose](): void {
    this.#listener.close();
    this.cut();
  }
}

/** A port whose packets are dropped: no connection to it is ever made, and none refused. */
export class Hole implements Disposable {
  readonly #listener = Deno.listen({ hostname: HOST, port: 0, tcpBacklog: 1 });
  readonly #waiting: Deno.Conn[] = [];

  private constructor() {}

  /** As many wait as the port takes, and nobody accepts them. */
  static async dig(): Promise<Hole> {
    const hole = new Hole();
    for (let nth = 0; nth < 2; nth++) {
      hole.#waiting.push(await Deno.connect({ hostname: HOST, port: hole.port }));
    }
    return hole;
  }

  get port(): number {
    return this.#listener.addr.port;
  }

  [Symbol.dispose](): void {
    for (const line of this.#waiting) close(line);
    this.#listener.close();
  }
}

function close(line: Deno.Conn): void {
  try {
    line.close();
  } catch {
    // it was closed already
  }
}

/** Starts a server before the tests of a module, and ends it after them; answers what gives it. */
export function onPostgres(options: PostgresOptions = {}): () => Postgres {
  let server: Postgres | undefined;
  Deno.test.beforeAll(async () => {
    server = await Postgres.start(options);
  });
  Deno.test.afterAll(async () => await server?.[Symbol.asyncDispose]());
  return () => server!;
}
