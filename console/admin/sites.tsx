/** Sites, for admins and the master token: the list, each site's own page, its forms, and what is done there by a button. */
import type { Context, Hono } from "hono";
import { checked, quoted, refuseAny } from "../../core/faults.ts";
import type { Site } from "../../core/model.ts";
import { Field, Form, Submit } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { leadTo, showPage } from "../respond.tsx";
import { Table } from "../table.tsx";
import { freeze, freezeBody, lift } from "../../admin/freezes.ts";
import type { Swept } from "../../store/store.ts";
import type { Person } from "../../identity/visitors.ts";
import { asPerson, asSender, assertAdmin, assertMaster, type PagesParts, worded } from "./frame.tsx";
import { findGaps } from "./site_gaps.tsx";
import { siteForms } from "./site_save.tsx";
import { sitePage } from "./site_page.tsx";
import { testSite } from "./site_test.tsx";
import { siteToolPages } from "./site_tools.tsx";
import { type Lately, latelyOf, ownSite, siteAddress, SITES, sitesPage } from "./sites_list.tsx";

/** Adds the routes under `/admin/sites`. */
export function sitePages(app: Hono, parts: PagesParts): void {
  app.get(SITES, (c) =>
    asPerson(parts, c, async (person) => {
      assertAdmin(person, "sees sites");
      return await listPage(c, person, parts, await latelyOf(parts.recent));
    }));

  siteForms(app, parts);
  actions(app, parts);
  removal(app, parts);
  siteToolPages(app, parts);

  app.get(`${SITES}/:id`, (c) =>
    asPerson(parts, c, async (person) => {
      assertAdmin(person, "sees sites");
      return await sitePage(c, person, parts, await ownSite(parts, person, c.req.param("id")));
    }));
}

async function listPage(
  c: Context,
  person: Person,
  { ports: { store, connectors } }: PagesParts,
  lately: Lately,
): Promise<Response> {
  const [sites, projects, freezes] = await Promise.all([
    store.sites.list(),
    store.projects.list(),
    store.freezes.list(),
  ]);
  const asked = (name: string) => (c.req.query(name) ?? "").trim().slice(0, 200);
  return await sitesPage(c, person, {
    sites,
    projects,
    kinds: connectors.kinds.map((kind) => ({ kind, product: connectors.ofKind(kind)?.product ?? kind })),
    lately,
    frozen: freezes.filter(({ scope }) => scope === "site").map(({ id }) => id),
    query: { q: asked("q"), project: asked("project"), platform: asked("platform"), after: asked("after") },
    done: c.req.query("done") === "removed"
      ? (
        <Notice kind="done">
          <p>The site is removed. Revoke the gateway's password there.</p>
        </Notice>
      )
      : null,
  });
}

/** What a button of a site's page does: test, look for gaps, freeze, lift. */
function actions(app: Hono, parts: PagesParts): void {
  const { ports } = parts;
  type Act = (person: Person, site: Site, form: URLSearchParams, c: Context) => Promise<Response>;
  const on = (verb: string, act: Act) =>
    app.post(`${SITES}/:id/${verb}`, (c) =>
      asSender(
        parts,
        c,
        async (person, form) => {
          assertAdmin(person, "manages sites");
          const site = await ownSite(parts, person, c.req.param("id"));
          try {
            return await act(person, site, form, c);
          } catch (thrown) {
            return await sitePage(c, person, parts, site, { problem: worded(c, thrown) });
          }
        },
        SITES,
        (name) => name === "code",
      ));

  on(
    "test",
    async (person, site, _, c) =>
      await sitePage(c, person, parts, site, { tested: await testSite(ports, person, site) }),
  );
  on("gaps", async (person, site, form, c) => {
    const gaps = await findGaps(ports, person, site, Number(form.get("page")) || 1);
    return await sitePage(c, person, parts, site, { gaps });
  });
  on("freeze", async ({ caller }, { id }, form, c) => {
    const reason = form.get("reason")?.trim() || null;
    await freeze(ports, caller, checked(freezeBody, { scope: "site", id, reason }));
    return leadTo(c, `${siteAddress(id)}?done=frozen`);
  });
  on("lift", async ({ caller }, { id }, _, c) => {
    await lift(ports, caller, { scope: "site", id });
    return leadTo(c, `${siteAddress(id)}?done=lifted`);
  });
  on("pair", async (person, site, form, c) => {
    assertMaster(person, "pairs sites");
    const code = form.get("code")?.trim().toUpperCase();
    await ports.pair(site, person.caller.actor, code === "" ? undefined : code);
    return leadTo(c, `${siteAddress(site.id)}?done=paired`);
  });
}

