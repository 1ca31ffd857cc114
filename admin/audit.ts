/** The audit: read by page, streamed whole, checked, cut. */
import type { Context, Hono } from "hono";
import { z } from "zod";
import { ASKED_STATUSES, LIMITS, OUTCOMES } from "../core/model.ts";
import type { AuditQuery, AuditVerdict } from "../store/store.ts";
import { person, RECORD_ID, SITE_ID, TOOL_NAME } from "./bodies.ts";
import { answer, jsonObject, parameters } from "./exchange.ts";
import { checked, closed, expected, refuseAny } from "../core/faults.ts";
import type { AdminPorts } from "./ports.ts";
import { callerOf } from "../identity/rights.ts";
import { rowFor } from "./audit_row.ts";
import { userIdOf } from "./named_user.ts";

const ROWS_DEFAULT = 100;
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;

const time_error = expected("a time such as 2026-11-21 or 2026-11-21T09:30:00Z");
/** Whether the calendar has that day; a date takes 30 February for 2 March. */
const isDay = (day: string) => {
  const at = new Date(day);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
};

/** ISO 8601, as UTC with milliseconds. An offset's + that a query string turned into a space is taken as meant. */
const time = z.string().transform((text, ctx) => {
  const meant = text.replace(/ (\d\d:\d\d)$/, "+$1");
  const at = TIME.test(meant) && isDay(meant.slice(0, "2026-11-21".length)) ? new Date(meant) : null;
  if (at !== null && !Number.isNaN(at.getTime())) return at.toISOString();
  ctx.issues.push({ code: "custom", input: text, message: time_error({ input: text }) });
  return z.NEVER;
});

function filter(allowed: string, pattern: RegExp) {
  return z.string().regex(pattern, { error: expected(allowed) });
}

const CLIENT_CHARACTERS = 2048;
const client_error = expected("a client id as client list shows it");
const PATH_CHARACTERS = LIMITS.REPO_PATH_CHARACTERS;
const path_error = expected(`the path of a file, at most ${PATH_CHARACTERS} characters`);
/** What rows are found by. */
export const FILTERS = {
  from: time.optional(),
  to: time.optional(),
  token_id: filter("a token id", RECORD_ID).optional(),
  client_id: z.string().min(1, { error: client_error }).max(CLIENT_CHARACTERS, { error: client_error })
    .optional(),
  owner_user_id: person.optional(),
  site_id: filter("a site id", SITE_ID).optional(),
  tool: filter("a tool name", TOOL_NAME).optional(),
  path: z.string().min(1, { error: path_error }).max(PATH_CHARACTERS, { error: path_error }).optional(),
  set_id: filter("the set_id of a change set", /^[0-9A-HJKMNP-TV-Z]{26}$/).optional(),
  status: z.enum(ASKED_STATUSES, { error: expected(`one of ${ASKED_STATUSES.join(", ")}`) }).optional(),
  outcome: z.enum(OUTCOMES, { error: expected(`one of ${OUTCOMES.join(", ")}`) }).optional(),
};
const rows_error = expected(`a whole number from 1 to ${LIMITS.AUDIT_PAGE_MAX}`);
const pageQuery = closed({
  ...FILTERS,
  limit: z.string().regex(/^\d{1,6}$/, { error: rows_error }).transform(Number)
    .pipe(z.number().min(1, { error: rows_error }).max(LIMITS.AUDIT_PAGE_MAX, { error: rows_error }))
    .optional(),
  cursor: filter("a next_cursor of an earlier answer", /^[\x21-\x7e]{1,1024}$/).optional(),
});
const exportQuery = closed(FILTERS);
const verifyQuery = closed({
  after: filter(
    "the id of a segment, as it was shown while the audit was verified",
    /^[0-9A-HJKMNP-TV-Z]{26}$/,
  ).optional(),
});
const retainBody = closed({ confirm: z.boolean({ error: expected("true or false") }).optional() });
const count_error = expected("a whole number");
const anchorBody = closed({
  anchor: z.object({
    kind: z.literal("site-ops-anchor", { error: expected('"site-ops-anchor"') }),
    store: z.string({ error: expected("the id of a store") }).max(100),
    at: z.string({ error: expected("a time") }).max(40),
    heads: z.record(
      z.string().max(40),
      z.object({
        n: z.number({ error: count_error }).int({ error: count_error }),
        hash: z.string({ error: expected("a hash") }).max(64),
      }),
    ),
    registers: z.record(z.string().max(40), z.number({ error: count_error }).int({ error: count_error })),
    key: z.string({ error: expected("the id of a key") }).max(12),
    mac: z.string({ error: expected("a proof in hexadecimal") }).max(64),
  }, { error: expected("an anchor, as audit anchor prints it") }),
});
const note_error = expected(`a text of 1 to ${LIMITS.RESOLUTION_NOTE_CHARACTERS} characters`);
/** What was found of a write in doubt. */
export const resolveBody = closed({
  found: z.enum(["made", "none"], { error: expected("made or none") }),
  note: z.string({ error: note_error }).trim().min(1, { error: note_error })
    .max(LIMITS.RESOLUTION_NOTE_CHARACTERS, { error: note_error }),
});

