/** The pages of the admin side, for people; loaded when the first is asked for. */
import { Hono } from "hono";
import { GatewayError } from "../../core/errors.ts";
import { onDemand } from "../../core/async.ts";
import { asset, ASSETS_PATH } from "../assets.ts";
import { Visitors } from "../../identity/visitors.ts";
import type { AdminPorts } from "../../admin/ports.ts";
import { recentOf } from "../../admin/recent_rows.ts";
import type { MasterSignIn } from "../../admin/session.ts";
import { People } from "../../identity/sign_in/people.ts";
import { sayWaiting } from "../respond.tsx";
import { accountPages } from "./account.tsx";
import { approvalPages } from "./approvals.tsx";
import { auditPages } from "./audit.tsx";
import { changePages } from "./changes.tsx";
import { clientPages } from "./clients.tsx";
import { connectionPages } from "./connections.tsx";
import { overviewPages } from "./overview.tsx";
import { type PagesParts, refusalPage } from "./frame.tsx";
import { designPages } from "./design.tsx";
import { freezePages } from "./freezes.tsx";
import { invitationPages } from "./invitation.tsx";
import { repoAppPages } from "./repo_app.tsx";
import { signInPages } from "./sign_in.tsx";
import { snapshotPages } from "./snapshots.tsx";
import { sitePages } from "./sites.tsx";
import { tokenPages } from "./tokens.tsx";
import { tryPages } from "./try.tsx";
import { userPages } from "./users.tsx";
import { webhookPages } from "./webhooks.tsx";

/** The routes below `/admin` that are not the API, to be mounted at the root; every answer is a page, a refusal too. */
export function pagesApp(ports: AdminPorts, master: MasterSignIn): Hono {
  const app = new Hono();
  const visitors = new Visitors({ ...ports, master });
  const parts: PagesParts = {
    ports,
    visitors,
    master,
    recent: recentOf(ports),
    people: new People(ports),
    passkeys: onDemand(async () => {
      const { Passkeys } = await import("../../identity/sign_in/passkeys.ts");
      return new Passkeys(ports);
    }),
  };
  app.use(async (c, next) => {
    sayWaiting(c, async (caller) => (await ports.approvals.waiting())(caller).length);
    await next();
  });
  app.get(`${ASSETS_PATH}/:name`, async (c) => await asset(c, c.req.param("name")) ?? c.notFound());
  overviewPages(app, parts);
  designPages(app, parts);
  accountPages(app, parts);
  signInPages(app, parts);
  invitationPages(app, parts);
  tokenPages(app, parts);
  connectionPages(app, parts);
  clientPages(app, parts);
  freezePages(app, parts);
  sitePages(app, parts);
  snapshotPages(app, parts);
  userPages(app, parts);
  repoAppPages(app, parts);
  approvalPages(app, parts);
  webhookPages(app, parts);
  auditPages(app, parts);
  changePages(app, parts);
  tryPages(app, parts);
  app.notFound(async (c) => {
    const error = new GatewayError("E_NOT_FOUND", "Nothing is at this address; it may be mistyped");
    return await refusalPage(c, await visitors.signedIn(c.req.raw), error, ports.report);
  });
  app.onError(async (thrown, c) => {
    const person = await visitors.signedIn(c.req.raw).catch(() => null);
    return await refusalPage(c, person, thrown, ports.report);
  });
  return app;
}
