/** `deno task companion`: packs the WordPress plugin into companion/dist/site-ops.zip, the same bytes from the same files. */
import { type Zippable, zipSync } from "fflate";

const FOLDER = new URL("./site-ops/", import.meta.url);
const TARGET = new URL("./dist/site-ops.zip", import.meta.url);

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

/** The installable archive: one folder site-ops, files in the order of their names. */
export async function pluginZip(): Promise<Uint8Array<ArrayBuffer>> {
  await pluginVersion();
  const names = (await Array.fromAsync(files(FOLDER))).sort();
  const tree: Zippable = {};
  for (const name of names) {
    tree[`site-ops/${name}`] = [await Deno.readFile(new URL(name, FOLDER)), { mtime: MADE, level: 9 }];
  }
  return zipSync(tree);
}

if (import.meta.main) {
  const zip = await pluginZip();
  await Deno.mkdir(new URL("./", TARGET), { recursive: true });
  await Deno.writeFile(TARGET, zip);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", zip)).toHex();
  const said =
    `companion/dist/site-ops.zip: version ${await pluginVersion()}, ${zip.length} bytes, sha256 ${hash}\n`;
  await Deno.stdout.write(new TextEncoder().encode(said));
}
