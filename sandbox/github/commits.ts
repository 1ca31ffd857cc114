/** Commits as git stores them: read into fields, written from fields. */

/** Who did it, and when, in whole seconds since 1970. */
export interface Signature {
  readonly name: string;
  readonly email: string;
  readonly at: number;
}

/** A commit's fields. */
export interface Commit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Signature;
  readonly committer: Signature;
  readonly message: string;
}

// What git itself would take out of a name.
const clean = (text: string) => text.replace(/[<>\n\0]/g, "").trim();

function line({ name, email, at }: Signature): string {
  return `${clean(name) || "unknown"} <${clean(email)}> ${Math.floor(at)} +0000`;
}

function signature(text: string): Signature {
  const found = /^(.*?) ?<([^>]*)> (\d+) [+-]\d{4}$/.exec(text);
  return { name: found?.[1] ?? "", email: found?.[2] ?? "", at: Number(found?.[3] ?? 0) };
}

/** A commit's bytes. */
export function writeCommit(commit: Commit): Uint8Array {
  const lines = [
    `tree ${commit.tree}`,
    ...commit.parents.map((sha) => `parent ${sha}`),
    `author ${line(commit.author)}`,
    `committer ${line(commit.committer)}`,
  ];
  return new TextEncoder().encode(`${lines.join("\n")}\n\n${commit.message}`);
}

/** A commit's fields out of its bytes. */
export function readCommit(bytes: Uint8Array): Commit {
  const text = new TextDecoder().decode(bytes);
  const end = text.indexOf("\n\n");
  const heads = text.slice(0, end < 0 ? undefined : end).split("\n");
  const all = (name: string) =>
    heads.filter((head) => head.startsWith(`${name} `)).map((head) => head.slice(name.length + 1));
  return {
    tree: all("tree")[0] ?? "",
    parents: all("parent"),
    author: signature(all("author")[0] ?? ""),
    committer: signature(all("committer")[0] ?? ""),
    message: end < 0 ? "" : text.slice(end + 2),
  };
}
