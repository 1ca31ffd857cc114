/** Writes that wait for one preview branch go into one commit, each decided on what those before it leave. */
import { GatewayError } from "../../core/errors.ts";
import { alarmIn } from "../../core/async.ts";
import { isDoubtful } from "../_http/failures.ts";
import type { Ending, Outgoing } from "../_http/request.ts";
import { build, type Edit, TREE_ENTRIES, TREE_TEXT_BYTES } from "./build.ts";
import { RepoError } from "./errors.ts";
import { headOf, makeCommit } from "./git.ts";
import { blobName, PREVIEW_PREFIX, sharedMessage } from "./names.ts";
import {
  type Decide,
  moved,
  moveTo,
  noBranch,
  proofOf,
  PROVEN,
  type Pushed,
  type PushTarget,
  requirePlanned,
  TRIES,
  tryOnce,
  viewOf,
} from "./push.ts";
import type { View } from "./view.ts";
import { encoded, type RepoWire } from "./wire.ts";

/** Whether a write may share its commit: one to a preview branch. */
export const isShared = ({ branch, grant }: PushTarget): boolean =>
  grant === undefined && branch.startsWith(PREVIEW_PREFIX);

/** A write that waits, or is being written. */
interface Write {
  readonly wire: RepoWire;
  readonly prefix: string | null;
  readonly target: PushTarget;
  readonly decide: Decide;
  readonly settle: (ending: { readonly pushed: Pushed } | { readonly thrown: unknown }) => void;
  tries: number;
  /** Set where it is written by itself, after what it was written with failed. */
  alone: boolean;
}

/** The writes that wait for a branch; the first of them begins a round, and the next round takes what came meanwhile. */
const LINES = new Map<string, Write[]>();
const ROUND_WRITES = 50;

/** As push(), to a branch that many may write to at once. */
export async function pushTogether(
  wire: RepoWire,
  prefix: string | null,
  target: PushTarget,
  decide: Decide,
): Promise<Pushed> {
  const place = [wire.ctx.settings.REPO_API_BASE, wire.repo?.toLowerCase(), prefix ?? "", target.branch];
  const name = place.join(" ");
  const { promise, resolve, reject } = Promise.withResolvers<Pushed>();
  const own: Write = {
    ...{ wire, prefix, target, decide, tries: 0, alone: false },
    settle: (ending) => "pushed" in ending ? resolve(ending.pushed) : reject(ending.thrown),
  };
  const line = LINES.get(name);
  if (line === undefined) void rounds(name, own);
  else line.push(own);
  const stop = alarmIn(Math.max(0, wire.ctx.deadline - wire.ctx.now()), () => {
    const at = LINES.get(name)?.indexOf(own) ?? -1;
    if (at === -1) return; // it is being written
    LINES.get(name)!.splice(at, 1);
    void solo(own);
  });
  try {
    return await promise;
  } finally {
    stop();
  }
}

/** One round after another until nobody waits. */
async function rounds(name: string, first: Write): Promise<void> {
  const line = [first];
  LINES.set(name, line);
  while (line.length > 0) {
    const alone = line[0]!.alone;
    const others = line.slice(1, ROUND_WRITES).findIndex((one) => one.alone);
    const count = alone ? 1 : others === -1 ? ROUND_WRITES : others + 1;
    const round = line.splice(0, count);
    const left = round.length === 1 ? await solo(round[0]!) : await inOneCommit(round).catch((thrown) => {
      for (const one of round) one.settle({ thrown });
      return [];
    });
    line.unshift(...left);
  }
  LINES.delete(name);
}

/** Writes it by itself; answers it where it has to be tried again. */
async function solo(write: Write): Promise<Write[]> {
  const { wire, prefix, target, decide } = write;
  try {
    const pushed = await tryOnce(wire, prefix, target, decide);
    if (pushed === null) return again([write]);
    write.settle({ pushed });
  } catch (thrown) {
    write.settle({ thrown });
  }
  return [];
}

/** Those that may be tried once more; the others are told that the branch moves all the time. */
function again(writes: readonly Write[]): Write[] {
  return writes.filter((one) => {
    if (++one.tries < TRIES) return true;
    one.settle({ thrown: moved(one.target) });
    return false;
  });
}

/** A write that was decided on, with what it changes. */
interface Decided {
  readonly write: Write;
  readonly edits: readonly Edit[];
  readonly shas: ReadonlyMap<string, string>;
}

/** Writes them in one commit; answers those that are left for the next round, in their order. */
async function inOneCommit(round: readonly Write[]): Promise<Write[]> {
  const leader = round.reduce((last, one) => one.wire.ctx.deadline > last.wire.ctx.deadline ? one : last);
  const { wire, prefix, target } = leader;
  const from = round.find((one) => one.target.from !== undefined)?.target.from;
  let decided: readonly Decided[] = [];
  let left: readonly Write[] = [];
  try {
    const found = await headOf(wire, target.branch);
    const base = found ?? (from === undefined ? null : await headOf(wire, from));
    if (base === null) await noBranch(wire, from ?? target.branch);
    const view = base === "empty" ? null : await viewOf(wire, prefix, base!);
    if (base === "empty" || view === null || await view.count() === null) return alone(round);
    ({ decided, left } = await decide(round, { view, found, base: base! }));
    if (decided.length === 0) return [...left];
    const { tree } = await build(wire, prefix, view, decided.flatMap(({ edits }) => edits));
    const message = sharedMessage(decided.map(({ write }) => write.target.message));
    const { sha, web } = await makeCommit(wire, { message, tree, parents: [base!] });
    const done = await movedFor(decided.map(({ write }) => write), leader, found, sha);
    if (done === "elsewhere") return [...again(decided.map(({ write }) => write)), ...left];
    for (const { write, shas } of decided) {
      const pushed = {
        branch: target.branch,
        commit_sha: sha,
        shas,
        unchanged: false,
        web,
        proof: proofOf(done),
      };
      write.settle({ pushed: { ...pushed, ...decided.length > 1 ? { beside: decided.length - 1 } : {} } });
    }
    return [...left];
  } catch (thrown) {
    return [...failed(decided.length > 0 ? decided.map(({ write }) => write) : round, thrown), ...left];
  }
}

