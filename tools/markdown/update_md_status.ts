/** update_md_status: status and other keys in the frontmatter of one file, every other byte kept. */
import { clipped, GatewayError } from "../../core/errors.ts";
import type { View } from "../../platforms/github/client.ts";
import { leavingOf } from "../../platforms/github/former.ts";
import { branchWords } from "../../platforms/github/target.ts";
import { compared, tool } from "../../registry/tool.ts";
import type { Plain } from "./_frontmatter.ts";
import { commit, fileAt, markdownIn, runRaises, seenLater, writable } from "./_repository.ts";
import { beforeOf, restoringMarkdown } from "./_restore.ts";

/** The file with its new values. Throws E_NOT_FOUND, E_SHA_MISMATCH, E_MISSING_FRONTMATTER, E_BAD_INPUT. */
async function decide(view: View, path: string, wanted: Wanted, sha: string | undefined) {
  const { entry, text } = await fileAt(view, path, sha);
  const { readDocument, typeOf, withKey } = await import("./_frontmatter.ts"); // its package is large, and not needed to start
  const before = readDocument(text, "path").frontmatter;
  let changed = text;
  for (const [key, value] of Object.entries(wanted)) {
    if (before[key] === value) continue;
    if (key !== "status" && typeof before[key] === "object" && before[key] !== null) {
      throw new GatewayError(
        "E_BAD_INPUT",
        `set.${key}: holds a list or an object in ${JSON.stringify(path)}; change that with save_md_to_repo`,
      );
    }
    changed = withKey(changed, key, value, "path");
  }
  typeOf(readDocument(changed, "path").frontmatter, "set");
  const previous = Object.fromEntries(Object.keys(wanted).map((key) => [key, before[key] ?? null]));
  return { entry, previous, bytes: new TextEncoder().encode(changed) };
}

type Wanted = Readonly<Record<string, Plain>>;

const SET_MAX = 20;
const KEY_CHARACTERS_MAX = 60;
/** Keys that other arguments and tools write. */
const OTHERS: Readonly<Record<string, string>> = {
  status: "give it as status",
  deployments: "deploy_md_to_site writes it",
};

function checkText(value: unknown, field: string): void {
  if (typeof value !== "string" || value.trim() === value && !/\p{Cc}/u.test(value)) return;
  throw new GatewayError(
    "E_BAD_INPUT",
    `${field}: expected a text without blanks around it or line breaks in it`,
  );
}

function checkSet(set: Wanted): void {
  const keys = Object.keys(set);
  if (keys.length > SET_MAX) throw new GatewayError("E_BAD_INPUT", `set: at most ${SET_MAX} keys`);
  for (const [key, value] of Object.entries(set)) {
    const why = Object.hasOwn(OTHERS, key)
      ? OTHERS[key]!
      : isKey(key)
      ? null
      : `a key has letters, digits, - and _, and begins with a letter, in at most ${KEY_CHARACTERS_MAX} characters`;
    if (why !== null) throw new GatewayError("E_BAD_INPUT", `set: ${JSON.stringify(clipped(key))}: ${why}`);
    checkText(value, `set.${key}`);
  }
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const isKey = (key: string): boolean =>
  key.length <= KEY_CHARACTERS_MAX && LETTERS.includes(key.slice(0, 1).toLowerCase()) && key !== "" &&
  [...key.toLowerCase()].every((sign) => `${LETTERS}0123456789-_`.includes(sign));

const shown = ({ status: _, ...set }: Wanted) =>
  Object.entries(set).map(([key, value]) => `, ${key} to ${JSON.stringify(value)}`).join("");

export default tool("update_md_status", {
  check({ path, status, set = {} }, { site }) {
    markdownIn(site, path);
    checkText(status, "status");
    checkSet(set);
  },
  raises: ({ path, status, set, target_branch }) => runRaises(target_branch, path, { status, set }),
  async plan({ status, set = {}, sha, target_branch, ...args }, ctx) {
    const path = markdownIn(ctx.site, args.path);
    const to = await writable(ctx, target_branch);
    const { branch, view } = to;
    const wanted = { status, ...set };
    const { entry, previous } = await decide(view, path, wanted, sha);
    return {
      summary: `Set the status of "${path}" to "${status}"${shown(wanted)} on ${
        branchWords(to)
      } of ${ctx.site.repo}`,
      changes: Object.entries(wanted).map(([field, to]) => ({ field, from: previous[field] ?? null, to })),
      revision: { [path]: entry.sha },
      paths: [path],
      ...beforeOf({ path, branch, target_branch }, entry),
      state: {
        previous,
        planned: sha === undefined ? { commit: view.commit, files: { [path]: entry.sha } } : undefined,
      },
    };
  },
  async run(
    { status, set = {}, message, sha, target_branch, ...args },
    ctx,
    { changes, before, state: { previous, planned } },
  ) {
    const path = markdownIn(ctx.site, args.path);
    const line = message ?? `Set the status of ${path} to ${status}`;
    const pushed = await commit(ctx, target_branch, line, async (view) => {
      const { bytes } = await decide(view, path, { status, ...set }, sha);
      return [{ path, bytes }];
    }, planned);
    ctx.annotate({ result_id: path, changes });
    const { branch, commit_sha, unchanged, proof, preview } = pushed;
    const done = {
      path,
      sha: pushed.shas.get(path),
      status,
      previous_status: previous.status ?? null,
      ...Object.keys(set).length === 0 ? {} : { set: Object.keys(set) },
      commit_sha,
      branch,
      ...preview,
      ...proof,
    };
    const written = compared(unchanged ? { ...done, unchanged } : done).leaving(...leavingOf(before, pushed));
    return seenLater(written, ctx);
  },
  restore: restoringMarkdown,
});
