/** The CRM's routes: who may ask, with which version, and what is answered. */
import { json } from "../core/answers.ts";
import { contacts } from "./contacts.ts";
import * as lists from "./lists.ts";
import { Refusal, type Unruly } from "./lists.ts";
import { searched } from "./opportunity_search.ts";
import type { World } from "./world.ts";

/** What the API remembers. */
export interface CrmState {
  readonly token: string;
  world: World;
  /** Permissions that the token has not. */
  readonly lacking: Set<string>;
  unruly: Unruly;
  /** Whether the location is there no more. */
  deleted: boolean;
}

type Query = Readonly<Record<string, string>>;
interface Asked {
  readonly world: World;
  readonly query: Query;
  readonly body: Readonly<Record<string, unknown>>;
  readonly id: string;
  readonly unruly: Unruly;
}
type Answer = (asked: Asked) => unknown;

const [OLDER, USUAL] = ["2021-04-15", "2021-07-28"];
const wholly = (name: string, list: (asked: Asked) => unknown): Answer => (asked) => ({
  [name]: list(asked),
});

/** Method and path, permission, version, where the location stands, answer. */
const ROUTES: readonly [RegExp, string, string, string | null, Answer][] = [
  [
    /^GET \/forms\/submissions$/,
    "forms.readonly",
    USUAL!,
    "locationId",
    ({ world, query, unruly }) => lists.submissions(world, query, unruly),
  ],
  [/^GET \/funnels\/funnel\/list$/, "funnels/funnel.readonly", "", "locationId", ({ world, query }) => {
    const [offset, limit] = [Number(query["offset"] ?? 0), Number(query["limit"] ?? 20)];
    return {
      funnels: world.funnels.slice(offset, offset + limit),
      count: world.funnels.length,
      traceId: "trace",
    };
  }],
  [/^GET \/funnels\/page$/, "funnels/page.readonly", "", "locationId", ({ world, query }) => {
    const [offset, limit] = [lists.number(query, "offset", -1, 1e6), lists.number(query, "limit", -1, 20, 1)];
    return world.pages.filter(({ funnelId }) => funnelId === query["funnelId"]).slice(offset, offset + limit);
  }],
  [
    /^GET \/workflows\/$/,
    "workflows.readonly",
    USUAL!,
    "locationId",
    wholly("workflows", ({ world }) => world.workflows),
  ],
  [/^GET \/workflows\/([\w-]+)\/executions$/, "workflows.readonly", USUAL!, "locationId", ({ world, id }) => {
    if (world.executions === undefined) throw new Refusal(404, `Cannot GET /workflows/${id}/executions`);
    const executions = world.executions[id] ?? [];
    return { executions, total: executions.length };
  }],
  [
    /^GET \/campaigns\/$/,
    "campaigns.readonly",
    USUAL!,
    "locationId",
    wholly(
      "campaigns",
      ({ world, query }) =>
        world.campaigns.filter(({ status }) => query["status"] === undefined || status === query["status"]),
    ),
  ],
  [
    /^GET \/opportunities\/pipelines$/,
    "opportunities.readonly",
    USUAL!,
    "locationId",
    wholly("pipelines", ({ world }) => world.pipelines),
  ],
  [
    /^GET \/opportunities\/search$/,
    "opportunities.readonly",
    USUAL!,
    "location_id",
    ({ world, query, unruly }) => lists.opportunities(world, query, unruly),
  ],
  [
    /^POST \/opportunities\/search$/,
    "opportunities.readonly",
    USUAL!,
    "locationId",
    ({ world, body, unruly }) => searched(world, body, unruly),
  ],
  [
    /^GET \/calendars\/$/,
    "calendars.readonly",
    OLDER!,
    "locationId",
    wholly("calendars", ({ world }) => world.calendars),
  ],
  [
    /^GET \/calendars\/events$/,
    "calendars/events.readonly",
    OLDER!,
    "locationId",
    ({ world, query, unruly }) => lists.events(world, query, unruly),
  ],
  [
    /^GET \/conversations\/search$/,
    "conversations.readonly",
    OLDER!,
    "locationId",
    ({ world, query, unruly }) => lists.conversations(world, query, unruly),
  ],
  [
    /^GET \/conversations\/messages\/export$/,
    "conversations/message.readonly",
    OLDER!,
    "locationId",
    ({ world, query, unruly }) => lists.exported(world, query, unruly),
  ],
  [
    /^GET \/conversations\/([\w-]+)\/messages$/,
    "conversations/message.readonly",
    OLDER!,
    null,
    ({ world, query, id, unruly }) => lists.messages(world, id, query, unruly),
  ],
  [
    /^POST \/contacts\/search$/,
    "contacts.readonly",
    USUAL!,
    "locationId",
    ({ world, body, unruly }) => contacts(world, body, unruly),
  ],
  [
    /^GET \/locations\/([\w-]+)$/,
    "locations.readonly",
    USUAL!,
    "path",
    ({ world }) => ({ location: world.location }),
  ],
  [
    /^GET \/locations\/([\w-]+)\/tags$/,
    "locations/tags.readonly",
    USUAL!,
    "path",
    wholly("tags", ({ world }) => world.tags),
  ],
  [
    /^GET \/locations\/([\w-]+)\/customFields$/,
    "locations/customFields.readonly",
    USUAL!,
    "path",
    wholly("customFields", ({ world }) => world.customFields),
  ],
  [
    /^GET \/invoices\/$/,
    "invoices.readonly",
    USUAL!,
    "altId",
    ({ world, query, unruly }) => lists.invoices(world, query, unruly),
  ],
  [
    /^GET \/payments\/transactions$/,
    "payments/transactions.readonly",
    USUAL!,
    "altId",
    ({ world, query, unruly }) => lists.transactions(world, query, unruly),
  ],
];

