/** `deno run -A gateway/launch.ts <set> <script> [argument…]` becomes the script, under that permission set of deno.json. */

/*
 * Every task runs through here; a set called `<set>-<first argument>` goes before the one that is named. A permission set given by `-P` prints a warning and cannot name a file that is known
 * only at start; flags do neither, and a set with KV_PATH among its names is also given that file. Nothing is imported:
 * node:path alone would cost a third of the time this takes.
 */

/** A permission set as deno.json holds it: everything of a kind, or what is listed, but for what is denied of it. */
export type PermissionSet = Readonly<Record<string, Granted>>;
type Listed = readonly string[];
type Granted = boolean | Listed | { readonly allow: boolean | Listed; readonly deny: Listed };

const KINDS = ["net", "read", "write", "env", "run", "sys", "ffi", "import"];
const PATHS = ["read", "write"];
/** Where `dev` keeps the secrets that it makes; `start` has its own from the environment. */
const DEV_SECRETS = "./data/secrets.json";

/** The C library by operating system: there a process can become another program. */
const C_LIBRARY: Readonly<Record<string, string>> = { linux: "libc.so.6", darwin: "libSystem.B.dylib" };

/** The path from that folder; the runtime itself takes out what is left of dots. */
const resolve = (folder: string, path: string) =>
  path.startsWith("/") ? path : path === "." ? folder : `${folder}/${path.replace(/^\.\//, "")}`;

/** What flags are made for, beside the set itself. */
export interface Launch {
  /** The folder that relative paths of the set start from. */
  readonly root: string;
  /** The file of the store, which may be read and written too. */
  readonly store?: string | null;
  /** Whether a program is on this machine; the runtime speaks up about one that is not. */
  installed(program: string): boolean;
  /** The runtime itself, which a set names `deno`: it need not be on the PATH. */
  readonly runtime?: string;
}

/** The set as flags of `deno run`. Throws an Error that names what cannot be a flag. */
export function permissionFlags(
  set: PermissionSet,
  { root, store = null, installed, runtime }: Launch,
): string[] {
  return Object.entries(withStore(set, store)).flatMap(([kind, granted]) => {
    if (!KINDS.includes(kind)) throw new Error(`deno.json: "${kind}" is no kind of permission`);
    const { allow, deny } = partsOf(granted);
    return [...flagsOf("allow", kind, allow), ...flagsOf("deny", kind, deny)];
  });

  function flagsOf(word: "allow" | "deny", kind: string, given: boolean | Listed): string[] {
    if (typeof given === "boolean") return given ? [`--${word}-${kind}`] : [];
    let listed = PATHS.includes(kind) ? given.map((path) => resolve(root, path)) : given;
    if (kind === "run") {
      listed = listed.flatMap((one) => one === "deno" && runtime ? [runtime] : installed(one) ? [one] : []);
    }
    for (const one of listed) {
      if (one.includes(",")) throw new Error(`"${one}" has a comma, which no permission can name; move it`);
    }
    return listed.length === 0 ? [] : [`--${word}-${kind}=${listed.join(",")}`];
  }
}

const isListed = (granted: Granted): granted is Listed => Array.isArray(granted);

const partsOf = (granted: Granted): { allow: boolean | Listed; deny: Listed } =>
  typeof granted === "boolean" || isListed(granted) ? { allow: granted, deny: [] } : granted;

/** The set of a process that makes and keeps secrets on this machine, as `--dev` does: the file of those is not denied to it. */
export function keepingSecrets(set: PermissionSet): PermissionSet {
  return Object.fromEntries(
    Object.entries(set).map(([kind, granted]) => {
      const { allow, deny } = partsOf(granted);
      const denied = deny.filter((path) => path !== DEV_SECRETS);
      return [kind, denied.length === 0 ? allow : { allow, deny: denied }];
    }),
  );
}

function withStore(set: PermissionSet, store: string | null): PermissionSet {
  if (store === null) return set;
  const widened = (granted: Granted = [], ...files: readonly string[]): Granted => {
    const { allow, deny } = partsOf(granted);
    const wider = typeof allow === "boolean" ? allow || files : [...allow, ...files];
    return deny.length === 0 ? wider : { allow: wider, deny };
  };
  // SQLite needs no permission for the files beside it; the gateway checks that they are still there.
  const beside = [`${store}-wal`, `${store}-shm`];
  return { ...set, read: widened(set.read, store, ...beside), write: widened(set.write, store) };
}

