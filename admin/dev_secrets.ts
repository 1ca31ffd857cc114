/** The secrets of `dev` and `demo`: made once, kept in a git-ignored file that only its owner reads. */

/** Where they are kept, from the folder the gateway is started in. */
export const DEV_SECRETS_PATH = "data/secrets.json";

/** Where the store of `dev` is. */
const DEV_STORE_PATH = "data/gateway.sqlite3";

/** What the file holds, by the names of the settings. */
export interface DevSecrets {
  readonly MASTER_TOKEN: string;
  readonly ENCRYPTION_KEYS: string;
}

function random(): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(32));
}

/** The kept secrets, or null while there are none. Throws with the way out when the file is not what it should be. */
export function readDevSecrets(path: string = DEV_SECRETS_PATH): DevSecrets | null {
  let text: string;
  try {
    text = Deno.readTextFileSync(path);
  } catch (fault) {
    if (fault instanceof Deno.errors.NotFound) return null;
    throw fault;
  }
  const { MASTER_TOKEN, ENCRYPTION_KEYS } = parsed(text);
  if (typeof MASTER_TOKEN === "string" && typeof ENCRYPTION_KEYS === "string") {
    return { MASTER_TOKEN, ENCRYPTION_KEYS };
  }
  throw new Error(
    `${path} does not hold MASTER_TOKEN and ENCRYPTION_KEYS: mend it, or remove it to have new ones made ` +
      "(credentials sealed under the old keys are then lost)",
  );
}

function parsed(text: string): Partial<Record<keyof DevSecrets, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** The kept secrets, made now where there are none. Two processes that start at once end up with the same ones. */
export function keepDevSecrets(path: string = DEV_SECRETS_PATH): DevSecrets {
  const kept = readDevSecrets(path);
  if (kept !== null) return kept;
  const made: DevSecrets = {
    MASTER_TOKEN: random().toBase64({ alphabet: "base64url", omitPadding: true }),
    ENCRYPTION_KEYS: random().toBase64(),
  };
  const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ".";
  Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${crypto.randomUUID()}`;
  Deno.writeTextFileSync(draft, `${JSON.stringify(made, null, 2)}\n`, { createNew: true, mode: 0o600 });
  try {
    // A link, unlike a rename, fails where the name is taken: the first of two processes wins.
    Deno.linkSync(draft, path);
    return made;
  } catch (fault) {
    if (!(fault instanceof Deno.errors.AlreadyExists)) throw fault;
    return readDevSecrets(path) ?? made;
  } finally {
    Deno.removeSync(draft);
  }
}

/**
 * An environment where missing secrets come from the file; the file is touched only when one is missing. Throws where
 * it is gone and `hasStore` says that the store of KV_PATH (or of `dev`, where that is unset) needs what was in it.
 */
export function devEnvironment(
  env: (name: string) => string | undefined,
  hasStore: (path: string) => boolean,
  path: string = DEV_SECRETS_PATH,
): (name: string) => string | undefined {
  let kept: DevSecrets | null = null;
  return (name) => {
    const value = env(name);
    if (value?.trim() || (name !== "MASTER_TOKEN" && name !== "ENCRYPTION_KEYS")) return value;
    if (!env("ENCRYPTION_KEYS")?.trim()) kept ??= readDevSecrets(path) ?? refuseBeside(env, hasStore, path);
    kept ??= keepDevSecrets(path);
    return kept[name];
  };
}

/** New keys would open nothing of a store that is there. */
function refuseBeside(
  env: (name: string) => string | undefined,
  hasStore: (path: string) => boolean,
  path: string,
): null {
  const store = env("KV_PATH")?.trim() || DEV_STORE_PATH;
  if (!hasStore(store)) return null;
  throw new Error(
    `${path} is missing, and the store ${
      JSON.stringify(store)
    } needs the ENCRYPTION_KEYS in it; put it back, or ` +
      "load the file that holds them (set -a; . ./.env; set +a)",
  );
}
