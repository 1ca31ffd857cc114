/** Credentials in texts of whatever origin, by what they look like. */
import { hash, timingSafeEqual } from "node:crypto";

/** What stands in the place of one. */
export const REDACTED = "[redacted]";
/** So much of a text is shown as its beginning. */
export const HEAD_CHARACTERS = 200;
/** So much of a long text is searched for credentials before its head is kept. */
const SEARCHED_CHARACTERS = 2000;
/** So much of a word that the search cuts through is not kept, for half a credential does not look like one. */
const CUT_WORD = /\S{1,100}$/;

const OTHER_SECRETS = new RegExp(
  [
    "o(?:at|rt|ac)_[A-Za-z0-9_-]{16,}",
    "\\b(?:Bearer|Basic)\\s+[A-Za-z0-9+/=_.~-]{8,}",
    // Where one may begin at every dash, each is searched only so far for its dot.
    "(?:(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}|\\beyJ[A-Za-z0-9_-]{10,400})\\.[A-Za-z0-9_-]{5,}(?:\\.[A-Za-z0-9_-]*)?",
    "\\b(?:gh[pousr]|github_pat|pit|sk|xox[abeoprs]|EAA)[_-]?[A-Za-z0-9_-]{20,}",
    // What vendors begin their keys with, as each of them documents it.
    "\\b(?:rk_live_|rk_test_|whsec_|xapp-|glpat-|npm_|pypi-|shp(?:at|ss|ca|pa)_|hf_|dop_v1_|sbp_|nfp_|lin_api_|ntn_|ATATT3|" +
    "sntrys_|PMAK-|NRAK-|GOCSPX-|rnd_|r8_|cfat_|cfut_)[A-Za-z0-9_-]{16,}",
    "\\bAIza[A-Za-z0-9_-]{30,}",
    "\\bx(?:key|smtp)sib-[A-Za-z0-9-]{20,}",
    "\\bSG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}",
    "\\bkey-[0-9a-f]{32}\\b",
    "\\b[0-9a-f]{32}-us[0-9]{1,2}\\b",
    "\\bSK[0-9a-f]{32}\\b",
    "\\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}",
    "\\b(?:AKIA|ASIA)[0-9A-Z]{16}\\b",
    "\\bya29\\.[A-Za-z0-9_-]{20,}",
    "\\b1//0[A-Za-z0-9_-]{20,}",
    "(?<=hooks\\.slack\\.com/services/)[A-Za-z0-9/]{20,}",
    "-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----END )[\\s\\S])*(?:-----END [A-Z0-9 ]{0,40}-----)?",
    // An application password: six groups of four, told from six short words by a digit or a capital inside a group. What
    // it is not at once is asked first: nearly every word of a text is none.
    "\\b(?=[A-Za-z0-9]{4} [A-Za-z0-9]{4} )(?=[A-Za-z0-9 ]{0,28}(?:[A-Za-z]\\d|\\d[A-Za-z]|[a-z][A-Z]))[A-Za-z0-9]{4}(?: [A-Za-z0-9]{4}){5}\\b",
    // The form of an address, which our own texts say, is none.
    "(?<=://)(?!user:password@|[^/\\s:@]+:PASSWORD@)[^/\\s:@]+:[^/\\s@]+(?=@)",
    "(?<=[?&](?:access_token|token|key|api_key|secret|password|sig|signature)=)[^&\\s]+",
  ].join("|"),
  "g",
);
/** How the name of a secret ends. */
const SECRET_NAMES =
  "(?:passw(?:or)?d|passphrase|pwd|secret|token|(?:api|access|account|private)[_-]?key|sess(?:ion)?_?id|connect\\.sid|" +
  "_(?:logged_in|sec)_[0-9a-f]{32})";
/**
 * A secret behind its name, which stays: `password=…`, `secret = "…"`, `"api_key": "…"`, a header of cookies or of a key. A name in a
 * sentence ("password: at least 8 signs") is none, nor is a call in a program (`token=next()`).
 */
const NAMED_SECRETS = new RegExp(
  [
    `(${SECRET_NAMES}(?:["']?\\s{0,2}=>?|["']\\s{0,2}:)\\s{0,2}["'])[^"'\\r\\n[]{3,}`,
    `(${SECRET_NAMES}(?:=|%3D))[^\\s"'&<>;,(){}[]{3,}(?![\\w(])`,
    "(\\b(?:(?:set-)?cookie|x-[a-z-]{0,24}(?:key|token|secret)):[ \\t]{0,4})[^\\r\\n]+",
  ].join("|"),
  "gi",
);
/** With the gateway's own tokens, which may begin at any letter: they are looked for where what they hold is there. */
const SECRETS = new RegExp(`[A-Za-z0-9]{1,16}_(?:prod|dev)_[A-Za-z0-9_-]{32,}|${OTHER_SECRETS.source}`, "g");
const OF_TOKENS = ["_prod_", "_dev_"];

/** A text without anything that looks like a credential. */
export function redactText(text: string): string {
  if (text.length < 8) return text;
  const known = text.replace(
    OF_TOKENS.some((part) => text.includes(part)) ? SECRETS : OTHER_SECRETS,
    REDACTED,
  );
  return known.replace(NAMED_SECRETS, (_, quoted, bare, header) => `${quoted ?? bare ?? header}${REDACTED}`);
}

/** So much of a text as is asked for, from its beginning, without anything that looks like a credential. */
export function headOf(value: string, characters = HEAD_CHARACTERS): string {
  if (value.length <= SEARCHED_CHARACTERS) return redactText(value).slice(0, characters);
  return redactText(value.slice(0, SEARCHED_CHARACTERS).replace(CUT_WORD, "")).slice(0, characters);
}

/** So much is shown on each side of what was found in a text. */
const AROUND_CHARACTERS = 60;
/** What ends a credential. */
const ENDS = " \t\n\r\"'<>(){}[],;";

/** A place in a text: what was found, what is around it, and whether the text goes on beyond that. */
export interface Piece {
  readonly before: string;
  readonly found: string;
  readonly after: string;
  readonly isCutBefore: boolean;
  readonly isCutAfter: boolean;
}

/**
 * What was found with a little of what is around it, without anything that looks like a credential, nor half of one: what a
 * cut goes through is left out.
 */
export function pieceAround({ before, found, after, isCutBefore, isCutAfter }: Piece): string {
  const ends = (text: string) => [...text].map((one) => ENDS.includes(one));
  const first = isCutBefore ? ends(before).indexOf(true) : 0;
  const last = isCutAfter ? ends(after).lastIndexOf(true) + 1 : after.length;
  const left = first < 0 ? "" : [...before].slice(first).join("");
  const right = isCutAfter ? [...after].slice(0, last).join("") : after;
  const whole = left + found + right;
  const clean = redactText(whole);
  const at = clean === whole ? left.length : clean.indexOf(found);
  if (at < 0) return clean.slice(0, 2 * AROUND_CHARACTERS);
  return clean.slice(Math.max(0, at - AROUND_CHARACTERS), at + found.length + AROUND_CHARACTERS);
}

/** Whether a text is that secret; digests are compared, in a time that does not tell how much agrees. */
export function isSecret(secret: string): (text: string) => boolean {
  const digest = (text: string) => hash("sha256", text, "buffer");
  const kept = digest(secret);
  return (text) => timingSafeEqual(kept, digest(text));
}
