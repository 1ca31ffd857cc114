/** What agents ask people for: the inbox, one request, many together, and the decisions. */
import type { Context, Hono } from "hono";
import { rejectBody, tierShown } from "../../admin/approvals.ts";
import type { ShownApproval } from "../../admin/ports.ts";
import { checked } from "../../core/faults.ts";
import type { Person } from "../../identity/visitors.ts";
import { assertOwnPages } from "../../identity/origin.ts";
import { leadTo } from "../respond.tsx";
import { togetherPages } from "./approvals_together.tsx";
import { EVENTS, inboxPage, statesOf } from "./approval_inbox.tsx";
import { editPages } from "./approval_edit.tsx";
import { leftOutBy, leftOutIn, tierLeft } from "./approval_items.tsx";
import { type OnePage, onePage } from "./approval_page.tsx";
import { APPROVALS, isTyped, LIVE_TIER, namesFor, typedWord, wordsOf } from "./approval_words.ts";
import { ApprovalEvents } from "./approval_events.ts";
import { viewRoutes, viewsOf } from "./approval_views.tsx";
import { asPerson, asSender, type PagesParts, worded } from "./frame.tsx";
import { nothingTyped } from "./kept_form.tsx";

/** Adds the routes under `/admin/approvals`. */
export function approvalPages(app: Hono, parts: PagesParts): void {
  const { ports } = parts;
  const idOf = (c: Context) => c.req.param("id") ?? "";

  app.get(APPROVALS, (c) =>
    asPerson(parts, c, async (person) => {
      const all = await ports.approvals.list(person.caller, { states: statesOf(c) });
      const [names, projects] = await Promise.all([namesFor(parts, all), ports.store.projects.list()]);
      const named = new Map(projects.map(({ id, name }) => [id, name]));
      return await inboxPage(c, person, { all, names, projects: named, now: ports.now() });
    }));

  const events = new ApprovalEvents(ports);
  app.get(EVENTS, async (c) => {
    assertOwnPages(c, ports.baseUrl, false);
    const person = await parts.visitors.person(c.req.raw);
    // No way to the sign-in: a browser asks for a stream again only where an answer was one.
    if (person === null || c.req.method !== "GET") return c.body(null, 401, { "cache-control": "no-store" });
    return await events.open(person);
  });

  togetherPages(app, parts);
  editPages(app, parts);
  viewRoutes(app, parts, APPROVALS);
  app.get(`${APPROVALS}/:id`, (c) => asPerson(parts, c, (person) => look(parts, c, person, idOf(c))));

  /** A button: nothing is typed there. */
  const on = (verb: string, act: (c: Context, person: Person, form: URLSearchParams) => Promise<Response>) =>
    app.post(
      `${APPROVALS}/:id/${verb}`,
      (c) => asSender(parts, c, (person, form) => act(c, person, form), pathOf(c), nothingTyped),
    );
  on("approve", async (c, person, form) => {
    const without = leftOutIn(form);
    const problem = await approved(parts, c, person, idOf(c), { form, without });
    return problem === null
      ? leadTo(c, pathOf(c))
      : await look(parts, c, person, idOf(c), { problem, without });
  });
  on("undo", async (c, person, form) => {
    try {
      const id = await ports.approvals.askUndo(person.caller, idOf(c), form.get("site") ?? "");
      return leadTo(c, `${APPROVALS}/${id}`);
    } catch (thrown) {
      return await look(parts, c, person, idOf(c), { problem: worded(c, thrown) });
    }
  });

  app.post(`${APPROVALS}/:id/reject`, (c) =>
    asSender(parts, c, async (person, form) => {
      const words = wordsOf(form);
      const problem = await rejected(parts, c, person, idOf(c), words);
      return problem === null
        ? leadTo(c, pathOf(c))
        : await look(parts, c, person, idOf(c), { problem, words: words ?? "" });
    }, pathOf(c)));
}

const pathOf = (c: Context) => `${APPROVALS}/${encodeURIComponent(c.req.param("id") ?? "")}`;

type Problem = NonNullable<OnePage["problem"]>;

/** Shows one as it is now. */
async function look(
  parts: PagesParts,
  c: Context,
  person: Person,
  id: string,
  more: Pick<OnePage, "problem" | "words" | "without"> = {},
): Promise<Response> {
  const { approvals } = parts.ports;
  const caller = person.caller;
  const asked = leftOutBy(c);
  let shown = await approvals.show(caller, id, { whole: true, without: asked });
  // What was left out may be what cannot be carried out by now.
  const without = more.without ?? [];
  if (shown.refused !== null && without.length > 0) {
    shown = await approvals.show(caller, id, { whole: true, without });
  }
  const [names, views] = await Promise.all([namesFor(parts, [shown.approval]), viewsOf(parts, shown)]);
  const page = { shown, names, views, now: parts.ports.now(), isSet: isOfSet(shown) };
  return await onePage(c, person, { ...page, ...more });
}

/** Carries it out; what was wrong, or null where it was done. Throws E_NOT_FOUND. */
async function approved(
  parts: PagesParts,
  c: Context,
  person: Person,
  id: string,
  { form, without }: { readonly form: URLSearchParams; readonly without: readonly number[] },
): Promise<Problem | null> {
  const { approvals } = parts.ports;
  const caller = person.caller;
  const shown = form.get("shown") ?? "";
  const found = (await approvals.list(caller, { states: ["pending"] })).find((one) => one.id === id);
  if (found !== undefined && tierLeft(shown, without, tierShown(shown)) >= LIVE_TIER) {
    const wanted = typedWord(found.sites, await namesFor(parts, [found]));
    if (wanted !== null && !isTyped(form.get("typed") ?? "", wanted)) {
      return {
        message: `Type “${wanted.word}”, so that it is the site you mean`,
        status: 400,
        field: "typed",
      };
    }
  }
  try {
    await approvals.approve(caller, id, shown, without);
    return null;
  } catch (thrown) {
    return asSentence(worded(c, thrown));
  }
}

const OF_BOXES = "without: ";

/** What is wrong with the boxes, as the page says it. */
function asSentence({ message, ...rest }: Problem): Problem {
  if (!message.startsWith(OF_BOXES)) return { ...rest, message };
  const said = message.slice(OF_BOXES.length);
  return { ...rest, message: `${said[0]!.toUpperCase()}${said.slice(1)}` };
}

/** Whether a request is of a change set: its call has a list of changes, or its plan has items. */
const isOfSet = ({ preview, arguments: args }: ShownApproval) =>
  preview?.items !== undefined || Array.isArray(args?.["changes"]);

/** Says no; what was wrong, or null where it was done. Throws E_NOT_FOUND. */
async function rejected(
  { ports }: PagesParts,
  c: Context,
  person: Person,
  id: string,
  said: string | null,
): Promise<Problem | null> {
  try {
    const { words = null } = checked(rejectBody, { words: said });
    await ports.approvals.reject(person.caller, id, words);
    return null;
  } catch (thrown) {
    const problem = worded(c, thrown);
    return problem.status === 400 ? { ...problem, field: "words" } : problem;
  }
}
