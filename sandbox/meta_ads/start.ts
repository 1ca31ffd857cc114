/** A stand-in for Meta's Graph API: ad accounts that are really filtered, paged and summed, and the way to connect. */
import type { CommonFault } from "../core/faults.ts";
import type { RecordedRequest } from "../core/recorder.ts";
import { type Service, startService } from "../core/service.ts";
import type { StandInOptions } from "../core/vendor.ts";
import { answerTo, type MetaState, VERSION } from "./api.ts";
import { Refusal, refused } from "./answers.ts";
import { Consents } from "./oauth.ts";
import { OWN, seeded, type World } from "./world.ts";

export { EMPTY, FOREIGN, OWN, seeded, SIBLING, type World } from "./world.ts";

const SCOPES = ["public_profile", "ads_read"];
const LIFE_MS = 60 * 24 * 60 * 60_000;

/** The faults every stand-in knows, and Meta's own. */
export type MetaFault =
  | CommonFault
  /** An error of the Graph API. */
  | {
    readonly kind: "graph";
    readonly code: number;
    readonly subcode?: number;
    readonly status?: number;
    readonly message?: string;
    readonly transient?: boolean;
    readonly headers?: Readonly<Record<string, string>>;
  };

/** How the stand-in is set up. */
export interface MetaOptions extends StandInOptions {
  /** Default: a seeded one, around the stand-in's clock. */
  readonly world?: World;
}

/** A running stand-in. */
export interface MetaStandIn extends Service<RecordedRequest, MetaFault> {
  /** The client's ad account, as act_ and its number. */
  readonly ad_account: string;
  /** What it holds and how it behaves; a test may change it. */
  readonly state: MetaState;
  /** The settings that lead to it. */
  readonly env: Readonly<Record<string, string>>;
  /** A token of the first person's for that long, as if they had connected. */
  token(life_ms?: number): string;
  /** What such a connection is kept as. */
  grant(): {
    readonly account: string;
    readonly account_id: string;
    readonly access_token: string;
    readonly expires_in: number;
    readonly scopes: readonly string[];
  };
}

function replace(fault: MetaFault): Response | undefined {
  if (fault.kind !== "graph") return undefined;
  const { code, subcode, status, message = "An error of the stand-in", transient, headers = {} } = fault;
  const answer = refused(new Refusal(code, message, { subcode, status, transient } as Refusal["more"]));
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
  return answer;
}

/** The headers that every answer has: the version, and how much of the limits is used. */
function dress({ usage }: MetaState, answer: Response, url: URL): void {
  answer.headers.set("facebook-api-version", VERSION);
  if (!answer.headers.has("x-app-usage")) {
    answer.headers.set("x-app-usage", JSON.stringify({ call_count: 1, total_cputime: 0, total_time: 1 }));
  }
  const [, id, below] = /\/act_(\d+)(?:\/(\w+))?$/.exec(url.pathname) ?? [];
  if (id === undefined || answer.headers.has("x-business-use-case-usage")) return;
  const type = below === "insights" ? "ads_insights" : "ads_management";
  const { percent, minutes } = usage[type];
  const entry = {
    ...{ type, call_count: percent, total_cputime: 1, total_time: 1 },
    estimated_time_to_regain_access: minutes,
    ads_api_access_tier: "standard_access",
  };
  answer.headers.set("x-business-use-case-usage", JSON.stringify({ [id]: [entry] }));
}

/** Starts it on a free port of 127.0.0.1; a few milliseconds, nothing on disk. */
export function startMeta(options: MetaOptions = {}): MetaStandIn {
  const world = options.world ?? seeded((options.now ?? Date.now)());
  const now = (): number => running.clock.now();
  const consents = new Consents(world, now);
  const state: MetaState = {
    world,
    consents,
    proof_demanded: true,
    version_over: false,
    opted_in: true,
    rows_max: Infinity,
    usage: { ads_insights: { percent: 3, minutes: 0 }, ads_management: { percent: 2, minutes: 0 } },
  };
  const running = startService<RecordedRequest, MetaFault>(options, {
    handle: ({ request, url }) => answerTo(state, request, url, now()),
    replace,
    busy: () =>
      refused(new Refusal(4, "Application request limit reached", { status: 400, transient: true })),
    page: (status = 502) =>
      new Response("<!DOCTYPE html><title>Sorry, something went wrong.</title>", {
        status,
        headers: { "content-type": "text/html; charset=utf-8" },
      }),
    records_answers: true,
    dress: (answer, { url }) => dress(state, answer, url),
  });
  const base = `${running.base_url}/${VERSION}`;
  const [person] = world.people as [World["people"][number]];
  const token = (life_ms = LIFE_MS) => consents.issue(person, SCOPES, life_ms);
  return Object.assign(running, {
    ad_account: `act_${OWN}`,
    state,
    env: {
      SOCIAL_ADS_API_BASE: base,
      SOCIAL_ADS_DIALOG_URL: `${base}/dialog/oauth`,
      SOCIAL_ADS_APP_ID: world.app.id,
      SOCIAL_ADS_APP_SECRET: world.app.secret,
    },
    token,
    grant: () => ({
      account: person.name,
      account_id: person.id,
      access_token: token(),
      expires_in: LIFE_MS / 1000,
      scopes: SCOPES,
    }),
  });
}
