/** What the write of a post or page answers, in this gateway's words. */
import type { Written } from "../../_content/post.ts";
import { type ContentRecord, type PostState, statusWord } from "./records.ts";
import type { CmsSeen } from "./seen.ts";
import { changedBeside } from "./warnings.ts";

/** A write's result in this gateway's words, with the differences that were found. */
export function written(state: PostState, differences: readonly string[]): Written {
  return { id: state.id, status: statusWord(state.status), url: state.link, differences };
}

/** The same after a change of the state alone, everything else compared with what was seen. */
export const moved = (before: CmsSeen | undefined, after: ContentRecord): Written =>
  written(after, before ? changedBeside(before.look.record, after, { status: after.status }) : []);