/** Removing a site, as `site remove` does it: shown first, and done where its id is typed. The rows of the audit stay. */
function removal(app: Hono, parts: PagesParts): void {
  const at = `${SITES}/:id/remove`;
  const { ports: { erasing } } = parts;
  app.get(at, (c) =>
    asPerson(parts, c, async (person) => {
      assertMaster(person, "removes sites");
      return await removePage(c, person, parts, await ownSite(parts, person, c.req.param("id")));
    }));
  app.post(at, (c) =>
    asSender(parts, c, async (person, form) => {
      assertMaster(person, "removes sites");
      const site = await ownSite(parts, person, c.req.param("id"));
      try {
        if (form.get("confirm")?.trim() !== site.id) {
          refuseAny([`Type ${quoted(site.id)} exactly as it is written; nothing was removed`]);
        }
        await erasing.erase("site", site.id, { keepsRows: true });
      } catch (thrown) {
        return await removePage(c, person, parts, site, worded(c, thrown));
      }
      return leadTo(c, `${SITES}?done=removed`);
    }, SITES));
}

async function removePage(
  c: Context,
  person: Person,
  { ports: { erasing } }: PagesParts,
  site: Site,
  problem?: { readonly message: string; readonly status: number },
): Promise<Response> {
  const isCounted = c.req.query("counted") !== undefined;
  return await showPage(
    c,
    {
      title: `Remove ${site.name}`,
      visitor: person,
      current: SITES,
      ...problem && { status: problem.status },
    },
    <>
      <p>
        What is kept for this site is deleted and never comes back. Its rows of the audit stay until their
        time is over; to erase those as well, use the command{" "}
        <code>erase</code>. Nothing is changed at the site itself. A copy of the store that was made before
        still has everything.
      </p>
      {isCounted ? <Kept report={await erasing.preview("site", site.id, { keepsRows: true })} /> : (
        <p>
          {"That is its settings and credentials, what stood before changes, snapshots, approvals and its tools. "}
          <a href={`${siteAddress(site.id)}/remove?counted`}>Count what there is</a>
        </p>
      )}
      <Form visitor={person} action={`${siteAddress(site.id)}/remove`}>
        <Field
          name="confirm"
          label={`Type the id of the site, ${site.id}, to remove it`}
          error={problem && `${problem.message}.`}
          autocomplete="off"
        />
        <Submit>Remove the site</Submit>
      </Form>
      <p>
        <a href={siteAddress(site.id)}>Keep it</a>
      </p>
    </>,
  );
}

/** What is kept of a site, counted: the whole store is gone through for it. */
function Kept(
  { report }: { readonly report: Awaited<ReturnType<PagesParts["ports"]["erasing"]["preview"]>> },
) {
  const { deleted, unnamed, ended }: Swept = report ?? { deleted: {}, unnamed: {}, ended: {} };
  const all = [
    ["is deleted", deleted],
    ["stays, without the name of the site", unnamed],
    ["ends: it is for this site alone", ended],
  ] as const;
  const rows = all.flatMap(([fate, counts]) =>
    Object.entries(counts).map(([what, count]) => [what.replaceAll("_", " "), fate, String(count)])
  );
  return (
    <Table
      caption="What becomes of what is kept"
      columns={["What", "What becomes of it", "How many"]}
      rows={rows}
      empty="Nothing is kept of it."
    />
  );
}
