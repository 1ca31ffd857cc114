/** What a probe of a site's upstreams found: for the operator, and as a file that can be sent to the gateway's authors. */
import { type AnswerCheck, differs } from "../core/answer_check.ts";
import type { Kind } from "../core/answer_shape.ts";

/** How one answer compared. */
export type ReadState = "agrees" | "differs" | "refused" | "unreadable" | "not_compared";

/** Why something was not answered; `status` is the upstream's, where it was its answer. */
export interface ProbeProblem {
  readonly code: string;
  readonly status: number | null;
  readonly message: string;
}

/** One read. */
export interface ProbedRead {
  readonly read: string;
  readonly state: ReadState;
  readonly problem: ProbeProblem | null;
  /** null where there was no answer to compare. */
  readonly check: AnswerCheck | null;
}

/** One service. */
export interface ProbedUpstream {
  readonly connector: string;
  readonly service: string;
  readonly what: string;
  readonly state: "asked" | "not_linked" | "left_out";
  /** Of one that was left out: what it would cost. */
  readonly costs: string | null;
  /** The versions that the gateway asks for, as docs/upstreams/WATCH.md names them. */
  readonly versions: readonly string[];
  /** What kept the service from being asked at all. */
  readonly problem: ProbeProblem | null;
  readonly reads: readonly ProbedRead[];
}

/** What a probe found. */
export interface ProbeReport {
  readonly site_id: string;
  /** Whether every answer that was compared agrees; refusals are no differences. */
  readonly agrees: boolean;
  readonly upstreams: readonly ProbedUpstream[];
  /** Connectors that have no probe. */
  readonly without_probe: readonly { readonly connector: string; readonly product: string }[];
  /** What can be sent on. */
  readonly file: ProbeFile;
}

/** Names that the gateway knows, types and codes; nothing of the site, its account or its data. */
export interface ProbeFile {
  readonly format: "site-operations-probe/1";
  readonly gateway: string;
  readonly day: string;
  readonly upstreams: readonly {
    readonly upstream: string;
    readonly state: ProbedUpstream["state"];
    readonly versions: readonly string[];
    readonly refused: SentProblem | null;
    readonly reads: readonly {
      readonly read: string;
      readonly state: ReadState;
      readonly refused: SentProblem | null;
      readonly missing: readonly string[];
      readonly other_types: readonly { readonly at: string; readonly read: string; readonly came: string }[];
      readonly not_seen: readonly string[];
      readonly empty: readonly string[];
      /** By the place of the object: the types that names had which the gateway does not know. The names are left out. */
      readonly new_names: Readonly<Record<string, string>>;
      readonly types: Readonly<Record<string, string>>;
    }[];
  }[];
  readonly without_probe: readonly string[];
}
type SentProblem = Omit<ProbeProblem, "message">;

const NOTHING: AnswerCheck = {
  missing: [],
  other_types: [],
  not_seen: [],
  empty: [],
  new_names: [],
  types: {},
};
const either = (types: readonly Kind[]) => types.join(" or ");
const sent = (problem: ProbeProblem | null): SentProblem | null =>
  problem === null ? null : { code: problem.code, status: problem.status };

/**
 * The file of a report. It is made of what may stand in it, field by field: texts of an upstream are in messages and in
 * names that the gateway does not know, and neither is taken.
 */
export function probeFile(
  { upstreams, without_probe }: Pick<ProbeReport, "upstreams" | "without_probe">,
  { version, now }: { readonly version: string; readonly now: number },
): ProbeFile {
  return {
    format: "site-operations-probe/1",
    gateway: version,
    day: new Date(now).toISOString().slice(0, 10),
    upstreams: upstreams.map(({ connector, service, state, versions, problem, reads }) => ({
      upstream: `${connector}/${service}`,
      state,
      versions,
      refused: sent(problem),
      reads: reads.map(({ read, state, problem, check }) => {
        const { missing, other_types, not_seen, empty, new_names, types } = check ?? NOTHING;
        const kinds = Object.groupBy(new_names, ({ at }) => at);
        const fresh = Object.entries(kinds).map(([at, some = []]) =>
          [at, either([...new Set(some.flatMap(({ types }) => types))].toSorted())] as const
        );
        return {
          read,
          state,
          refused: sent(problem),
          missing,
          other_types: other_types.map(({ at, read, came }) => ({
            at,
            read: either(read),
            came: either(came),
          })),
          not_seen,
          empty,
          new_names: Object.fromEntries(fresh),
          types: Object.fromEntries(Object.entries(types).map(([at, some]) => [at, either(some)])),
        };
      }),
    })),
    without_probe: without_probe.map(({ connector }) => connector),
  };
}

/** How an answer compares with what its client reads, where there was one. */
export function stateOf(check: AnswerCheck | null, problem: ProbeProblem | null): ReadState {
  if (check === null) return problem === null ? "not_compared" : "refused";
  return differs(check) ? "differs" : problem === null ? "agrees" : "unreadable";
}

const NAMED_MAX = 20;

/** What is to be said of a read, a sentence each; those about new names are the only ones that hold words of the answer. */
export function sentencesOf({ state, problem, check }: ProbedRead): string[] {
  const { missing, other_types, not_seen, empty, new_names } = check ?? NOTHING;
  const named = new_names.slice(0, NAMED_MAX).map(({ at, name, types }) =>
    `${JSON.stringify(name)} in ${at} (${either(types)})`
  );
  const more = new_names.length - named.length;
  return [
    ...problem === null ? [] : [
      state === "refused"
        ? `Refused with ${problem.code}${
          problem.status === null ? "" : ` (${problem.status})`
        }: ${problem.message}`
        : `The client cannot use the answer (${problem.code}): ${problem.message}`,
    ],
    ...state === "not_compared" && check === null
      ? ["Not compared: no answer came that is JSON, or one from before was taken"]
      : [],
    ...missing.map((at) => `Missing: ${at}, which the client cannot do without`),
    ...other_types.map(({ at, read, came }) =>
      `Another type: ${at} came as ${either(came)}, and the client reads ${either(read)}`
    ),
    ...not_seen.length === 0 ? [] : [`Not in this answer, and read where they are: ${not_seen.join(", ")}`],
    ...empty.length === 0 ? [] : [`Without an entry, so nothing in it was compared: ${empty.join(", ")}`],
    ...named.length === 0
      ? []
      : [`New, and only for information: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`],
  ];
}
