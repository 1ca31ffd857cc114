/** `deno task companion`: packs the WordPress plugin into companion/dist/site-ops.zip, the same bytes from the same files; with an address for updates it signs what it packs. */
import { type Zippable, zipSync } from "fflate";

const FOLDER = new URL("./site-ops/", import.meta.url);
const TARGET = new URL("./dist/site-ops.zip", import.meta.url);
const OFFER = new URL("./dist/site-ops.json", import.meta.url);

/** A zip holds local time without a zone: made from parts, this date gives the same bytes in every zone. */
const MADE = new Date(2000, 0, 1);

const KINDS = /\.(php|txt)$/;

async function* files(folder: URL, below = ""): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* files(new URL(`${name}/`, folder), `${below}${name}/`);
    else if (KINDS.test(name)) yield `${below}${name}`;
    else throw new Error(`${below}${name}: not a kind of file the plugin is made of`);
  }
}

function field(text: string, name: string, file: string): string {
  const found = new RegExp(`^[ *]*${name}:\\s*(\\S+)`, "m").exec(text)?.[1];
  if (found === undefined) throw new Error(`${file} has no "${name}"`);
  return found;
}

/**
 * The plugin's version as its header says. Throws an Error where the constant in the code, the stable tag of readme.txt
 * or what either file says of WordPress and PHP differs.
 */
export async function pluginVersion(): Promise<string> {
  const [plugin, readme] = await Promise.all(
    ["site-ops.php", "readme.txt"].map((name) => Deno.readTextFile(new URL(name, FOLDER))),
  ) as [string, string];
  const version = field(plugin, "Version", "site-ops.php");
  const stated: [string, string][] = [
    ["Stable tag of readme.txt", field(readme, "Stable tag", "readme.txt")],
    ["VERSION of site-ops.php", /const VERSION = '([^']*)'/.exec(plugin)?.[1] ?? "missing"],
  ];
  for (const [name, other] of stated) {
    if (other !== version) throw new Error(`${name} is ${other}, the plugin's header says ${version}`);
  }
  for (const name of ["Requires at least", "Requires PHP"]) {
    const [own, told] = [field(plugin, name, "site-ops.php"), field(readme, name, "readme.txt")];
    if (own !== told) throw new Error(`"${name}" is ${own} in site-ops.php and ${told} in readme.txt`);
  }
  return version;
}

/** SHA-256 over the names and bytes of the plugin's files: companion/versions.json has that of each version. */
export async function pluginHash(): Promise<string> {
  const names = (await Array.fromAsync(files(FOLDER))).sort();
  const lines = await Promise.all(names.map(async (name) => {
    const bytes = await Deno.readFile(new URL(name, FOLDER));
    return `${name} ${await sha256(bytes)}\n`;
  }));
  return await sha256(new TextEncoder().encode(lines.join("")));
}

const sha256 = async (bytes: Uint8Array<ArrayBuffer>) =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();

/** For whom an archive is packed. */
export interface Packing {
  /** Where its updates will be offered, and with which key: an Ed25519 public key in hexadecimal. */
  readonly updates?: { readonly address: string; readonly key: string };
  /** For WordPress.org's directory, which brings updates itself and takes no plugin that does. */
  readonly directory?: boolean;
}

const MAIN = "site-ops.php";
const UPDATES = "includes/class-updates.php";
const NO_ADDRESS = " * Update URI:        false\n";
const NO_KEY = "const KEY = '';";

/** A file as it is packed: the source, but for the address of updates and its key. */
function packed(name: string, text: string, { updates, directory }: Packing): string {
  const [from, to] = name === MAIN
    ? [NO_ADDRESS, directory ? "" : updates ? NO_ADDRESS.replace("false", updates.address) : NO_ADDRESS]
    : [NO_KEY, updates ? `const KEY = '${updates.key}';` : NO_KEY];
  if (!text.includes(from)) throw new Error(`${name} has no ${JSON.stringify(from)}`);
  return text.replace(from, to);
}

/** The installable archive: one folder site-ops, files in the order of their names. */
export async function pluginZip(packing: Packing = {}): Promise<Uint8Array<ArrayBuffer>> {
  await pluginVersion();
  const names = (await Array.fromAsync(files(FOLDER))).sort();
  const tree: Zippable = {};
  for (const name of names) {
    if (packing.directory && name === UPDATES) continue;
    const bytes = await Deno.readFile(new URL(name, FOLDER));
    const own = name === MAIN || name === UPDATES
      ? new TextEncoder().encode(packed(name, new TextDecoder().decode(bytes), packing))
      : bytes;
    tree[`site-ops/${name}`] = [own, { mtime: MADE, level: 9 }];
  }
  return zipSync(tree);
}

/** What an address for updates serves beside the archive: what is offered, and its signature (class-updates.php reads it). */
export interface Offer {
  readonly signed: string;
  /** Ed25519, in hexadecimal. */
  readonly signature: string;
}

const PURPOSE = "site-ops update v1\n";
const KEY_FILE = new URL("./update_key.pem", import.meta.url);

