/** Getting a newer WordPress out of Debian's packages; nothing is installed, and the machine's own lists of packages stay as they are. */

/** Where each version comes from: a suite of Debian. */
export type DebianSuite = "trixie" | "sid";

const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";
const MIRROR = "http://deb.debian.org/debian";
/** A mirror that does not answer keeps nobody waiting. */
const WAIT_S = 20;
const OVERALL_MS = 300_000;
/** Without a theme no page is shown. */
const THEME = "wordpress-theme-twentytwenty";
/** What Debian's package links to in place of carrying it. */
const LINKED = ["libjs-", "libphp-phpmailer", "php-getid3"];

async function run(command: readonly string[], cwd: string): Promise<string> {
  const [program, ...args] = command;
  const { success, stdout, stderr } = await new Deno.Command(program!, {
    args,
    cwd,
    env: { LC_ALL: "C" },
    stdin: "null",
    signal: AbortSignal.timeout(OVERALL_MS),
  }).output();
  if (success) return new TextDecoder().decode(stdout);
  const complaint = new TextDecoder().decode(stderr).trim().split("\n")[0];
  throw new Error(`${program} ${args.at(-1)}: ${complaint || "no reason given"}`);
}

/** The mirror of this machine, where it is a Debian; Debian's own elsewhere. */
async function mirror(): Promise<string> {
  const path = "/etc/apt/sources.list.d/debian.sources";
  const text = await Deno.readTextFile(path).catch(() => "");
  const line = text.split("\n").find((one) => one.startsWith("URIs:") && one.trimEnd().endsWith("/debian"));
  return line?.slice("URIs:".length).trim() ?? MIRROR;
}

/** The packages that make a tree: WordPress, its newest theme, and what it links to. */
async function packages(apt: (program: string, ...args: string[]) => Promise<string>): Promise<string[]> {
  const found = await apt("apt-cache", "search", "--names-only", `^${THEME}`);
  const themes = found.split("\n").map((line) => line.split(" ")[0]!).filter((name) => name !== "");
  // "twentytwentyfive" is newer than "twentytwentyfour"; the alphabet does not know.
  const newest = ["five", "four", "three"].map((year) => `${THEME}${year}`).find((one) =>
    themes.includes(one)
  );
  const theme = newest ?? themes.sort().at(-1);
  if (theme === undefined) throw new Error("Debian has no theme of WordPress");
  const needs = (await apt("apt-cache", "depends", "wordpress")).split("\n").flatMap((line) => {
    const [what, name] = line.replaceAll("|", "").trim().split(": ");
    return what === "Depends" && LINKED.some((one) => name!.startsWith(one)) ? [name!] : [];
  });
  return ["wordpress", theme, ...new Set(needs)];
}

/**
 * Writes the WordPress of a suite into a folder that is not there yet; needs `apt-get`, `dpkg` and Debian's keyring, and
 * some fifteen seconds. Throws an Error that says what was lacking, and leaves nothing.
 */
export async function getDebianTree(suite: DebianSuite, folder: string): Promise<void> {
  const work = await Deno.makeTempDir({ prefix: "wp-debian-" });
  try {
    await Deno.stat(KEYRING).catch(() => {
      throw new Error(`${KEYRING} is not there (wanted: debian-archive-keyring)`);
    });
    for (const path of ["lists/partial", "cache/archives/partial", "parts", "debs", "root"]) {
      await Deno.mkdir(`${work}/${path}`, { recursive: true });
    }
    const source = `deb [signed-by=${KEYRING}] ${await mirror()} ${suite} main\n`;
    await Deno.writeTextFile(`${work}/sources.list`, source);
    const settings = [
      `Dir::Etc::SourceList=${work}/sources.list`,
      `Dir::Etc::SourceParts=${work}/parts`,
      `Dir::State::Lists=${work}/lists`,
      `Dir::Cache=${work}/cache`,
      "APT::Sandbox::User=root",
      "Acquire::Languages=none",
      "APT::Update::Error-Mode=any",
      `Acquire::http::Timeout=${WAIT_S}`,
    ].flatMap((setting) => ["-o", setting]);
    const apt = (program: string, ...args: string[]) => run([program, ...settings, ...args], `${work}/debs`);
    await apt("apt-get", "-qq", "update");
    await apt("apt-get", "-qq", "download", ...await packages(apt));
    for await (const { name } of Deno.readDir(`${work}/debs`)) {
      await run(["dpkg", "-x", `${work}/debs/${name}`, `${work}/root`], work);
    }
    const tree = `${work}/root/usr/share/wordpress`;
    // These lead into /etc of a machine on which the package is installed.
    for (const path of [".htaccess", "wp-config.php"]) await Deno.remove(`${tree}/${path}`).catch(() => {});
    const certificates = `${tree}/wp-includes/certificates/ca-bundle.crt`;
    await Deno.stat(certificates).catch(() => Deno.remove(certificates).catch(() => {}));
    // Links are followed, for what they lead to goes away with this folder.
    await run(["cp", "-aL", `${tree}/.`, `${work}/tree`], work);
    await run(["cp", "-a", `${work}/tree`, folder], work);
  } catch (thrown) {
    await Deno.remove(folder, { recursive: true }).catch(() => {});
    if (thrown instanceof Deno.errors.NotFound) throw new Error("apt-get or dpkg is not installed");
    throw thrown;
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

/** The version that a tree says it is. */
export async function versionOf(tree: string): Promise<string> {
  const text = await Deno.readTextFile(`${tree}/wp-includes/version.php`);
  return text.split("$wp_version = '")[1]?.split("'")[0] ?? "of no known version";
}
