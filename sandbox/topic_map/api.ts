/** The routes of the topic-planning service (docs/topicmap-openapi.yaml), over what it remembers. */
import { Hono } from "hono";
import { broke, json } from "../core/answers.ts";
import type { Call } from "../core/vendor.ts";
import { notFound, once, page, Refusal } from "./answers.ts";
import { statusOf } from "./runs.ts";
import { CONTENT_TYPES, type TopicMapState } from "./state.ts";
import * as view from "./views.ts";
import { createAudit, createJob, rerunIt } from "./writes.ts";

interface Owned {
  readonly id: string;
  readonly workspace_id: string;
}

type Asked = { Bindings: { call: Call }; Variables: { query: URLSearchParams; workspace: string } };

/** Keeps what has the value that each of those fields of the query asks for. */
function filtered<T>(
  all: readonly T[],
  query: URLSearchParams,
  fields: Record<string, (one: T) => unknown>,
): T[] {
  return all.filter((one) =>
    Object.entries(fields).every(([name, value]) => !query.has(name) || value(one) === query.get(name))
  );
}

function found<T extends Owned>(all: readonly T[], id: string, workspace: string, noun: string): T {
  const one = all.find((one) => one.id === id && one.workspace_id === workspace);
  if (!one) throw notFound(noun);
  return one;
}

/** The API over a state. */
export function topicMapApi(state: TopicMapState): Hono<Asked> {
  const app = new Hono<Asked>();
  app.use(async (c, next) => {
    if (c.req.header("authorization") !== `Bearer ${state.bot_token}`) {
      throw new Refusal(401, "unauthorized", "The token is not valid");
    }
    c.set("query", new URL(c.req.url).searchParams);
    await next();
  });
  app.use("/v1/workspaces/:ws/*", async (c, next) => {
    const workspace = state.workspaces.find(({ id }) => id === c.req.param("ws"));
    if (!workspace) throw new Refusal(403, "forbidden", "The bot is no member of that workspace");
    if (c.req.method === "POST" && workspace.role !== "editor") {
      throw new Refusal(403, "forbidden", "The bot may only read in that workspace");
    }
    c.set("workspace", workspace.id);
    await next();
  });
  app.get("/v1/workspaces", (c) => page(state.workspaces.map(asItem), c.var.query, ({ item }) => item));
  readMaps(app, state);
  readWork(app, state);
  writes(app, state);
  app.notFound(() => notFound("route").answer());
  app.onError((thrown) => {
    if (thrown instanceof Refusal) return thrown.answer();
    return json({ error: { code: "internal", message: broke(thrown) } }, 500);
  });
  return app;
}

const asItem = (item: TopicMapState["workspaces"][number]) => ({
  id: item.id,
  workspace_id: item.id,
  created_at: item.created_at,
  item,
});

const W = "/v1/workspaces/:ws";

const own = <T extends Owned>(all: readonly T[], workspace: string) =>
  all.filter(({ workspace_id }) => workspace_id === workspace);

function readMaps(app: Hono<Asked>, state: TopicMapState): void {
  const { now } = state;
  app.get(`${W}/topical-maps`, ({ var: { query, workspace } }) => {
    const rows = filtered(own(state.maps, workspace), query, {
      pipeline_status: (one) => one.pipeline_status,
    });
    return page(rows, query, view.mapItem);
  });
  app.get(
    `${W}/topical-maps/:id`,
    (c) => json(found(state.maps, c.req.param("id"), c.var.workspace, "topical map")),
  );
  app.get(`${W}/topical-maps/:id/knowledge-graph`, (c) => {
    const map = found(state.maps, c.req.param("id"), c.var.workspace, "topical map");
    const graph = state.graphs.find(({ topical_map_id }) => topical_map_id === map.id);
    if (!graph) throw notFound("knowledge graph");
    return json(graph);
  });
  app.get(`${W}/content-briefs`, ({ var: { query, workspace } }) => {
    const rows = filtered(own(state.briefs, workspace), query, {
      topical_map_id: (one) => one.topical_map_id,
      approval_status: (one) => one.approval_status,
    });
    return page(rows, query, (one) => view.briefItem(one, now()));
  });
  app.get(
    `${W}/content-briefs/:id`,
    (c) =>
      json(view.briefView(found(state.briefs, c.req.param("id"), c.var.workspace, "content brief"), now())),
  );
}

function readWork(app: Hono<Asked>, state: TopicMapState): void {
  const { now } = state;
  app.get(`${W}/content-audits`, ({ var: { query, workspace } }) => {
    const rows = filtered(own(state.audits, workspace), query, {
      topical_map_id: (one) => one.topical_map_id,
      status: (one) => statusOf(one, now()),
      source_type: (one) => one.source_type,
    });
    return page(rows, query, (one) => view.auditItem(one, now()));
  });
  app.get(`${W}/content-audits/:id`, (c) => {
    const audit = found(state.audits, c.req.param("id"), c.var.workspace, "content audit");
    return json(view.auditView(audit, now(), c.var.query.get("include") === "steps"));
  });
  app.get(`${W}/content-jobs`, ({ var: { query, workspace } }) => {
    const rows = filtered(own(state.jobs, workspace), query, {
      status: (one) => statusOf(one, now()),
      content_type: (one) => one.content_type,
    });
    return page(rows, query, (one) => view.jobItem(one, now()));
  });
  app.get(
    `${W}/content-jobs/:id`,
    (c) => json(view.jobView(found(state.jobs, c.req.param("id"), c.var.workspace, "content job"), now())),
  );
  app.get(`${W}/content-jobs/:id/output`, (c) => {
    const job = found(state.jobs, c.req.param("id"), c.var.workspace, "content job");
    if (!view.isWritten(job, now())) {
      const current_status = statusOf(job, now());
      throw new Refusal(409, "output_not_ready", "The job has no output yet", { current_status });
    }
    return json(view.outputView(job, c.var.query.get("format") === "json" ? "json" : "markdown"));
  });
  app.get(`${W}/content-types`, () => json(CONTENT_TYPES));
}

function writes(app: Hono<Asked>, state: TopicMapState): void {
  const lists = [
    ["content-jobs", state.jobs, "content job"],
    ["content-audits", state.audits, "content audit"],
    ["content-briefs", state.briefs, "content brief"],
  ] as const;
  for (const [path, all, noun] of lists) {
    app.post(`${W}/${path}/:id/rerun`, (c) => {
      const { request, bytes } = c.env.call;
      const one = found<typeof all[number]>(all, c.req.param("id"), c.var.workspace, noun);
      return once(state, request, bytes, () => rerunIt(state, one, bytes));
    });
  }
  for (const [path, create] of [["content-jobs", createJob], ["content-audits", createAudit]] as const) {
    app.post(`${W}/${path}`, (c) => {
      const { request, bytes } = c.env.call;
      return once(state, request, bytes, () => create(state, c.var.workspace, bytes));
    });
  }
}
