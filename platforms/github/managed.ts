/** What is written under our mark: kept before it is pushed, so that it is known as ours however it gets to a branch. */
import { isGenerated } from "../astro/page.ts";
import type { Decide } from "./client.ts";
import { blobName } from "./names.ts";

/** Where it is kept. */
export interface ManagedFiles {
  add(files: readonly { readonly path: string; readonly sha: string }[]): Promise<void>;
}

/** Decides the same, and has every file that carries our mark kept before anything is sent. */
export const recordingPages = (managed: ManagedFiles, decide: Decide): Decide => async (view) => {
  const edits = await decide(view);
  const own: { path: string; sha: string }[] = [];
  for (const { path, bytes } of edits) {
    if (!bytes || !isGenerated(new TextDecoder().decode(bytes.subarray(0, MARK_BYTES)))) continue;
    own.push({ path, sha: await blobName(bytes) });
  }
  await managed.add(own);
  return edits;
};

/** The mark is always within so many bytes of the beginning. */
const MARK_BYTES = 1024;
