/** A copy of the project in a folder of its own, without some of its folders. */
import { dirname } from "node:path";

const ROOT = new URL("../../", import.meta.url);

/** A copy; its folder is removed at the end of the block. */
export interface Copy extends AsyncDisposable {
  readonly folder: string;
}

/** Copies what git would commit, but for these folders. */
export async function copyProject(without: readonly string[] = []): Promise<Copy> {
  const folder = await Deno.makeTempDir();
  const { stdout } = await new Deno.Command("git", {
    args: ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    cwd: ROOT,
  }).output();
  for (const path of new TextDecoder().decode(stdout).split("\0")) {
    if (path === "" || without.some((one) => path.startsWith(`${one}/`))) continue;
    await Deno.mkdir(dirname(`${folder}/${path}`), { recursive: true });
    await copyFile(new URL(path, ROOT), `${folder}/${path}`);
  }
  return { folder, [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}

/** A file that git knows and that was removed is left out. */
async function copyFile(from: URL, to: string): Promise<void> {
  try {
    await Deno.copyFile(from, to);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
