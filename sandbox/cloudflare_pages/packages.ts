/** The packages of projects, installed by npm as the hosting does: once for each set that is asked for, and kept. */
import { dirname } from "node:path";
import { said } from "./child.ts";

/** What a project's package.json asks for. */
export interface Wanted {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** The folder that has them in `node_modules`, absolute; or that the project asks for what npm does not have; or why nothing can be installed here. */
export type Installed =
  | { readonly folder: string }
  | { readonly failed: true }
  | { readonly cannot: string };

/** How npm is run. */
export interface PackagesOptions {
  /** Where they are kept between runs. */
  readonly folder: string;
  /** Default `npm`. */
  readonly npm?: string;
  /** What leads npm to its registry, beside PATH; nothing else of this process's environment. */
  readonly env: Readonly<Record<string, string>>;
}

const INSTALL_MS = 300_000;
/** Versions of a registry's packages: a path, an address or a repository would lead npm to something of this machine. */
const VERSION = /^(npm:(@[\w.-]+\/)?[\w.-]+@)?[\w.^~<>=|*+ -]*$/;
/** What npm says where it has not reached its registry, or where that is out of order. */
const UNREACHED =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED|FETCH_ERROR|E401|E403|E5\d\d|\w*CERT\w*)\b/;

const PARTS = [
  "--ignore-scripts",
  "--no-audit",
  "--no-fund",
  "--no-package-lock",
  "--prefer-offline",
  "--loglevel=error",
];
const PATIENCE = ["--fetch-retries=1", "--fetch-retry-mintimeout=500", "--fetch-retry-maxtimeout=1000"];

/** Packages, of one machine. */
export class Packages {
  constructor(private readonly options: PackagesOptions) {}

  /** Those that are asked for; `say` gets npm's words as they come. */
  async of(wanted: Wanted, say: (line: string) => void, stop: AbortSignal): Promise<Installed> {
    const { dependencies = {}, devDependencies = {} } = wanted;
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      if (typeof version === "string" && VERSION.test(version)) continue;
      return {
        cannot: `package.json asks for ${name} from ${
          JSON.stringify(version)
        }; here only versions of npm are`,
      };
    }
    const text = JSON.stringify({ private: true, dependencies, devDependencies });
    const key = new TextEncoder().encode(`${Deno.build.target}\n${text}`);
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", key)).toHex().slice(0, 16);
    await Deno.mkdir(this.options.folder, { recursive: true });
    const kept = await Deno.realPath(this.options.folder);
    const folder = `${kept}/${hash}`;
    // The lock falls with the process that holds it; only what is installed to its end gets the name.
    using file = await Deno.open(`${kept}/lock`, { create: true, write: true });
    await file.lock(true);
    const isThere = await Deno.stat(folder).then(() => true, () => false);
    return isThere ? { folder } : await this.#install(text, folder, say, stop);
  }

  async #install(
    text: string,
    folder: string,
    say: (line: string) => void,
    stop: AbortSignal,
  ): Promise<Installed> {
    const part = await Deno.makeTempDir({ dir: dirname(folder), prefix: "part-" });
    const { npm = "npm", env } = this.options;
    const heard: string[] = [];
    try {
      await Deno.mkdir(`${part}/home`);
      await Deno.writeTextFile(`${part}/package.json`, text);
      say("npm install");
      const code = await said(npm, ["install", ...PARTS, ...PATIENCE], {
        cwd: part,
        env: { ...env, HOME: `${part}/home`, npm_config_cache: `${dirname(folder)}/npm` },
        stop,
        limit_ms: INSTALL_MS,
        say(line) {
          heard.push(line);
          say(line);
        },
      });
      if (code === 0) {
        await Deno.mkdir(`${part}/node_modules`, { recursive: true }); // npm makes none for no packages
        await Deno.remove(`${part}/home`, { recursive: true });
        await Deno.rename(part, folder);
        return { folder };
      }
      const why = heard.find((line) => UNREACHED.test(line));
      if (why !== undefined) return { cannot: `npm does not answer (${why.slice(0, 200)})` };
      return code === null ? { cannot: "npm did not come to an end" } : { failed: true };
    } catch (thrown) {
      if (thrown instanceof Deno.errors.NotFound) return { cannot: "npm is not installed on this machine" };
      throw thrown;
    } finally {
      await Deno.remove(part, { recursive: true }).catch(() => {}); // it has got its name
    }
  }
}
