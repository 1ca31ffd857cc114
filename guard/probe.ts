/** Probes what a site is linked to: each answer once, held against what the gateway's clients read of it. */
import { checkAnswer, differs } from "../core/answer_check.ts";
import { shapeOf } from "../core/answer_shape.ts";
import { GatewayError, shownFailure } from "../core/errors.ts";
import { hint, refuseAny } from "../core/faults.ts";
import { LIMITS, type Site, VERSION } from "../core/model.ts";
import type { Connector } from "../platforms/_connector/connector.ts";
import type { ConnectorContext } from "../platforms/_connector/context.ts";
import type { ProbeSpec, See } from "../platforms/_connector/operator.ts";
import type { Incoming, Outgoing } from "../platforms/_http/request.ts";
import {
  type ProbedRead,
  type ProbedUpstream,
  probeFile,
  type ProbeProblem,
  type ProbeReport,
  stateOf,
} from "../registry/probe_report.ts";
import { type Actor, adminRow, appendOrLog, type RowSinks, tookSince } from "./audit/admin_row.ts";
import { type ConnectorPorts, makeConnectorContext } from "./connector_context.ts";
import { isAsked } from "./vendor_watch.ts";

/** What looks at all that a site is linked to, for an operator, is done with. */
export type ReviewPorts = ConnectorPorts & RowSinks & {
  newId(): string;
  /** Is told of every fault that is answered with E_INTERNAL. */
  report(id: string, thrown: unknown): void;
};

/** Who asks, and of which site. */
export interface ProbeOrder {
  readonly site: Site;
  readonly by: Actor;
  /** Connectors whose probe is asked although it costs what is scarce. */
  readonly costly: readonly string[];
}

interface Asked {
  readonly connector: Connector;
  readonly service: string;
  readonly spec: ProbeSpec;
}

/**
 * Probes every service that the site is linked to; one that fails says so and stops no other. The audit gets one row, with
 * how the reads of each compared and nothing of what was answered. Throws E_BAD_INPUT for a connector without a costly
 * probe, E_INTERNAL where the row cannot be written.
 */
export async function probeSite(ports: ReviewPorts, order: ProbeOrder): Promise<ProbeReport> {
  const { site, by } = order;
  const all = ports.connectors.all.flatMap((connector) =>
    Object.entries(connector.probes ?? {}).map(([service, spec]) => ({ connector, service, spec }))
  );
  refuseUnknown(all, order.costly);
  const row = { ...adminRow(ports.newId(), by, ports.now(), "site.probe", {}), site_id: site.id };
  const deadline = ports.now() + LIMITS.CALL_DEADLINE_MS;
  const call = { site, caller: null, deadline, requestId: row.id };
  const upstreams = await Promise.all(all.map(async (asked): Promise<ProbedUpstream> => {
    const known = describe(asked, order, ports);
    if (known.state !== "asked") return known;
    const ctx = makeConnectorContext(ports, call, asked.connector);
    return { ...known, ...await run(asked.spec, ctx, (thrown) => ports.report(row.id, thrown)) };
  }));
  const without_probe = ports.connectors.all.filter(({ probes }) => probes === undefined)
    .map(({ name, product }) => ({ connector: name, product }));
  const found = { upstreams, without_probe };
  await appendOrLog(ports, {
    ...row,
    arguments: { with: order.costly, found: summary(upstreams) },
    duration_ms: tookSince(row, ports.now()),
  });
  return {
    site_id: site.id,
    agrees: !upstreams.some(({ reads }) => reads.some(({ check }) => check !== null && differs(check))),
    ...found,
    file: probeFile(found, { version: VERSION, now: ports.now() }),
  };
}

function refuseUnknown(all: readonly Asked[], costly: readonly string[]): void {
  const known = [
    ...new Set(all.flatMap(({ connector, spec }) => spec.costs === undefined ? [] : [connector.name])),
  ];
  refuseAny(
    costly.filter((name) => !known.includes(name))
      .map((name) =>
        `with: no connector ${JSON.stringify(name)} has a probe that costs, ${hint(name, known)}`
      ),
  );
}

/** What is known of a service before it is asked. */
function describe(
  { connector, service, spec }: Asked,
  order: ProbeOrder,
  ports: ReviewPorts,
): ProbedUpstream {
  const { what, field, costs } = spec;
  const linked = isLinked(connector, field, order.site);
  const left = linked && costs !== undefined && !order.costly.includes(connector.name);
  return {
    connector: connector.name,
    service,
    what,
    state: !linked ? "not_linked" : left ? "left_out" : "asked",
    costs: left ? costs : null,
    versions: (connector.watch ?? []).filter((one) => one.api === what && isAsked(one, ports.upstream))
      .map(({ version }) => version),
    problem: null,
    reads: [],
  };
}

function isLinked({ kinds = [] }: Connector, field: string | undefined, site: Site): boolean {
  if (field === undefined) return kinds.includes(site.platform);
  const value = (site as unknown as Readonly<Record<string, unknown>>)[field];
  return Array.isArray(value) ? value.length > 0 : value !== null && value !== undefined;
}

/** How many reads of each service compared in which way. */
function summary(upstreams: readonly ProbedUpstream[]): Readonly<Record<string, object | string>> {
  return Object.fromEntries(upstreams.map(({ connector, service, state, problem, reads }) => {
    const counts = Object.groupBy(reads, (one) => one.state);
    const said = Object.fromEntries(Object.entries(counts).map(([name, some]) => [name, some.length]));
    return [
      `${connector}/${service}`,
      state !== "asked" ? state : problem === null ? said : { ...said, problem: problem.code },
    ];
  }));
}

/** Runs one probe, and keeps every failure as what was found. */
async function run(
  { run }: ProbeSpec,
  ctx: ConnectorContext,
  report: (thrown: unknown) => void,
): Promise<Pick<ProbedUpstream, "reads" | "problem">> {
  const reads: ProbedRead[] = [];
  const heard: Incoming[] = [];
  const problemOf = (thrown: unknown): ProbeProblem => {
    const { code, upstream, message } = shownFailure(thrown, "asked", report);
    return { code, status: upstream ?? null, message };
  };
  const see: See = async (read, schema, ask, part = (json) => json) => {
    heard.length = 0;
    let [answer, problem]: [Awaited<ReturnType<typeof ask>> | null, ProbeProblem | null] = [null, null];
    try {
      answer = await ask(schema);
    } catch (thrown) {
      problem = problemOf(thrown);
    }
    const last = problem === null ? heard.findLast(isSuccess) : heard.at(-1);
    const json = last && isSuccess(last) ? part(last.json()) : undefined;
    const check = json === undefined ? null : checkAnswer(json, shapeOf(schema));
    reads.push({ read, state: stateOf(check, problem), problem, check });
    return answer;
  };
  try {
    await run(listening(ctx, heard), see);
    return { reads, problem: null };
  } catch (thrown) {
    return { reads, problem: problemOf(thrown) };
  }
}

const isSuccess = (answer: Incoming) =>
  answer.status >= 200 && answer.status < 300 && answer.json() !== undefined;

/** The same way out, which only reads, with every answer kept. */
function listening(ctx: ConnectorContext, heard: Incoming[]): ConnectorContext {
  const kept = <Way extends Pick<ConnectorContext, "send">>(way: Way): Way => ({
    ...way,
    async send(out: Outgoing) {
      if (out.effect !== "read") throw new GatewayError("E_FORBIDDEN_OP", "A probe only reads");
      const answer = await way.send(out);
      heard.push(answer);
      return answer;
    },
  });
  return { ...kept(ctx), borrow: (name) => kept(ctx.borrow(name)) };
}
