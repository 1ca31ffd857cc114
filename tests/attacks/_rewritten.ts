/** What the rules of rewriting do with a hostile text. */
import { exactly, rewritten } from "../../rules/finding/rewriting.ts";
import { textNeedle } from "../../rules/finding/text.ts";
import { FORMS } from "../../rules/finding/unread.ts";

/** A text rewritten in each form, and its edits as exact replacements: many places of any kind, and one of a word. */
export const rewrittenIn = (of: string) =>
  FORMS.flatMap((form) =>
    ["aa", "zq"].map((word) => {
      const aim = { needle: textNeedle(word), to: '& "', isPhone: false, isWords: word === "zq" };
      return exactly(of + word, rewritten(of + word, form, aim)!);
    })
  );
