/** The texts of files as they are and as a write would leave them, for a preview. */
import { allOrThrow } from "../../core/async.ts";
import { textIn } from "../../core/bytes.ts";
import type { Change } from "../../core/model.ts";
import type { View } from "./view.ts";

/** A file as it stands, and the bytes it gets; null for none. */
interface Rewritten {
  readonly path: string;
  readonly sha: string | null;
  readonly size: number | null;
  readonly next: Uint8Array | null;
}

/** Texts up to this length are shown as they are and as they would be, of so many files. */
const TEXT_BYTES_MAX = 256 * 1024;
const TEXTS_MAX = 5;

/** For a preview: the texts of files before and after, where both are text and not too long. */
export const textsOf = (view: View, files: readonly Rewritten[]) => async (): Promise<Change[]> => {
  const short = files.filter(({ size, next }) =>
    Math.max(size ?? 0, next?.byteLength ?? 0) <= TEXT_BYTES_MAX
  );
  const rows = short.slice(0, TEXTS_MAX).map(async ({ path, sha, size, next }) => {
    const from = sha === null ? null : textIn(await view.bytes({ sha, size: size ?? 0 }));
    const to = next && textIn(next);
    return from === undefined || to === undefined
      ? []
      : [{ field: `${path} (text)`, text_of: path, from, to }];
  });
  return (await allOrThrow(...rows)).flat();
};
