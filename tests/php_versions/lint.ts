/** Holds PHP files to one version of PHP: prints what each file's fault is there, as JSON; `lint.ts 7.4 <folder>`. */
import { loadPHPRuntime, PHP } from "@php-wasm/universal";

/** A build of one version. */
interface Build {
  getPHPLoaderModule(): Promise<Parameters<typeof loadPHPRuntime>[0]>;
}

const BUILDS: Readonly<Record<string, () => Promise<unknown>>> = {
  "7.4": () => import("@php-wasm/node-7-4"),
  "8.0": () => import("@php-wasm/node-8-0"),
  "8.1": () => import("@php-wasm/node-8-1"),
  "8.2": () => import("@php-wasm/node-8-2"),
  "8.3": () => import("@php-wasm/node-8-3"),
  "8.4": () => import("@php-wasm/node-8-4"),
  "8.5": () => import("@php-wasm/node-8-5"),
};

const [version = "", folder = ""] = Deno.args;
const { getPHPLoaderModule } = await BUILDS[version]!() as Build;
const builds = await getPHPLoaderModule();
const start = async () => new PHP(await loadPHPRuntime(builds));

async function sources(at: string, below = ""): Promise<[name: string, text: string][]> {
  const found: [string, string][] = [];
  for await (const { name, isDirectory } of Deno.readDir(at)) {
    if (isDirectory) found.push(...await sources(`${at}/${name}`, `${below}${name}/`));
    else if (name.endsWith(".php")) found.push([below + name, await Deno.readTextFile(`${at}/${name}`)]);
  }
  return found.sort();
}

const files = await sources(folder);
const faults: Record<string, string> = {};
const isClass = (name: string) => name.startsWith("includes/class-");
for (const [name, text] of files.filter(([name]) => !isClass(name))) {
  const php = await start(); // the command line ends the runtime
  php.writeFile("/file.php", text);
  const said = await php.cli(["php", "-d", "error_reporting=-1", "-d", "display_errors=1", "-l", "/file.php"]);
  const out = (await said.stdoutText).trim();
  if (await said.exitCode !== 0 || !out.startsWith("No syntax errors") || out.includes("Deprecated")) {
    faults[name] = out;
  }
}

// Classes are compiled by declaring them, all in one run, which also finds what only the whole shows: parents, signatures.
const php = await start();
php.mkdir("/plugin");
for (const [name, text] of files.filter(([name]) => isClass(name))) {
  php.writeFile(`/plugin/${name.slice("includes/".length)}`, text);
}
const declared = await php.run({
  code: `<?php error_reporting( -1 ); ini_set( 'display_errors', '1' );
  define( 'ABSPATH', '/' ); define( 'SiteOps\\\\REST_NAMESPACE', 'x' ); define( 'SiteOps\\\\VERSION', 'x' );
  spl_autoload_register( function ( $name ) {
    require_once '/plugin/class-' . strtolower( str_replace( array( 'SiteOps\\\\', '_' ), array( '', '-' ), $name ) ) . '.php';
  } );
  foreach ( glob( '/plugin/*.php' ) as $path ) { require_once $path; }
  echo PHP_VERSION;`,
});
const told = declared.text.trim();
if (!told.startsWith(version)) faults["all classes"] = told;
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify({ version: told, files: files.length, faults })));
Deno.exit(0); // the runtimes keep the process alive
