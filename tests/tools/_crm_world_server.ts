/** The vendor with one made-up location: its routes, permissions, versions and refusals (docs/upstreams/highlevel.md). */
import * as answers from "./_crm_world_answers.ts";
import { type Ask, fails, Refused } from "./_crm_world_answers.ts";
import type { CrmTruth } from "./_crm_world.ts";

type Answer = (ask: Ask, world: CrmTruth) => unknown;
interface Route {
  readonly scope: string;
  /** Names of the query that it knows; those that end with "!" are needed. */
  readonly knows: string;
  readonly answer: Answer;
  readonly version?: "2021-04-15";
}

const route = (scope: string, knows: string, answer: Answer): Route => ({ scope, knows, answer });
/** Calendars and conversations have an older version. */
const old = (...of: Parameters<typeof route>): Route => ({ ...route(...of), version: "2021-04-15" });
const [TALK, DEALS] = ["conversations/message.readonly", "opportunities.readonly"];

/** The routes that only read, as the vendor's files name them; "*" is an id. */
const ROUTES: Readonly<Record<string, Route>> = {
  "GET /locations/*": route("locations.readonly", "", (_, { id, timezone }) => ({
    location: { id, name: "Ann & Sons", ...timezone === null ? {} : { timezone } },
  })),
  "GET /locations/*/tags": route("locations/tags.readonly", "", (_, { tags }) => ({ tags })),
  "GET /locations/*/customFields": route("locations/customFields.readonly", "model", (_, world) => ({
    customFields: world.fields,
  })),
  "POST /contacts/search": route("contacts.readonly", "", answers.contacts),
  "GET /opportunities/pipelines": route(DEALS!, "locationId!", (_, { pipelines }) => ({ pipelines })),
  "GET /opportunities/search": route(
    DEALS!,
    "location_id! status date endDate limit pipeline_id startAfter startAfterId order page",
    answers.older,
  ),
  "POST /opportunities/search": route(DEALS!, "", answers.opportunities),
  "GET /calendars": old("calendars.readonly", "locationId!", (_, { calendars }) => ({ calendars })),
  "GET /calendars/events": old(
    "calendars/events.readonly",
    "locationId! calendarId userId groupId startTime! endTime!",
    answers.events,
  ),
  "GET /conversations/search": old(
    "conversations.readonly",
    "locationId! limit sort sortBy startAfterDate",
    answers.conversations,
  ),
  "GET /conversations/*/messages": old(TALK!, "limit lastMessageId type", answers.thread),
  "GET /conversations/messages/export": old(
    TALK!,
    "locationId! limit cursor sortBy sortOrder channel startDate endDate contactId conversationId",
    answers.exported,
  ),
  "GET /forms/submissions": route(
    "forms.readonly",
    "locationId! page limit formId q startAt endAt",
    answers.submissions,
  ),
  "GET /invoices": route(
    "invoices.readonly",
    "altId! altType! limit! offset! status startAt endAt search sortField sortOrder paymentMode contactId",
    answers.invoices,
  ),
  "GET /payments/transactions": route(
    "payments/transactions.readonly",
    "altId! altType! locationId startAt endAt limit offset paymentMode",
    answers.transactions,
  ),
  "GET /funnels/funnel/list": route(
    "funnels/funnel.readonly",
    "locationId! limit offset type name",
    answers.funnels,
  ),
  "GET /funnels/page": route(
    "funnels/page.readonly",
    "locationId! funnelId! limit! offset!",
    answers.funnelPages,
  ),
  "GET /workflows": route("workflows.readonly", "locationId!", (_, { workflows }) => ({ workflows })),
  "GET /campaigns": route("campaigns.readonly", "locationId! status", answers.campaigns),
};

/** The route of a path: itself, or the one with an id in its second place. */
function routeOf(method: string, path: string): Route {
  const parts = path.split("/").filter(Boolean);
  const pattern = parts.map((part, at) => at === 1 ? "*" : part);
  return ROUTES[`${method} /${parts.join("/")}`] ?? ROUTES[`${method} /${pattern.join("/")}`] ??
    fails(404, `Cannot ${method} ${path}`);
}

/**
 * Answers the vendor's requests of one location, under any number of names: each token `pit-<location>` reaches one, whose
 * id begins with the world's. What a request had wrong stands in `faults`.
 */
export function crmServer(world: CrmTruth): { fetch: typeof fetch; faults: string[]; asked: string[] } {
  const [faults, sent]: string[][] = [[], []];
  const answer = async (request: Request, location: string): Promise<unknown> => {
    const { pathname: path, searchParams: query } = new URL(request.url);
    sent!.push(`${request.method} ${path}`);
    const route = routeOf(request.method, path);
    if (!location.startsWith(world.id)) fails(401, "Invalid Private Integration token");
    const names = route.knows.split(" ");
    const missing = names.find((name) => name.endsWith("!") && !query.has(name.slice(0, -1)));
    if (missing) fails(422, [`${missing} should not be empty`]);
    const known = names.map((name) => name.replace("!", ""));
    const unknown = [...query.keys()].find((name) => !known.includes(name));
    if (unknown) fails(422, [`property ${unknown} should not exist`]);
    if (request.headers.get("version") !== (route.version ?? "2021-07-28")) {
      fails(400, "version header is invalid");
    }
    if (!request.headers.get("user-agent")) fails(403, "error code: 1010");
    const body = request.method === "POST" ? await request.json() as Ask["body"] : {};
    const named = [query.get("locationId"), query.get("location_id"), query.get("altId"), body["locationId"]];
    const own = path.startsWith("/locations/") ? [path.split("/")[2]] : [];
    if ([...named, ...own].some((id) => typeof id === "string" && id !== location)) {
      fails(403, "The token does not have access to this location.");
    }
    if (world.ways.lacks.includes(route.scope)) fails(401, "The token is not authorized for this scope."); // [#217]
    return route.answer({ path, query, body }, world);
  };
  const answered: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const location = (request.headers.get("authorization") ?? "").replace("Bearer pit-", "");
    const told = (status: number, value: unknown) =>
      new Response(JSON.stringify(value).replaceAll(world.id, location), {
        status,
        headers: { "content-type": "application/json", "x-ratelimit-remaining": "99" },
      });
    try {
      return told(200, await answer(request, location));
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused;
      if (Array.isArray(refused.message)) {
        faults!.push(`${request.method} ${request.url}: ${refused.message}`);
      }
      return told(refused.status, { statusCode: refused.status, message: refused.message, traceId: "t" });
    }
  };
  return { fetch: answered, faults: faults!, asked: sent! };
}
