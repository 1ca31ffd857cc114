/** The files of a store and of its copies are made for their owner alone; what root makes is their folder's owner's. */
import { dirname } from "node:path";

/**
 * Gives what root has just made to whom its folder belongs to. A command that is typed as root would otherwise leave a store,
 * or a copy, that the account of the service cannot open. Whatever anybody else made stays as it is; never throws.
 */
export async function giveToFolder(path: string): Promise<void> {
  try {
    const [made, folder] = await Promise.all([Deno.stat(path), Deno.stat(dirname(path))]);
    if (made.uid !== 0 || folder.uid === null || folder.uid === 0) return;
    await Deno.chown(path, folder.uid, folder.gid);
  } catch {
    // Where it cannot be told or done, the start says that the file cannot be opened.
  }
}

/** Makes a folder that its owner alone may open, where there is none. Throws what the disk refuses. */
export async function makeFolder(path: string): Promise<void> {
  const isThere = await Deno.stat(path).then(() => true, () => false);
  await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  if (!isThere) await giveToFolder(path);
}

/** Makes an empty file that its owner alone may open. Throws AlreadyExists, and what the disk refuses. */
export async function makeFile(path: string): Promise<void> {
  (await Deno.open(path, { write: true, createNew: true, mode: 0o600 })).close();
  await giveToFolder(path);
}
