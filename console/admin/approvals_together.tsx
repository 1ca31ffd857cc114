/** Deciding on several requests at once: those of a site one after the other, sites side by side. */
import type { Context, Hono } from "hono";
import { rejectBody } from "../../admin/approvals.ts";
import type { ShownApproval } from "../../admin/ports.ts";
import { checked } from "../../core/faults.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Person } from "../../identity/visitors.ts";
import { TOGETHER_MAX } from "./approval_inbox.tsx";
import { liveSites, TOGETHER, type Together, togetherPage } from "./approval_together.tsx";
import { viewsOf } from "./approval_views.tsx";
import { isTyped, namesFor, typedWord, wordsOf } from "./approval_words.ts";
import { asPerson, asSender, type PagesParts, worded } from "./frame.tsx";
import { nothingTyped } from "./kept_form.tsx";

/** Plans that are made at once. */
const AT_ONCE = 4;

/** Adds the routes of several requests. */
export function togetherPages(app: Hono, parts: PagesParts): void {
  app.get(
    TOGETHER,
    (c) => asPerson(parts, c, (person) => look(parts, c, person, chosen(c.req.queries("id") ?? []))),
  );

  app.post(`${TOGETHER}/approve`, (c) =>
    asSender(
      parts,
      c,
      async (person, form) => {
        const ids = chosen(form.getAll("id"));
        const shown = form.getAll("shown");
        const problem = await untyped(parts, person, form);
        if (problem !== null) return await look(parts, c, person, ids, { problem });
        const caller = person.caller;
        return await decide(parts, c, person, ids, async (id, at) => {
          await parts.ports.approvals.approve(caller, id, shown[at] ?? "");
        });
      },
      TOGETHER,
      nothingTyped,
    ));

  app.post(`${TOGETHER}/reject`, (c) =>
    asSender(parts, c, async (person, form) => {
      const ids = chosen(form.getAll("id"));
      const said = wordsOf(form);
      const words = refusal(c, () => checked(rejectBody, { words: said }).words ?? null);
      if ("message" in words) {
        return await look(parts, c, person, ids, {
          problem: { ...words, field: "words" },
          words: said ?? "",
        });
      }
      const caller = person.caller;
      return await decide(parts, c, person, ids, async (id) => {
        await parts.ports.approvals.reject(caller, id, words.value);
      });
    }));
}

function refusal<T>(c: Context, work: () => T): { readonly value: T } | ReturnType<typeof worded> {
  try {
    return { value: work() };
  } catch (thrown) {
    return worded(c, thrown);
  }
}

/** Ids as they were chosen. Throws E_BAD_INPUT where they are none, or too many. */
function chosen(ids: readonly string[]): readonly string[] {
  const all = [...new Set(ids)];
  if (all.length === 0) {
    throw new GatewayError("E_BAD_INPUT", "Choose at least one request, by its box in the list");
  }
  if (all.length <= TOGETHER_MAX) return all;
  throw new GatewayError(
    "E_BAD_INPUT",
    `${all.length} requests were chosen; ${TOGETHER_MAX} are decided together at most`,
  );
}

/** Where something goes live and what has to be typed is not: that. */
async function untyped(
  parts: PagesParts,
  person: Person,
  form: URLSearchParams,
): Promise<Together["problem"] | null> {
  const ids = form.getAll("id");
  const shown = form.getAll("shown");
  const all = await parts.ports.approvals.list(person.caller, { states: ["pending"] });
  const known = all.filter(({ id }) => ids.includes(id));
  const sites = liveSites(known.map(({ id, sites }) => ({ sites, shown: shown[ids.indexOf(id)] ?? "" })));
  const wanted = typedWord(sites, await namesFor(parts, known));
  if (wanted === null || isTyped(form.get("typed") ?? "", wanted)) return null;
  return { message: `Type “${wanted.word}”, so that it is where you mean`, status: 400, field: "typed" };
}

/** Does the work on each, and shows what became of them. */
async function decide(
  parts: PagesParts,
  c: Context,
  person: Person,
  ids: readonly string[],
  work: (id: string, at: number) => Promise<void>,
): Promise<Response> {
  const known = await parts.ports.approvals.list(person.caller, { states: ["pending"] });
  const siteOf = new Map(known.map(({ id, sites }) => [id, sites[0] ?? ""]));
  const lanes = Map.groupBy(ids.map((id, at) => ({ id, at })), ({ id }) => siteOf.get(id) ?? "");
  const problems = new Map<string, string>();
  await eachAtOnce([...lanes.values()], async (lane) => {
    for (const { id, at } of lane) {
      try {
        await work(id, at);
      } catch (thrown) {
        problems.set(id, worded(c, thrown).message);
      }
    }
  });
  return await look(parts, c, person, ids, { problems, decided: ids.length - problems.size });
}

/** Shows them as they are now; those that the person may not see, or that are gone, are left out. */
async function look(
  parts: PagesParts,
  c: Context,
  person: Person,
  ids: readonly string[],
  more: Partial<Together> = {},
): Promise<Response> {
  const { approvals, now } = parts.ports;
  const caller = person.caller;
  const found = new Map<string, ShownApproval>();
  const views: Together["views"] = new Map();
  await eachAtOnce(ids, async (id) => {
    try {
      const shown = await approvals.show(caller, id, { whole: true });
      found.set(id, shown);
      views.set(id, await viewsOf(parts, shown));
    } catch (thrown) {
      if (!(thrown instanceof GatewayError) || thrown.code !== "E_NOT_FOUND") throw thrown;
    }
  });
  const all = ids.flatMap((id) => found.get(id) ?? []);
  if (all.length === 0) {
    throw new GatewayError("E_NOT_FOUND", "There is no such request; list them to find it");
  }
  const names = await namesFor(parts, all.map(({ approval }) => approval));
  return await togetherPage(c, person, { all, names, views, now: now(), ...more });
}

/** Does the work on each, a few at once. */
async function eachAtOnce<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const rest = all.values();
  const lane = async () => {
    for (const one of rest) await work(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
