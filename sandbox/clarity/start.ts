/** A stand-in for Microsoft Clarity's data export: projects by their tokens, ten requests a day, the vendor's odd ways. */
import { json } from "../core/answers.ts";
import type { CommonFault } from "../core/faults.ts";
import type { RecordedRequest } from "../core/recorder.ts";
import { type Service, startService } from "../core/service.ts";
import type { StandInOptions } from "../core/vendor.ts";
import { KEYS, reply, visitsBefore } from "./traffic.ts";

export { KEYS } from "./traffic.ts";

/** The vendor's own: requests of a project in a day (UTC), and rows of a reply. */
const REQUESTS_A_DAY = 10;
const ROWS_MAX = 1000;

const PATH = "/export-data/api/v1/project-live-insights";

/** A project, to be changed by a test. */
export interface Project {
  readonly id: string;
  token: string;
  /** `none` as a project without visitors answers; `zeros` as another one does. */
  traffic: "visitors" | "none" | "zeros";
  /** What it answers instead, as it is. */
  answer: unknown;
  /** What is added to its true answer. */
  readonly more: object[];
}

/** A running stand-in. Its address is what BEHAVIOR_API_BASE is set to. */
export interface ClarityStandIn extends Service<RecordedRequest, CommonFault> {
  /** The settings that lead to it. */
  readonly env: Readonly<Record<string, string>>;
  /** The project of that name, made where there is none. */
  project(id: string): Project;
  /** Somebody else asks for the project's figures so many times. */
  spend(id: string, requests: number): void;
  /** How many requests of this day a project has had. */
  used(id: string): number;
}

const plain = (text: string, status: number) =>
  new Response(text, { status, headers: { "content-type": "text/plain; charset=utf-8" } });

/** Starts it on a free port of 127.0.0.1; a few milliseconds, nothing on disk. */
export function startClarity(options: StandInOptions = {}): ClarityStandIn {
  const projects = new Map<string, Project>();
  const used = new Map<string, number>();
  const keyOf = (id: string) => `${id} ${new Date(service.clock.now()).toISOString().slice(0, 10)}`;
  const service: Service<RecordedRequest, CommonFault> = startService(options, {
    records_answers: true,
    handle({ request, url }): Response {
      const wrong = misshapen(request, url);
      if (wrong !== null) return plain(wrong, 400);
      const token = /^Bearer (\S+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
      const project = [...projects.values()].find((one) => one.token === token);
      if (project === undefined) return plain("Unauthorized", 401);
      const count = used.get(keyOf(project.id)) ?? 0;
      if (count >= REQUESTS_A_DAY) return plain("Exceeded daily limit", 429);
      used.set(keyOf(project.id), count + 1);
      return json(answerOf(project, url.searchParams, service.clock.now()));
    },
  });
  return Object.assign(service, {
    env: { BEHAVIOR_API_BASE: `${service.base_url}/export-data/api/v1` },
    project(id: string): Project {
      const known = projects.get(id);
      if (known) return known;
      const token = `eyJ.${id}.${crypto.randomUUID()}`;
      const made: Project = { id, token, traffic: "visitors", answer: undefined, more: [] };
      projects.set(id, made);
      return made;
    },
    spend: (id: string, requests: number) => void used.set(keyOf(id), (used.get(keyOf(id)) ?? 0) + requests),
    used: (id: string) => used.get(keyOf(id)) ?? 0,
  });
}

/** What the vendor refuses of a request; its address must be to the letter. */
function misshapen(request: Request, url: URL): string | null {
  if (request.method !== "GET" || url.pathname !== PATH) return "Not a route of the data export";
  const { numOfDays, ...rest } = Object.fromEntries(url.searchParams);
  if (!/^[123]$/.test(numOfDays ?? "")) return "numOfDays must be 1, 2 or 3";
  const names = Object.keys(rest);
  if (names.length + 1 !== url.searchParams.size) return "A parameter stands twice";
  return names.every((name) => /^dimension[123]$/.test(name)) ? null : "Unknown parameter";
}

function answerOf(project: Project, query: URLSearchParams, now: number): unknown {
  if (project.answer !== undefined) return project.answer;
  // A dimension that it does not know is left out without a word, as the vendor does.
  const dimensions = ["dimension1", "dimension2", "dimension3"].map((name) => query.get(name))
    .filter((one) => one !== null && Object.hasOwn(KEYS, one)) as string[];
  const visitors = project.traffic === "visitors";
  const visits = visitors ? visitsBefore(project.id, now, Number(query.get("numOfDays"))) : [];
  const blocks = reply(visits, dimensions, ROWS_MAX);
  const shown = project.traffic === "none" ? blocks.map((block) => ({ ...block, information: [] })) : blocks;
  return [...shown, ...project.more];
}
