/** Pull requests from a preview branch to the deployed one: found, opened and worded anew, never merged or closed. */
import { z } from "zod";
import { GatewayError } from "../../core/errors.ts";
import type { Making } from "../../core/model.ts";
import { isDoubtful } from "../_http/failures.ts";
import { PULLS_WAY, RepoError } from "./errors.ts";
import type { RepoWire } from "./wire.ts";

const PULL = z.object({
  number: z.number(),
  html_url: z.string(),
  state: z.string(),
  title: z.string(),
  body: z.string().nullish().transform((body) => body ?? ""),
  head: z.object({ ref: z.string() }),
  base: z.object({ ref: z.string() }),
});
const PULLS = z.array(PULL);

/** A pull request. */
export interface PullRequest {
  readonly number: number;
  /** Where a person sees it. */
  readonly url: string;
  readonly state: string;
  readonly title: string;
  readonly body: string;
}

/** What is said in a pull request. */
export type Texts = Pick<PullRequest, "title" | "body">;

/** Pull requests of one repository. Every method throws E_UPSTREAM. */
export interface Pulls {
  /** Reads only: refuses an app that may not open pull requests. */
  requireRight(): Promise<void>;
  /** The open one from a branch to another; null where there is none. Reads only. */
  open(head: string, base: string): Promise<PullRequest | null>;
  /** Opens one; null where somebody else opened one first. */
  make(
    of: { readonly head: string; readonly base: string },
    texts: Texts,
    made?: Making,
  ): Promise<PullRequest | null>;
  /** Gives an open one other texts. */
  word(number: number, texts: Texts): Promise<PullRequest>;
}

const shown = ({ number, html_url: url, state, title, body }: z.infer<typeof PULL>): PullRequest => ({
  ...{ number, url, state, title, body },
});

/** The pull requests of the repository that a wire leads to. */
export function pullsOf(wire: RepoWire): Pulls {
  return {
    async requireRight() {
      if (await wire.mayPropose()) return;
      throw new GatewayError(
        "E_UPSTREAM",
        `Repository "${wire.repo}": the app may not open pull requests; nothing was sent: ${PULLS_WAY}`,
        { upstream: 403 },
      );
    },
    open: (head, base) => openOne(wire, head, base),
    make: (of, texts, made) => make(wire, of, texts, made),
    word: (number, texts) => word(wire, number, texts),
  };
}

async function openOne(
  wire: RepoWire,
  head: string,
  base: string,
  cleanup?: true,
): Promise<PullRequest | null> {
  const [owner] = (wire.repo ?? "").split("/");
  const query = { state: "open", head: `${owner}:${head}`, base, per_page: 2 };
  const asked = { method: "GET", path: "/pulls", query, schema: PULLS, right: "propose", cleanup } as const;
  const found = await wire.ask(asked);
  const own = found.find((one) => one.head.ref === head && one.base.ref === base);
  return own === undefined ? null : shown(own);
}

async function make(
  wire: RepoWire,
  { head, base }: { readonly head: string; readonly base: string },
  { title, body }: Texts,
  made?: Making,
): Promise<PullRequest | null> {
  const told = (one: PullRequest) => {
    made?.({ what: "pull request", id: one.number, name: `from ${head} to ${base}` });
    return one;
  };
  const json = { title, head, base, body, maintainer_can_modify: false };
  try {
    return told(
      shown(await wire.ask({ method: "POST", path: "/pulls", json, schema: PULL, right: "propose" })),
    );
  } catch (thrown) {
    const isRefused = thrown instanceof RepoError && thrown.upstream === 422;
    if (!isRefused && !isDoubtful(thrown)) throw thrown;
    const found = await openOne(wire, head, base, true).catch(() => undefined);
    if (found === undefined) throw thrown; // what became of it cannot be told
    if (found !== null && isRefused) return null;
    if (found !== null && found.title === title && found.body === body) return told(found);
    if (found !== null) return null;
    if (isRefused) throw thrown;
    throw new RepoError(
      `Repository "${wire.repo}": the host failed to open a pull request, and none is open`,
      502,
      "",
    );
  }
}

async function word(wire: RepoWire, number: number, { title, body }: Texts): Promise<PullRequest> {
  const path = `/pulls/${number}`;
  try {
    const json = { title, body };
    return shown(await wire.ask({ method: "PATCH", path, json, schema: PULL, right: "propose" }));
  } catch (thrown) {
    if (!isDoubtful(thrown)) throw thrown;
    const asked = { method: "GET", path, schema: PULL, right: "propose", cleanup: true } as const;
    const found = await wire.ask(asked).catch(() => null);
    if (found === null) throw thrown;
    if (found.title === title && found.body === body) return shown(found);
    throw new RepoError(
      `Repository "${wire.repo}": the host failed to change pull request ${number}, which is as it was`,
      502,
      "",
    );
  }
}