/** The refusal of one request too many. */
export const tooMany = (): Response => json({ statusCode: 429, message: "Too Many Requests" }, 429);

/** Answers one request. */
export function answerTo(state: CrmState, request: Request, url: URL, bytes: Uint8Array): Response {
  try {
    return json(answered(state, request, url, bytes));
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    const { status, words } = thrown;
    return json({
      statusCode: status,
      message: words,
      ...(status === 422 ? { error: "Unprocessable Entity" } : {}),
    }, status);
  }
}

function answered(state: CrmState, { method, headers }: Request, url: URL, bytes: Uint8Array): unknown {
  if (!headers.get("user-agent")) throw new Refusal(403, "error code: 1010");
  if (headers.get("authorization") !== `Bearer ${state.token}`) {
    throw new Refusal(401, "Invalid Private Integration token");
  }
  const at = `${method} ${url.pathname}`;
  const found = ROUTES.find(([pattern]) => pattern.test(at));
  if (!found) throw new Refusal(404, `Cannot ${at}`);
  const [pattern, permission, version, place, answer] = found;
  if (version !== "" && headers.get("version") !== version) {
    throw new Refusal(401, "version header is invalid");
  }
  if (state.lacking.has(permission)) throw new Refusal(401, "The token is not authorized for this scope.");
  const query: Query = Object.fromEntries(url.searchParams);
  const body = bytes.length === 0 ? {} : JSON.parse(new TextDecoder().decode(bytes));
  const id = pattern.exec(at)?.[1] ?? "";
  const location = place === null
    ? state.world.location.id
    : place === "path"
    ? id
    : query[place] ?? body[place];
  if (location === undefined) throw new Refusal(422, [`${place} should not be empty`]);
  if (location !== state.world.location.id) {
    throw new Refusal(403, "The token does not have access to this location.");
  }
  if (state.deleted) throw new Refusal(400, `Location with id ${location} not found`);
  return answer({ world: state.world, query, body, id, unruly: state.unruly });
}
