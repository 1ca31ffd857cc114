/** The Graph API's routes below the version: who may ask, and what is answered. */
import { json } from "../core/answers.ts";
import { only, paged, Refusal, refused } from "./answers.ts";
import { needsOptIn } from "./breakdowns.ts";
import { report } from "./insights.ts";
import { edge, view } from "./lists.ts";
import type { Consents, Token } from "./oauth.ts";
import type { Account, World } from "./world.ts";

export const VERSION = "v26.0";

/** What the API remembers, and how it behaves. */
export interface MetaState {
  world: World;
  readonly consents: Consents;
  /** Whether the app's settings demand a proof with each call. */
  proof_demanded: boolean;
  /** Whether the version is over. */
  version_over: boolean;
  /** Whether the ad accounts have opted in to the breakdowns that Meta answers nothing for otherwise. */
  opted_in: boolean;
  /** More rows than that are too much at once. */
  rows_max: number;
  /** Percent of the hour's quota that is used, and minutes to wait, by what a request counts as. */
  readonly usage: Record<"ads_insights" | "ads_management", { percent: number; minutes: number }>;
}

const LISTS = { usual: 25, most: 500 };
const REPORTS = { usual: 25, most: 1000 };
const EDGES = ["campaigns", "adsets", "ads"] as const;

/** Answers one request. */
export function answerTo(state: MetaState, request: Request, url: URL, now: number): Response {
  try {
    return answered(state, request, url, now);
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return refused(thrown);
  }
}

function answered(state: MetaState, { method, headers }: Request, url: URL, now: number): Response {
  const { consents } = state;
  const query = url.searchParams;
  const path = url.pathname.startsWith(`/${VERSION}/`) ? url.pathname.slice(VERSION.length + 1) : "";
  if (path === "" || method !== "GET") {
    throw new Refusal(2500, `Unknown path components: ${url.pathname}`);
  }
  if (path === "/dialog/oauth") return consents.dialog(query);
  if (state.version_over) {
    throw new Refusal(
      2635,
      "You are calling a deprecated version of the Ads API. Please update to the latest version",
    );
  }
  if (path === "/oauth/access_token") return consents.exchange(query);
  const bearer = /^Bearer (\S+)$/.exec(headers.get("authorization") ?? "")?.[1] ?? null;
  if (path === "/debug_token") return consents.debug(query, bearer);
  const text = query.get("access_token") ?? bearer;
  if (text === null) {
    throw new Refusal(
      2500,
      "An active access token must be used to query information about the current user.",
    );
  }
  const token = consents.valid(text);
  consents.proven(text, query.get("appsecret_proof"), state.proof_demanded);
  if (path === "/me") return me(token, query);
  if (!token.scopes.includes("ads_read")) {
    throw new Refusal(200, "Requires ads_read permission to manage the object");
  }
  if (path === "/me/adaccounts") return accounts(state, token, url, text);
  return ofAccount(state, token, path, url, text, now);
}

function me({ person: { id, name } }: Token, query: URLSearchParams): Response {
  only(query, ["fields", "appsecret_proof", "access_token"]);
  return json((query.get("fields") ?? "").split(",").includes("name") ? { id, name } : { id });
}

function accounts({ world }: MetaState, { person }: Token, url: URL, text: string): Response {
  only(url.searchParams, ["fields", "limit", "after", "appsecret_proof", "access_token"]);
  const seen = world.accounts.filter(({ id }) => person.accounts.has(id));
  const rows = seen.map((one) => view(accountNode(one), "account", url.searchParams.get("fields")));
  return json(paged(rows, url, text, LISTS));
}

/** An account as Meta writes it: its id with act_, amounts as text. */
function accountNode({ id, amount_spent, spend_cap, balance, ...rest }: Account): object {
  const amounts = { amount_spent, spend_cap, balance };
  const texts = Object.fromEntries(Object.entries(amounts).map(([name, value]) => [name, String(value)]));
  return { id: `act_${id}`, account_id: id, ...rest, ...texts };
}

function ofAccount(
  state: MetaState,
  { person }: Token,
  path: string,
  url: URL,
  text: string,
  now: number,
): Response {
  const [, id, below = ""] = /^\/act_(\d+)(?:\/([a-z]+))?$/.exec(path) ?? [];
  const { world } = state;
  const account = world.accounts.find((one) => one.id === id);
  if (account === undefined) {
    throw new Refusal(
      100,
      `Unsupported get request. Object with ID '${
        path.slice(1)
      }' does not exist, cannot be loaded due to missing ` +
        "permissions, or does not support this operation",
      { subcode: 33 },
    );
  }
  if (!person.accounts.has(account.id)) {
    throw new Refusal(200, "Ad account owner has NOT grant ads_management or ads_read permission", {
      status: 403,
    });
  }
  const query = url.searchParams;
  if (below === "") {
    only(query, ["fields", "appsecret_proof", "access_token"]);
    return json(view(accountNode(account), "account", query.get("fields")));
  }
  const name = EDGES.find((one) => one === below);
  if (name === undefined && below !== "insights") {
    throw new Refusal(2500, `Unknown path components: /${below}`);
  }
  const rows = name !== undefined
    ? edge(world, account.id, name, query)
    : !state.opted_in && needsOptIn(query)
    ? []
    : report(world, account, query, now);
  const page = paged(rows, url, text, name === undefined ? REPORTS : LISTS) as { data: unknown[] };
  if (page.data.length > state.rows_max) {
    throw new Refusal(1, "Please reduce the amount of data you're asking for, then retry your request", {
      subcode: 99,
      status: 500,
    });
  }
  return json(page);
}
