/** Scripts of PHP beside the companion plugin's tests. */
import { fileURLToPath } from "node:url";
import { PLUGIN } from "./site.ts";

/** What a script of this folder prints as JSON, called with the plugin's folder and given a value as JSON. */
export async function printed<Answer>(script: string, given: unknown): Promise<Answer> {
  const args = [fileURLToPath(new URL(script, import.meta.url)), PLUGIN];
  const child = new Deno.Command("php", { args, stdin: "piped", stdout: "piped" }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify(given)));
  await writer.close();
  return JSON.parse(new TextDecoder().decode((await child.output()).stdout));
}
