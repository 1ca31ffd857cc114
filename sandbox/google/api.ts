/** The routes of the five services: who may ask, with which scope, and what is answered. */
import { json } from "../core/answers.ts";
import type { Call } from "../core/vendor.ts";
import { accessibleCustomers, accountSummaries, searchSites } from "./accounts.ts";
import { searchStream } from "./ads.ts";
import { runReport } from "./analytics.ts";
import * as drive from "./drive.ts";
import { makeFolder, upload } from "./drive_write.ts";
import { Refusal, type Strict } from "./refusal.ts";
import { searchQuery } from "./search_console.ts";
import { valuesOf } from "./sheets.ts";
import type { Holder, World } from "./world.ts";

/** What the services remember, and who may ask. */
export interface GoogleState {
  world: World;
  readonly strict: Strict;
  /** Whoever holds that access token; null where nobody does, or not any more. */
  holderOf(access_token: string): Holder | null;
  now(): number;
  /** How many rows a batch of a stream of ads has. */
  batch: number;
  /** How many accounts a page of their summaries has at most, however many are asked for. */
  accountsPerPage: number;
  /** Whether Google Ads still takes a developer token, which it ignores, or refuses it as a later version will. */
  developerToken: boolean;
}

interface Asked extends Call {
  readonly state: GoogleState;
  readonly holder: Holder;
  readonly found: RegExpExecArray;
}
type Answer = (asked: Asked) => Response | Promise<Response>;

const SCOPES = "https://www.googleapis.com/auth/";
const PLAIN = [
  "authorization",
  "content-type",
  "content-length",
  "accept",
  "user-agent",
  "host",
  "connection",
];
const COMMON = [...PLAIN, "accept-encoding", "accept-language", "transfer-encoding"];

const driveCall = ({ state, holder, url, request, bytes }: Asked): drive.DriveCall => ({
  world: state.world,
  strict: state.strict,
  holder,
  params: url.searchParams,
  headers: request.headers,
  bytes,
  now: state.now(),
});
const bodyOf = ({ state, bytes }: Asked) => state.strict.body(bytes);

/** Method and path, scope, further headers, whether a query may stand there, answer. */
const ROUTES: readonly [RegExp, string, readonly string[], Answer][] = [
  [/^POST \/analytics\/v1beta\/properties\/(\d+):runReport$/, "analytics.readonly", [], (asked) => {
    const { state, holder, found } = asked;
    return json(runReport(state.world, state.strict, holder, found[1]!, bodyOf(asked)));
  }],
  [/^POST \/search\/v3\/sites\/([^/]+)\/searchAnalytics\/query$/, "webmasters.readonly", [], (asked) => {
    const { state, holder, found } = asked;
    const more = { site: decodeURIComponent(found[1]!), body: bodyOf(asked), now: state.now() };
    return json(searchQuery(state.world, state.strict, holder, more));
  }],
  [/^GET \/analyticsadmin\/v1beta\/accountSummaries$/, "analytics.readonly", [], (asked) => {
    const { state, holder, url } = asked;
    const { pageSize = "50", pageToken } = state.strict.query(
      url.searchParams,
      ["pageSize", "pageToken"],
      "accountSummaries",
    );
    const most = Math.min(Number(pageSize), 200, state.accountsPerPage);
    return json(accountSummaries(state.world, holder, most, pageToken));
  }],
  [/^GET \/search\/v3\/sites$/, "webmasters.readonly", [], ({ state, holder }) => {
    return json(searchSites(state.world, holder));
  }],
  [/^GET \/ads\/v26\/customers:listAccessibleCustomers$/, "adwords", ["developer-token"], (asked) => {
    return json(accessibleCustomers(asked.state.world, asked.holder));
  }],
  [/^GET \/sheets\/v4\/spreadsheets\/([^/]+)\/values\/([^/]+)$/, "spreadsheets.readonly", [], (asked) => {
    const { state, holder, found, url } = asked;
    const [, id = "", range = ""] = found.map((part) => decodeURIComponent(part));
    return json(valuesOf(state.world, state.strict, holder, { id, range, params: url.searchParams }));
  }],
  [
    /^POST \/ads\/v26\/customers\/(\d+)\/googleAds:searchStream$/,
    "adwords",
    ["login-customer-id", "developer-token"],
    (asked) => {
      const { state, holder, found, request: { headers } } = asked;
      if (!state.developerToken && headers.has("developer-token")) {
        state.strict.breach("developer-token is no header");
      }
      const more = { id: found[1]!, body: bodyOf(asked), headers, now: state.now(), batch: state.batch };
      return json(searchStream(state.world, state.strict, holder, more));
    },
  ],
  [/^GET \/drive\/v3\/files$/, "drive.file", [], (asked) => drive.list(driveCall(asked))],
  [/^POST \/drive\/v3\/files$/, "drive.file", [], (asked) => makeFolder(driveCall(asked))],
  [
    /^GET \/drive\/v3\/files\/([\w-]+)$/,
    "drive.file",
    ["range"],
    (asked) => drive.get(driveCall(asked), asked.found[1]!),
  ],
  [
    /^GET \/drive\/v3\/files\/([\w-]+)\/export$/,
    "drive.file",
    [],
    (asked) => drive.exported(driveCall(asked), asked.found[1]!),
  ],
  [/^POST \/upload\/drive\/v3\/files$/, "drive.file", [], (asked) => upload(driveCall(asked))],
];
const NO_QUERY = /^(POST|GET) \/(analytics|search|ads)\//;

/** Answers one request. */
export async function answerTo(state: GoogleState, call: Call): Promise<Response> {
  const ads = call.url.pathname.endsWith(":searchStream");
  try {
    return await answered(state, call);
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown.answer(ads);
    throw thrown;
  }
}

async function answered(state: GoogleState, call: Call): Promise<Response> {
  const { request, url } = call;
  const at = `${request.method} ${url.pathname}`;
  for (const [pattern, scope, headers, answer] of ROUTES) {
    const found = pattern.exec(at);
    if (!found) continue;
    const other = [...request.headers.keys()].find((name) => ![...COMMON, ...headers].includes(name));
    if (other !== undefined) state.strict.breach(`the header "${other}" at ${at}`);
    if (NO_QUERY.test(at) && url.search !== "") state.strict.breach(`a query at ${at}`);
    const holder = state.holderOf(
      /^Bearer (\S+)$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? "",
    );
    if (holder === null) {
      throw new Refusal(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.", {
        reason: "authError",
      });
    }
    if (!holder.scopes.includes(SCOPES + scope)) {
      throw new Refusal(403, "PERMISSION_DENIED", "Request had insufficient authentication scopes.", {
        details: [{
          "@type": "type.googleapis.com/google.rpc.ErrorInfo",
          reason: "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
          domain: "googleapis.com",
        }],
      });
    }
    return await answer({ ...call, state, holder, found });
  }
  return state.strict.breach(`there is no ${at}`);
}
