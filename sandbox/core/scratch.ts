/** Folders for what lives as long as a test: in memory where the machine has room there, else on disk. */
import { statfsSync } from "node:fs";

/** Linux's file system in memory; a container's own is often too small. */
const MEMORY = "/dev/shm";
const ROOM_MIN = 1024 ** 3;

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ROOM_MIN;
  } catch {
    return false; // there is none, or this process may not look
  }
}

/** Makes a new folder and answers its real path; whoever asks removes it. */
export async function scratchFolder(prefix: string): Promise<string> {
  const dir = hasRoom() ? MEMORY : undefined;
  return await Deno.realPath(await Deno.makeTempDir({ prefix, dir }));
}
