/** The Pages API's routes and its envelope, with the codes it refuses with. */
import { Hono } from "hono";
import { broke, retryAfter } from "../core/answers.ts";
import {
  type Deployment,
  deploymentView,
  latestStage,
  type Project,
  projectView,
  stagesOf,
} from "./deployments.ts";

/** What the API remembers. */
export interface PagesState {
  readonly account_id: string;
  readonly api_token: string;
  /** The value of a variable of every deployment: it comes with each answer, and belongs in no other. */
  readonly secret: string;
  /** In milliseconds. */
  readonly now: () => number;
  readonly projects: Map<string, Project>;
}

const PER_PAGE_MAX = 25;
/** What every path of the API begins with. */
export const API_BASE = "/client/v4";

class Refusal extends Error {
  constructor(readonly status: number, readonly code: number, message: string, readonly more: object = {}) {
    super(message);
  }
}

/** An answer in the API's envelope. */
export function envelope(result: unknown, more: object = {}): Response {
  return Response.json({ success: true, errors: [], messages: [], result, ...more });
}

/** A refusal in the API's envelope. */
export function refusal(status: number, code: number, message: string, more: object = {}): Response {
  const errors = [{ code, message, ...more }];
  return Response.json({ success: false, errors, messages: [], result: null }, { status });
}

/** The refusal of one request too many, with `Retry-After` where given. */
export function tooMany({ retry_after }: { readonly retry_after?: number | string }): Response {
  const answer = refusal(429, 971, "Please wait and consider throttling your request speed");
  for (const [name, value] of Object.entries(retryAfter(retry_after))) answer.headers.set(name, value);
  return answer;
}

const badToken = () => new Refusal(403, 10000, "Authentication error");

function checkToken(state: PagesState, header: string | undefined): void {
  if (header === undefined) throw badToken();
  const found = /^Bearer ([\w.-]+)$/.exec(header);
  if (!found) {
    const chain = [{ code: 6111, message: "Invalid format for Authorization header" }];
    throw new Refusal(400, 6003, "Invalid request headers", { error_chain: chain });
  }
  if (found[1] !== state.api_token) throw badToken();
}

function listOption(value: string | undefined, otherwise: number, most: number): number {
  const number = value === undefined ? otherwise : Number(value);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw new Refusal(
    400,
    8000024,
    "Invalid list options provided. Review the `page` or `per_page` parameter.",
  );
}

/** What a build said, as `history/logs` answers it: `{line, ts}`, the oldest first (types of npm:cloudflare 7.3.0, `LogGetResponse`). */
function logLines(deployment: Deployment, now: number): { ts: string; line: string }[] {
  const { run } = deployment;
  if (run !== undefined) return run.log.map(({ at, line }) => ({ ts: new Date(at).toISOString(), line }));
  const { outcome } = deployment;
  const said = "log" in outcome ? outcome.log ?? [] : [];
  return stagesOf(deployment, now).flatMap(({ name, status, started_at }) => {
    if (started_at === null) return [];
    const ts = new Date(started_at).toISOString();
    const own = status === outcome.kind ? said.map((line) => ({ ts, line })) : [];
    return [...own, { ts, line: `${name}: ${status}` }];
  });
}

function projectIn(state: PagesState, account: string, name: string, token: string | undefined): Project {
  checkToken(state, token);
  if (account !== state.account_id) throw badToken();
  const project = state.projects.get(name);
  if (project) return project;
  throw new Refusal(
    404,
    8000007,
    "Project not found. The specified project name does not match any of your existing projects.",
  );
}

/** The API over a state. */
export function pagesApi(state: PagesState): Hono {
  const app = new Hono();
  const projectOf = (account: string, name: string, token: string | undefined) =>
    projectIn(state, account, name, token);
  const deploymentOf = (project: Project, id: string): Deployment => {
    const found = project.deployments.find((one) => one.id === id && one.created_at <= state.now());
    if (found) return found;
    throw new Refusal(
      404,
      8000009,
      "The deployment ID you have specified does not exist. Update the deployment ID and try again.",
    );
  };
  const view = (one: Deployment) => deploymentView(one, state.now(), state.secret);
  const whole = `${API_BASE}/accounts/:account/pages/projects/:project`;
  app.get(whole, (c) => {
    const project = projectOf(c.req.param("account"), c.req.param("project"), c.req.header("authorization"));
    return envelope(projectView(project, state.secret));
  });
  const at = `${whole}/deployments`;
  app.get(at, (c) => {
    const project = projectOf(c.req.param("account"), c.req.param("project"), c.req.header("authorization"));
    const per_page = listOption(c.req.query("per_page"), PER_PAGE_MAX, PER_PAGE_MAX);
    const page = listOption(c.req.query("page"), 1, Number.MAX_SAFE_INTEGER);
    const env = c.req.query("env");
    const all = project.deployments.filter((one) => one.created_at <= state.now()).map(view).reverse()
      .filter(({ environment }) => env === undefined || environment === env);
    const rows = all.slice((page - 1) * per_page, page * per_page);
    const total = { total_count: all.length, total_pages: Math.ceil(all.length / per_page) };
    return envelope(rows, { result_info: { page, per_page, count: rows.length, ...total } });
  });
  app.get(`${at}/:id`, (c) => {
    const project = projectOf(c.req.param("account"), c.req.param("project"), c.req.header("authorization"));
    return envelope(view(deploymentOf(project, c.req.param("id"))));
  });
  app.get(`${at}/:id/history/logs`, (c) => {
    const project = projectOf(c.req.param("account"), c.req.param("project"), c.req.header("authorization"));
    const deployment = deploymentOf(project, c.req.param("id"));
    const data = logLines(deployment, state.now());
    const begun = latestStage(stagesOf(deployment, state.now())).name !== "queued";
    return envelope({ data, total: data.length, includes_container_logs: begun });
  });
  app.notFound((c) => {
    const words = `Could not route to ${c.req.path}, perhaps your object identifier is invalid?`;
    return refusal(404, 7003, words);
  });
  app.onError((thrown) => {
    if (thrown instanceof Refusal) return refusal(thrown.status, thrown.code, thrown.message, thrown.more);
    return refusal(500, 8000000, broke(thrown));
  });
  return app;
}
