/** A private MariaDB in a folder of its own, reached by a socket only; gone when stopped. */
import type { SiteDatabase } from "../../sandbox/wordpress/start.ts";

const USER = "site";
const PASSWORD = "site-password";
/** What databases are called that sites make for themselves; the account may make any of that name. */
const OWN = "own_";

const databaseAt = (socket: string, name: string): SiteDatabase => ({
  host: `localhost:${socket}`,
  name,
  user: USER,
  password: PASSWORD,
});

/** An empty database of its own, made on a running server. */
export async function newDatabase(socket: string): Promise<SiteDatabase> {
  const name = `${OWN}${crypto.randomUUID().replaceAll("-", "")}`;
  const make = "[, $socket, $user, $password, $name] = $argv;" +
    "$db = new mysqli('localhost', $user, $password, null, 0, $socket);" +
    '$db->query("CREATE DATABASE $name CHARACTER SET utf8mb4");';
  const { success, stdout, stderr } = await new Deno.Command("php", {
    args: ["-r", make, "--", socket, USER, PASSWORD, name],
  }).output();
  if (!success) {
    throw new Error(
      `MariaDB made no database: ${new TextDecoder().decode(stderr) || new TextDecoder().decode(stdout)}`,
    );
  }
  return databaseAt(socket, name);
}

/** Why MariaDB cannot run here, as a sentence; null when it can. */
export async function mariadbMissing(): Promise<string | null> {
  try {
    const { success } = await new Deno.Command("mariadbd", {
      args: ["--version"],
      stdout: "null",
      stderr: "null",
    })
      .output();
    if (!success) return "mariadbd does not run";
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    return "MariaDB is not installed (wanted: mariadb-server)";
  }
  const asked = await new Deno.Command("php", { args: ["-m"], stdout: "piped", stderr: "null" }).output();
  return /^mysqli$/m.test(new TextDecoder().decode(asked.stdout))
    ? null
    : "PHP lacks mysqli (wanted: php-mysql)";
}

async function me(): Promise<string> {
  const { stdout } = await new Deno.Command("id", { args: ["-un"], stdout: "piped" }).output();
  return new TextDecoder().decode(stdout).trim();
}

/** Reads until the server says that it listens. Throws an Error with the last lines where it does not. */
async function untilReady(log: ReadableStream<Uint8Array>): Promise<void> {
  let text = "";
  const decoder = new TextDecoder();
  // Read by hand: nothing is read any more once it is ready.
  const reader = log.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += decoder.decode(part.value, { stream: true });
    if (!/ready for connections/.test(text)) continue;
    reader.releaseLock();
    return;
  }
  throw new Error(`MariaDB did not start: ${text.split("\n").slice(-5).join(" ")}`);
}

/** A running server. */
export class Mariadb implements AsyncDisposable {
  private constructor(private readonly child: Deno.ChildProcess, private readonly folder: string) {}

  /** Starts one with these databases, all of them an ordinary account's. */
  static async start(...names: string[]): Promise<Mariadb> {
    const folder = await Deno.makeTempDir({ prefix: "mariadb-" });
    const user = await me();
    const made = await new Deno.Command("mariadb-install-db", {
      args: [
        "--no-defaults",
        `--user=${user}`,
        `--datadir=${folder}/data`,
        `--tmpdir=${folder}`,
        "--skip-test-db",
      ],
      stdout: "null",
      stderr: "piped",
    }).output();
    if (!made.success) throw new Error(new TextDecoder().decode(made.stderr));
    const grants = names.flatMap((name) => [
      `CREATE DATABASE ${name} CHARACTER SET utf8mb4;`,
      `GRANT ALL ON ${name}.* TO '${USER}'@'localhost' IDENTIFIED BY '${PASSWORD}';`,
    ]);
    // With the databases that a site makes for itself, as newDatabase does.
    grants.push(
      `GRANT ALL ON \`${OWN.replace("_", "\\_")}%\`.* TO '${USER}'@'localhost' IDENTIFIED BY '${PASSWORD}';`,
    );
    await Deno.writeTextFile(`${folder}/init.sql`, grants.join("\n"));
    const settings = [
      `--user=${user}`,
      `--datadir=${folder}/data`,
      `--socket=${folder}/socket`,
      `--pid-file=${folder}/pid`,
      `--tmpdir=${folder}`,
      `--init-file=${folder}/init.sql`,
      "--skip-networking",
      "--innodb-buffer-pool-size=32M",
      "--innodb-flush-log-at-trx-commit=0",
    ];
    // Ends with its standard input, and so with whoever started it.
    const child = new Deno.Command("sh", {
      args: [
        "-c",
        'mariadbd --no-defaults "$@" <&- & server=$!; cat >/dev/null; kill "$server"; wait "$server"',
        "sh",
        ...settings,
      ],
      stdin: "piped",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    const server = new Mariadb(child, folder);
    try {
      await untilReady(child.stderr);
    } catch (thrown) {
      await server.stop();
      throw thrown;
    }
    return server;
  }

  /** One of its databases. */
  database(name: string): SiteDatabase {
    return databaseAt(this.socket, name);
  }

  /** Where it is reached. */
  get socket(): string {
    return `${this.folder}/socket`;
  }

  /** Ends it and removes its folder. */
  async stop(): Promise<void> {
    await this.child.stdin.close();
    await this.child.stderr.cancel().catch(() => {});
    await this.child.status;
    await Deno.remove(this.folder, { recursive: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