/** Adds the routes of the audit. */
export function auditRoutes(app: Hono, ports: AdminPorts): void {
  const { anchors, audit } = ports.store;
  app.get("/admin/api/audit", async (c) => {
    const { limit, cursor, ...query } = parameters(pageQuery, c.req.url);
    return answer(
      c,
      await audit.list(await meant(span(query), c, ports), {
        limit: limit ?? ROWS_DEFAULT,
        ...(cursor && { cursor }),
      }),
    );
  });

  app.get("/admin/api/audit.ndjson", async (c) => {
    const query = await meant(span(parameters(exportQuery, c.req.url)), c, ports);
    const lines = audit.export(query)[Symbol.asyncIterator]();
    // The first line is read before the answer begins, so that a store that fails is answered as such.
    const body = stream(await lines.next(), lines, (fault) => ports.report("audit.ndjson", fault));
    c.header("Content-Disposition", 'attachment; filename="audit.ndjson"');
    c.header("Content-Type", "application/x-ndjson");
    return c.body(body);
  });

  app.get("/admin/api/audit/anchor", async (c) => answer(c, await anchors.make()));

  app.post("/admin/api/audit/verify", async (c) => {
    const { anchor } = checked(anchorBody, await jsonObject(c.req.raw));
    return answer(c, await anchors.verify(anchor));
  });

  app.get("/admin/api/audit/verify", async (c) => {
    return answer(c, await audit.verify(parameters(verifyQuery, c.req.url)));
  });

  // The same with a line now and then of how far it is, and the verdict as the last.
  app.get("/admin/api/audit/verify.ndjson", async (c) => {
    const query = parameters(verifyQuery, c.req.url);
    const lines = verifying((told) => audit.verify({ ...query, told }));
    // As above: a segment that is not there is refused as such.
    const body = stream(await lines.next(), lines, (fault) => ports.report("audit/verify.ndjson", fault));
    c.header("Content-Type", "application/x-ndjson");
    return c.body(body);
  });

  app.get("/admin/api/audit/:id", async (c) => {
    return answer(c, await rowFor(ports.store, callerOf(c), c.req.param("id")));
  });

  app.post("/admin/api/audit/:id/resolve", async (c) => {
    const found = checked(resolveBody, await jsonObject(c.req.raw));
    return answer(c, await ports.doubts.resolve(c.req.param("id"), found));
  });

  app.post("/admin/api/audit/retain", async (c) => {
    const { confirm } = checked(retainBody, await jsonObject(c.req.raw));
    return answer(c, await (confirm ? ports.retention.confirm() : ports.retention.preview()));
  });
}

/** The query with the id of whoever is named by an e-mail address. */
async function meant(query: AuditQuery, c: Context, ports: AdminPorts): Promise<AuditQuery> {
  const { owner_user_id: wanted } = query;
  if (wanted === undefined) return query;
  return { ...query, owner_user_id: await userIdOf(ports, callerOf(c), wanted) };
}

/** The query; refused where it ends before it begins. */
export function span<Query extends AuditQuery>(query: Query): Query {
  if (query.from && query.to && query.from >= query.to) refuseAny(["to: expected a time after from"]);
  return query;
}

/** What is told while it is verified, and at last the verdict, as lines of JSON. */
async function* verifying(
  verify: (told: (segments: number, newest: string) => void) => Promise<AuditVerdict>,
): AsyncGenerator<string, undefined> {
  const waiting: string[] = [];
  let more = Promise.withResolvers<void>();
  const say = (line: object) => {
    waiting.push(JSON.stringify(line));
    more.resolve();
  };
  let isOver = false;
  const work = verify((segments, newest) => say({ segments, newest })).then((verdict) => say({ verdict }))
    .finally(() => {
      isOver = true;
      more.resolve();
    });
  work.catch(() => {}); // thrown below, once what was said before is read
  while (!isOver || waiting.length > 0) {
    yield* waiting.splice(0);
    if (isOver) continue;
    await more.promise;
    more = Promise.withResolvers();
  }
  await work;
}

/** The lines as bytes, read as fast as the client takes them. */
function stream(
  first: IteratorResult<string>,
  lines: AsyncIterator<string>,
  report: (fault: unknown) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next: IteratorResult<string> | null = first;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = next ?? await lines.next();
        next = null;
        if (done) return controller.close();
        controller.enqueue(encoder.encode(value.endsWith("\n") ? value : `${value}\n`));
      } catch (fault) {
        report(fault);
        controller.error(fault);
      }
    },
    async cancel() {
      await lines.return?.();
    },
  }, { highWaterMark: 0 });
}
