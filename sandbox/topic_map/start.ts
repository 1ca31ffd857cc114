/** A stand-in for the topic-planning service: all routes of its contract, runs that come on by a clock, one write a key. */
import { json } from "../core/answers.ts";
import type { CommonFault } from "../core/faults.ts";
import type { RecordedRequest } from "../core/recorder.ts";
import { type Service, startService } from "../core/service.ts";
import type { StandInOptions } from "../core/vendor.ts";
import { tooMany } from "./answers.ts";
import { topicMapApi } from "./api.ts";
import type { Ending, Kind } from "./runs.ts";
import { seed } from "./seed.ts";
import type { TopicMapState } from "./state.ts";

export { type Ending, endOf, type Kind, QUEUE_S, STEP_S, STEPS } from "./runs.ts";
export { MAP_ID, mapOf, OTHER_WORKSPACE_ID, WORKSPACE_ID } from "./seed.ts";
export type { RecordedRequest } from "../core/recorder.ts";

/** The faults every stand-in knows, and those of this contract's own. */
export type TopicMapFault =
  | CommonFault
  /** A refusal of the contract. */
  | {
    readonly kind: "refused";
    readonly status: number;
    readonly code: string;
    readonly message?: string;
    readonly current_status?: string;
  };

/** A running stand-in. Its address is what TOPICMAP_BASE_URL is set to. */
export interface TopicMapStandIn extends Service<RecordedRequest, TopicMapFault> {
  readonly bot_token: string;
  /** What it remembers, to be changed as a person does in the application. */
  readonly state: TopicMapState;
  /** The settings that lead to it. */
  readonly env: Readonly<Record<string, string>>;
  /** The next run of that kind ends so. */
  next(kind: Kind, ending: Ending): void;
}

function replace(fault: TopicMapFault): Response | undefined {
  if (fault.kind !== "refused") return undefined;
  const { kind: _, status, message = "Refused", ...error } = fault;
  return json({ error: { message, ...error } }, status);
}

/** Starts a stand-in on a free port of 127.0.0.1; a few milliseconds, nothing on disk. */
export function startTopicMap(options: StandInOptions = {}): TopicMapStandIn {
  const bot_token = `bot-${crypto.randomUUID()}`;
  const service = startService<RecordedRequest, TopicMapFault>(options, {
    handle: (call) => app.fetch(call.request, { call }),
    replace,
    busy: tooMany,
    records_answers: true,
  });
  const state = seed(bot_token, service.clock.now);
  const app = topicMapApi(state);
  return Object.assign(service, {
    bot_token,
    state,
    env: { TOPICMAP_BASE_URL: service.base_url, TOPICMAP_BOT_TOKEN: bot_token },
    next: (kind: Kind, ending: Ending) => void state.endings[kind].push(ending),
  });
}
