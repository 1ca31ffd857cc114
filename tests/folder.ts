/** A folder that a test has to itself. */
import { scratchFolder } from "../sandbox/core/scratch.ts";

interface Folder extends AsyncDisposable {
  readonly path: string;
}

const removed = (path: string): Folder => ({
  path,
  [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
});

/** A new folder; it and what is in it are gone once it is disposed of, after what was opened in it since. */
export async function folder(): Promise<Folder> {
  return removed(await scratchFolder("test-"));
}

/** The same on disk: a process with the permissions of the service may not be given a folder below /dev. */
export async function folderOnDisk(): Promise<Folder> {
  return removed(await Deno.makeTempDir());
}
