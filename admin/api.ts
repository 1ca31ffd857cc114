/** The admin API: tokens, sites, projects, users, the audit. */
import { Hono } from "hono";
import { GatewayError } from "../core/errors.ts";
import { onDemand } from "../core/async.ts";
import { approvalRoutes } from "./approvals.ts";
import { auditRoutes } from "./audit.ts";
import { clientRoutes, connectionRoutes } from "./connections.ts";
import { erasureRoutes } from "./erase.ts";
import { refusal } from "./exchange.ts";
import { freezeRoutes } from "./freezes.ts";
import { healthRoutes, metricsRoute, repoRoutes, snapshotRoutes } from "./health.ts";
import { peopleRoutes } from "./people.ts";
import type { AdminPorts } from "./ports.ts";
import { previewRoutes } from "./previews.ts";
import { proxiedToolRoutes } from "./proxied_tools.ts";
import { adminGate, type MasterSignIn } from "./session.ts";
import { siteRoutes } from "./sites.ts";
import { tokenRoutes } from "./tokens.ts";
import { changeRoutes } from "./undo.ts";
import { webhookRoutes } from "./webhooks.ts";

export type { AdminPorts } from "./ports.ts";

/** The pages for people below `/admin`, made of what the API is made of; loaded when the first is asked for. */
export type PagesOf = (ports: AdminPorts, master: MasterSignIn) => Promise<Pick<Hono, "fetch">>;

/**
 * The routes below `/admin`, to be mounted at the root; what is not the API is answered by the pages. Every answer of `/admin/login`, `/admin/logout` and
 * `/admin/api/*` has the envelope of the REST door, all others are pages; what asks anything of
 * others are a tool server's tools, the repository page, a site's set-up, its pairing, its preview branches and what
 * it could be linked to.
 */
export function adminApp(ports: AdminPorts, pagesOf: PagesOf): Hono {
  const app = new Hono();
  const gate = adminGate(ports);
  app.onError((thrown, c) => refusal(c, thrown, ports));
  app.use("/admin/*", async (c, next) => {
    await next();
    if (!c.res.headers.has("Cache-Control")) c.header("Cache-Control", "no-store");
    c.header("X-Content-Type-Options", "nosniff");
  });
  app.post("/admin/login", gate.login);
  app.post("/admin/logout", gate.logout);
  app.use("/admin/api/*", gate.check);
  tokenRoutes(app, ports);
  siteRoutes(app, ports);
  peopleRoutes(app, ports);
  connectionRoutes(app, ports);
  clientRoutes(app, ports);
  repoRoutes(app, ports);
  auditRoutes(app, ports);
  changeRoutes(app, ports);
  erasureRoutes(app, ports);
  previewRoutes(app, ports);
  snapshotRoutes(app, ports);
  proxiedToolRoutes(app, ports);
  freezeRoutes(app, ports);
  approvalRoutes(app, ports);
  webhookRoutes(app, ports);
  healthRoutes(app, ports);
  metricsRoute(app, ports, gate);
  app.all("/admin/api/*", (c) => {
    throw new GatewayError("E_NOT_FOUND", `The admin API has no ${c.req.method} ${c.req.path.slice(0, 200)}`);
  });
  const pages = onDemand(() => pagesOf(ports, gate.master));
  app.all("/admin/*", async (c) => await (await pages()).fetch(c.req.raw, c.env));
  return app;
}
