/** On which WordPress and which database a run's tests stand, and a site of that. */
import { getDebianTree, versionOf } from "../sandbox/wordpress/debian.ts";
import { cacheFolder } from "../sandbox/wordpress/seed.ts";
import { type CmsOptions, type CmsSandbox, type SiteDatabase, startCms } from "../sandbox/wordpress/start.ts";
import { Mariadb, mariadbMissing, newDatabase } from "./companion/mariadb.ts";

/** The versions: what npm's package has, what Debian's stable release has, and the newest that Debian has. */
const VERSIONS = ["6.5", "6.8", "newest"] as const;
/** The databases. */
const DATABASES = ["sqlite", "mariadb"] as const;

/** A WordPress on a database. */
export interface Combination {
  readonly version: (typeof VERSIONS)[number];
  readonly database: (typeof DATABASES)[number];
}

/** All of them. */
export const COMBINATIONS: readonly Combination[] = VERSIONS.flatMap((version) =>
  DATABASES.map((database) => ({ version, database }))
);

/** The variable that names one, as `6.8 mariadb`. */
export const VARIABLE = "TEST_WORDPRESS";

/** A combination as the variable names it. */
export const nameOf = ({ version, database }: Combination) => `${version} ${database}`;

/**
 * The combination on which the whole set runs: the one that the variable names, else one after the other as commits follow
 * each other, so that a commit is always tried on the same. Throws an Error that lists what there is.
 */
export function wholeOn(named: string | undefined, commits: number): Combination {
  if (!named) return COMBINATIONS[commits % COMBINATIONS.length]!;
  const found = COMBINATIONS.find((one) => nameOf(one) === named);
  if (found) return found;
  throw new Error(`${VARIABLE}: "${named}" is not one of ${COMBINATIONS.map(nameOf).join(", ")}`);
}

/** What of a run's combinations is not there, as a sentence. */
export class NotHere extends Error {}

const SUITES = { "6.8": "trixie", newest: "sid" } as const;

/** Gets a version's tree once on a machine, whoever asks at the same time; removing the folder gets it anew. */
async function treeOf(version: keyof typeof SUITES): Promise<string> {
  const suite = SUITES[version];
  const folder = `${await cacheFolder()}/debian-${suite}`;
  using lock = await Deno.open(`${folder}.lock`, { create: true, write: true });
  await lock.lock(true);
  if (await Deno.stat(folder).then(() => true, () => false)) return folder;
  const part = await Deno.makeTempDir({ dir: await cacheFolder(), prefix: `debian-${suite}.part-` });
  try {
    await getDebianTree(suite, `${part}/tree`);
    await Deno.rename(`${part}/tree`, folder);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new NotHere(`Debian's packages of WordPress (${suite}) cannot be had: ${reason}`, {
      cause: thrown,
    });
  } finally {
    await Deno.remove(part, { recursive: true });
  }
  return folder;
}

/** A combination that is ready: what tests of it need in their environment, and its name with the true version. */
export interface Ready {
  readonly env: Readonly<Record<string, string>>;
  readonly label: string;
}

/** The trees and the one MariaDB of a run, each got where it is first asked for. */
export class Engines implements AsyncDisposable {
  readonly #trees = new Map<string, Promise<string>>();
  #server: Promise<Mariadb> | undefined;

  /** `get` gives the folder of a version's tree. */
  constructor(private readonly get: typeof treeOf = treeOf) {}

  /** Readies a combination; throws NotHere, saying what is lacking. */
  async ready({ version, database }: Combination): Promise<Ready> {
    let env: Record<string, string> = {};
    let label = "WordPress 6.5";
    if (database === "mariadb") {
      const missing = await mariadbMissing();
      if (missing !== null) throw new NotHere(missing);
    }
    if (version !== "6.5") {
      const found = this.#trees.get(version) ?? this.get(version);
      this.#trees.set(version, found);
      env = { WP_TREE: await found };
      label = `WordPress ${await versionOf(await found)}`;
    }
    if (database === "sqlite") return { env, label: `${label} on SQLite` };
    const { socket } = await (this.#server ??= Mariadb.start());
    return { env: { ...env, TEST_MARIADB: socket }, label: `${label} on MariaDB` };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const server = await this.#server?.catch(() => undefined);
    await server?.stop();
  }
}

/** How a site of a test is set up; `database: null` is SQLite, whatever the run stands on. */
export type WordPressOptions = Omit<CmsOptions, "kind" | "database"> & {
  readonly database?: SiteDatabase | null;
};

/** Starts a site on the WordPress and the database of this run. */
export async function startWordPress({ database, ...options }: WordPressOptions = {}): Promise<CmsSandbox> {
  const socket = Deno.env.get("TEST_MARIADB");
  const own = database === undefined && socket ? await newDatabase(socket) : database ?? undefined;
  return await startCms({ kind: "wordpress", ...options, database: own });
}
