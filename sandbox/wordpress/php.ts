/** Running PHP: whether this machine can, and one script at a time. */
import { fileURLToPath } from "node:url";

const EXTENSIONS: readonly string[] = ["pdo_sqlite", "mbstring", "xml", "gd", "posix"];
const VERSION_ID_MIN = 70400;

/** The path of a PHP file that lies beside this module. */
export function script(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** Standard output of a PHP run; throws an Error with its complaint when it fails. */
export async function runPhp(args: readonly string[], failing: string): Promise<string> {
  const output = await new Deno.Command("php", {
    args: ["-d", "error_reporting=0", "-d", "display_errors=0", ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const text = new TextDecoder().decode(output.stdout);
  if (output.success) return text;
  const complaint = new TextDecoder().decode(output.stderr).trim() || text.trim().slice(-300) ||
    "no reason given";
  throw new Error(`${failing}: ${complaint}`);
}

/** Why a real WordPress cannot run on this machine, as a sentence; null when it can. Asks PHP each time. */
export async function phpMissing(): Promise<string | null> {
  if (Deno.build.os === "windows") return "a real WordPress needs Linux or macOS";
  let text: string;
  try {
    text = await runPhp(
      ["-r", "echo json_encode([PHP_VERSION_ID, get_loaded_extensions()]);"],
      "PHP does not run",
    );
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) {
      return "PHP is not installed (wanted: php-cli with sqlite3, mbstring, xml and gd)";
    }
    if (thrown instanceof Deno.errors.NotCapable) return "PHP may not be run (wanted: --allow-run=php,npm)";
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
  const [version, loaded] = JSON.parse(text) as [number, string[]];
  if (version < VERSION_ID_MIN) return "PHP is older than 7.4";
  const lacking = EXTENSIONS.filter((name) => !loaded.some((held) => held.toLowerCase() === name));
  return lacking.length > 0 ? `PHP lacks ${lacking.join(", ")}` : null;
}