/** The keys of a private key in PKCS #8. Throws an Error where it is none of Ed25519. */
export async function signingKeys(pem: string): Promise<{ readonly sign: CryptoKey; readonly key: string }> {
  const lines = pem.trim().split("\n");
  const der = Uint8Array.fromBase64(lines.slice(1, -1).join(""));
  const sign = await crypto.subtle.importKey("pkcs8", der, "Ed25519", true, ["sign"]);
  const { x } = await crypto.subtle.exportKey("jwk", sign);
  return { sign, key: Uint8Array.fromBase64(x!, { alphabet: "base64url" }).toHex() };
}

/** A new private key, as it is kept in a file. */
export async function newKey(): Promise<string> {
  const { privateKey } = await crypto.subtle.generateKey("Ed25519", true, [
    "sign",
    "verify",
  ]) as CryptoKeyPair;
  const der = new Uint8Array(await crypto.subtle.exportKey("pkcs8", privateKey)).toBase64();
  return `-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----\n`;
}

/** Offers an archive, which stands beside `address`, the offer's own. Throws an Error for an address that is not https. */
export async function offer(zip: Uint8Array<ArrayBuffer>, address: string, sign: CryptoKey): Promise<Offer> {
  const [plugin, readme] = await Promise.all(
    ["site-ops.php", "readme.txt"].map((name) => Deno.readTextFile(new URL(name, FOLDER))),
  ) as [string, string];
  const signed = JSON.stringify({
    plugin: "site-ops",
    version: await pluginVersion(),
    package: new URL("site-ops.zip", updateAddress(address)).href,
    sha256: await sha256(zip),
    tested: field(readme, "Tested up to", "readme.txt"),
    requires: field(plugin, "Requires at least", "site-ops.php"),
    requires_php: field(plugin, "Requires PHP", "site-ops.php"),
  });
  const text = new TextEncoder().encode(PURPOSE + signed);
  return { signed, signature: new Uint8Array(await crypto.subtle.sign("Ed25519", sign, text)).toHex() };
}

/** The address of an offer. Throws an Error for one that is not https, or that a header cannot hold. */
export function updateAddress(given: string): string {
  const url = URL.parse(given);
  const isFit = url?.protocol === "https:" && url.port === "" && url.username === "" && url.search === "" &&
    url.hash === "" && url.pathname.endsWith("/site-ops.json");
  if (isFit) return url.href;
  throw new Error(
    `${given}: expected an address like https://updates.example.com/site-ops.json, without a port or a query`,
  );
}

async function say(text: string): Promise<void> {
  await Deno.stdout.write(new TextEncoder().encode(text));
}

async function makeKey(): Promise<void> {
  const pem = await newKey();
  try {
    await Deno.writeTextFile(KEY_FILE, pem, { createNew: true, mode: 0o600 });
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.AlreadyExists)) throw thrown;
    throw new Error(
      "companion/update_key.pem is there already; with another key no copy packed with this one is updated",
    );
  }
  await say(
    `companion/update_key.pem: a new key for updates; its public part is ${
      (await signingKeys(pem)).key
    }. Keep the file ` +
      "apart and safe: whoever has it can offer your sites a plugin, and without it no copy packed with it can be updated\n",
  );
}

async function readKey(): Promise<string> {
  try {
    return await Deno.readTextFile(KEY_FILE);
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    throw new Error(
      "companion/update_key.pem is missing: make it with deno task companion --new-key, or put yours there",
    );
  }
}

async function removed(file: URL): Promise<void> {
  try {
    await Deno.remove(file);
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
  }
}

async function pack(address: string | undefined, directory: boolean): Promise<void> {
  const keys = address === undefined ? null : await signingKeys(await readKey());
  const updates = keys && { address: updateAddress(address!), key: keys.key };
  const zip = await pluginZip({ directory, ...updates ? { updates } : {} });
  await Deno.mkdir(new URL("./", TARGET), { recursive: true });
  await Deno.writeFile(TARGET, zip);
  await say(
    `companion/dist/site-ops.zip: version ${await pluginVersion()}, ${zip.length} bytes, sha256 ${await sha256(
      zip,
    )}\n`,
  );
  // An offer that was signed for another archive must not be served beside this one.
  if (keys === null) return await removed(OFFER);
  const told = JSON.stringify(await offer(zip, updates!.address, keys.sign));
  await Deno.writeTextFile(OFFER, told);
  await say(
    `companion/dist/site-ops.json: the signed offer; serve both at ${new URL(".", updates!.address).href}\n`,
  );
}

const USAGE = "deno task companion [--updates https://…/site-ops.json | --directory | --new-key]";

async function main([option, value, ...more]: readonly string[]): Promise<void> {
  if (option === "--new-key" && value === undefined) await makeKey();
  else if (option === "--updates" && value !== undefined && more.length === 0) await pack(value, false);
  else if (option === "--directory" && value === undefined) await pack(undefined, true);
  else if (option === undefined) await pack(undefined, false);
  else throw new Error(`expected: ${USAGE}`);
}

if (import.meta.main) {
  try {
    await main(Deno.args);
  } catch (thrown) {
    await Deno.stderr.write(
      new TextEncoder().encode(`${thrown instanceof Error ? thrown.message : thrown}\n`),
    );
    Deno.exit(1);
  }
}