/** The file that KV_PATH names, from the folder the process starts in; null where it names none, or the set has no use for it. */
export function storeFile(set: PermissionSet, kvPath: string | undefined, folder: string): string | null {
  const path = kvPath?.trim();
  if (!Array.isArray(set.env) || !set.env.includes("KV_PATH")) return null;
  if (!path || path === ":memory:" || /^[a-z][a-z0-9+.-]*:\/\//i.test(path)) return null;
  return resolve(folder, path);
}

function onPath(program: string): boolean {
  return (Deno.env.get("PATH") ?? "").split(":").some((folder) => {
    try {
      return Deno.statSync(`${folder}/${program}`).isFile;
    } catch {
      return false;
    }
  });
}

/** The process becomes `deno` with these arguments: the same id, environment and streams. Returns only by throwing. */
function become(args: readonly string[]): never {
  const library = C_LIBRARY[Deno.build.os];
  if (library === undefined) {
    throw new Error(`${Deno.build.os} is not supported; run deno run -P=<set> <script>`);
  }
  const texts = [Deno.execPath(), ...args].map((text) => new TextEncoder().encode(`${text}\0`));
  const pointers = new BigUint64Array(texts.length + 1); // ends with a null pointer
  texts.forEach((text, at) => pointers[at] = Deno.UnsafePointer.value(Deno.UnsafePointer.of(text)));
  const libc = Deno.dlopen(library, { execv: { parameters: ["buffer", "buffer"], result: "i32" } });
  libc.symbols.execv(texts[0]!, pointers);
  throw new Error(`${Deno.execPath()} cannot be started`);
}

function launch([name, script, ...rest]: readonly string[]): never {
  const root = import.meta.dirname!.replace(/\/[^/]*$/, "");
  const { permissions } = JSON.parse(Deno.readTextFileSync(`${root}/deno.json`));
  const named = [`${name}-${rest[0]}`, name ?? ""].map((one): PermissionSet | undefined =>
    Object.hasOwn(permissions, one) ? permissions[one] : undefined
  ).find((one) => one !== undefined);
  if (named === undefined || script === undefined) {
    throw new Error(
      `Name a permission set of deno.json (${Object.keys(permissions).join(", ")}) and a script`,
    );
  }
  const set = rest.includes("--dev") ? keepingSecrets(named) : named;
  const store = storeFile(set, Deno.env.get("KV_PATH"), Deno.cwd());
  const flags = permissionFlags(set, { root, store, installed: onPath, runtime: Deno.execPath() });
  if (store !== null && set.write !== true) makeFolder(store.slice(0, store.lastIndexOf("/")) || "/");
  traceOwnSpansOnly();
  become(["run", "--no-prompt", ...flags, resolve(root, script), ...rest]);
}

/**
 * As core/tracing.ts says: the runtime's own spans hold whole addresses. A choice of the operator stays, and is refused. At
 * its end the process waits for a collector that hangs, ten seconds for each of four parts of what waits: hosts kill it
 * before. So all of it is one part, which is waited for two seconds.
 */
function traceOwnSpansOnly(): void {
  if (!Deno.env.get("OTEL_DENO")) return;
  const wanted = {
    OTEL_TRACES_SAMPLER: "parentbased_always_off",
    OTEL_PROPAGATORS: "none",
    OTEL_EXPORTER_OTLP_TIMEOUT: "2000",
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "2048",
  };
  for (const [name, value] of Object.entries(wanted)) if (!Deno.env.get(name)) Deno.env.set(name, value);
}

/** The script may write the store's file, not its folder, which is for its owner alone; where the folder cannot be made, the script says why. */
function makeFolder(path: string): void {
  try {
    Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
}

if (import.meta.main) {
  try {
    launch(Deno.args);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    Deno.stderr.writeSync(new TextEncoder().encode(`${message}\n`));
    Deno.exit(1);
  }
}
