/** Sites' own tools: what their servers list, and which of it is let through. */
import type { Hono } from "hono";
import { z } from "zod";
import { choice, closed, expected, text } from "../core/fields.ts";
import { PROXY_EFFECTS, TOOL_STATES } from "../registry/proxies.ts";
import { SITE_ID } from "./bodies.ts";
import { answer, jsonObject, parameters } from "./exchange.ts";
import { checked } from "../core/faults.ts";
import type { AdminPorts } from "./ports.ts";

const SITES_MAX = 200;

const site_id = text("a site id", SITE_ID);
const name = text("the name of a tool", /^[A-Za-z0-9_.-]{1,128}$/);
// One by one: there is no word for all of them.
const sites = z.array(site_id, { error: expected("a list of site ids") }).min(1, {
  error: expected("at least one site id"),
}).max(SITES_MAX, { error: expected(`at most ${SITES_MAX} site ids`) });
const hash = text(
  "the whole hash, 64 hexadecimal characters, as it is shown with the tool's text (tool-server show)",
  /^[0-9a-f]{64}$/,
);

const listQuery = closed({
  site_id: site_id.optional(),
  state: choice(TOOL_STATES).optional(),
  name: name.optional(),
});
const showQuery = closed({ site_id: site_id.optional() });
const toolArguments = z.record(z.string(), z.unknown(), { error: expected("an object of arguments") });
const classes = {
  class: choice(["read", "write"]).optional(),
  effect: choice(PROXY_EFFECTS).optional(),
  page: text("the name of an argument", /^[A-Za-z0-9_.-]{1,64}$/).optional(),
};
const approveBody = closed({ name, sites, hash, ...classes, arguments: toolArguments.optional() });
const tryBody = closed({ name, site_id, arguments: toolArguments, ...classes });
const withdrawBody = closed({ name, sites });
const refreshBody = closed({ site_id });

/** Adds the routes under /admin/api/proxied-tools. */
export function proxiedToolRoutes(app: Hono, { proxiedTools }: AdminPorts): void {
  const at = "/admin/api/proxied-tools";
  app.get(at, async (c) => answer(c, await (await proxiedTools()).list(parameters(listQuery, c.req.url))));

  app.get(`${at}/:name`, async (c) => {
    const query = parameters(showQuery, c.req.url);
    return answer(c, await (await proxiedTools()).show(c.req.param("name"), query.site_id));
  });

  app.post(`${at}/approve`, async (c) => {
    const order = checked(approveBody, await jsonObject(c.req.raw));
    return answer(c, await (await proxiedTools()).approve(order));
  });

  app.post(`${at}/try`, async (c) => {
    const order = checked(tryBody, await jsonObject(c.req.raw));
    return answer(c, await (await proxiedTools()).try(order));
  });

  app.post(`${at}/withdraw`, async (c) => {
    const order = checked(withdrawBody, await jsonObject(c.req.raw));
    return answer(c, await (await proxiedTools()).withdraw(order.name, order.sites));
  });

  app.post(`${at}/refresh`, async (c) => {
    const { site_id } = checked(refreshBody, await jsonObject(c.req.raw));
    return answer(c, await (await proxiedTools()).refresh(site_id));
  });
}