/** A failure of all: told to each where none would fare better, else each is tried by itself. */
function failed(writes: readonly Write[], thrown: unknown): Write[] {
  const isOfAll = isDoubtful(thrown) || (thrown instanceof RepoError && thrown.retryAfter !== undefined);
  if (!isOfAll) return alone(writes);
  const told = isDoubtful(thrown) && thrown instanceof GatewayError
    ? new GatewayError(thrown.code, thrown.bareMessage, {
      ...{ upstream: thrown.upstream, inDoubt: true },
      outcome: "unknown",
      cause: thrown,
    })
    : thrown;
  for (const one of writes) one.settle({ thrown: told });
  return [];
}

function alone(writes: readonly Write[]): Write[] {
  for (const one of writes) one.alone = true;
  return [...writes];
}

/**
 * Has each decide on what stands there and on what those before it would leave. One that refuses is told so, and one that
 * changes nothing is done. Left for the next round are those that would make the commit too large, and those that change
 * what another changes too.
 */
async function decide(
  round: readonly Write[],
  { view, found, base }: { readonly view: View; readonly found: string | null; readonly base: string },
): Promise<{ decided: Decided[]; left: Write[] }> {
  const decided: Decided[] = [];
  const left: Write[] = [];
  let now = view;
  let [entries, bytes] = [0, 0];
  for (const write of round) {
    const { target } = write;
    try {
      const own = now.by(write.wire);
      if (target.planned) await requirePlanned(own, target.planned);
      const edits = await write.decide(own);
      const { shas, changed, isPlain } = await namesOf(own, edits);
      if (changed.length === 0) {
        const branch = found === null ? target.from ?? target.branch : target.branch;
        write.settle({ pushed: { branch, commit_sha: base, shas, unchanged: true, proof: PROVEN } });
        continue;
      }
      const more = changed.reduce((sum, one) => sum + (one.bytes?.byteLength ?? 0), 0);
      const isLarge = decided.length > 0 &&
        (entries + changed.length > TREE_ENTRIES || bytes + more > TREE_TEXT_BYTES);
      const isTaken = changed.some(({ path }) => decided.some((one) => one.shas.has(path)));
      if (!isPlain) write.alone = true;
      if (isLarge || isTaken || !isPlain) {
        left.push(write);
        continue;
      }
      now = await now.with(changed, shas);
      decided.push({ write, edits, shas });
      entries += changed.length;
      bytes += more;
    } catch (thrown) {
      write.settle({ thrown });
    }
  }
  return { decided, left };
}

/** Git's names of what the edits write, those that change something, and whether all of them bring their bytes. */
async function namesOf(view: View, edits: readonly Edit[]) {
  const shas = new Map<string, string>();
  const changed: Edit[] = [];
  let isPlain = true;
  for (const edit of edits) {
    const name = edit.blob ?? (edit.bytes ? await blobName(edit.bytes) : null);
    if (name !== null) shas.set(edit.path, name);
    isPlain &&= edit.bytes instanceof Uint8Array;
    if (name !== ((await view.find(edit.path))?.sha ?? null)) changed.push(edit);
  }
  return { shas, changed, isPlain };
}

/** Moves the branch for all of them; each call knows of the move as of a write of its own. */
async function movedFor(writes: readonly Write[], leader: Write, from: string | null, commit: string) {
  const { wire, target } = leader;
  const path = from === null ? "/git/refs" : `/git/refs/heads/${encoded(target.branch)}`;
  const out: Outgoing = {
    method: from === null ? "POST" : "PATCH",
    url: `${wire.ctx.settings.REPO_API_BASE}/repos/${encoded(wire.repo ?? "")}${path}`,
    effect: "write",
  };
  const others = writes.filter((one) => one !== leader);
  const endings = others.map((one) => one.wire.ctx.joins?.(out));
  const end = (how: Ending) => endings.forEach((one) => one?.(how, null));
  const made = (unsure: boolean) => {
    for (const { target: of } of others) {
      of.made?.({ what: "commit", id: commit, name: `on branch ${of.branch}`, ...unsure ? { unsure } : {} });
    }
  };
  try {
    const done = await moveTo(wire, target, from, commit);
    end(done === "elsewhere" ? "refused" : "carried_out");
    if (done !== "elsewhere") made(false);
    return done;
  } catch (thrown) {
    const unknown = isDoubtful(thrown);
    end(unknown ? "in_doubt" : "refused");
    if (unknown) made(true);
    throw thrown;
  }
}
