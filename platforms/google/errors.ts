/** What a refusal of a Google service is turned into: the gateway's code, and one sentence with the next step. */
import { counted } from "../../core/one_line.ts";
import { z } from "zod";
import { LIMITS } from "../../core/model.ts";
import { GatewayError } from "../../core/errors.ts";
import { isFields } from "../../core/values.ts";
import { excerptOf } from "../_content/excerpt.ts";
import type { Incoming, Outgoing } from "../_http/request.ts";
import { connectCommand } from "./links.ts";
import type { Service } from "./services.ts";

const text = z.string().nullish().catch(null);
/** One of the errors in a failure of Google Ads: the kind of code, and the code. */
const ADS_ERROR = z.object({
  errorCode: z.record(z.string(), z.unknown()).nullish().catch(null),
  message: text,
});
const DETAIL = z.object({ reason: text, errors: z.array(ADS_ERROR).nullish().catch(null) });
const REFUSAL = z.object({
  error: z.object({
    message: text,
    status: text,
    errors: z.array(z.object({ reason: text })).nullish().catch(null),
    details: z.array(DETAIL).nullish().catch(null),
  }),
});

/** What a service says of why it refused. */
interface Reasons {
  /** Its words for it, the most particular first. */
  readonly reasons: readonly string[];
  readonly message: string;
}

const BUSY = new Set([
  "rateLimitExceeded",
  "userRateLimitExceeded",
  "quotaExceeded",
  "RATE_LIMIT_EXCEEDED",
  "RESOURCE_EXHAUSTED",
]);
const NO_SCOPE = new Set(["ACCESS_TOKEN_SCOPE_INSUFFICIENT", "insufficientPermissions"]);
/** Ads: the Cloud project may ask for test accounts alone. */
const NO_LEVEL = new Set(["CLOUD_PROJECT_NOT_APPROVED_FOR_PRODUCTION"]);
const NO_SERVICE = new Set(["SERVICE_DISABLED", "accessNotConfigured"]);

function reasonsOf(answer: Incoming): Reasons {
  const body = answer.json();
  const { data } = REFUSAL.safeParse(Array.isArray(body) ? body[0] : body);
  if (data === undefined) return { reasons: [], message: body === undefined ? "" : answer.text() };
  const { message, status, errors, details } = data.error;
  const failed = details?.flatMap((one) => one.errors ?? []) ?? [];
  const codes = failed.flatMap(({ errorCode }) => Object.values(errorCode ?? {})).map(String);
  const reasons = [
    ...codes,
    status,
    ...details?.map(({ reason }) => reason) ?? [],
    ...errors?.map(({ reason }) => reason) ?? [],
  ];
  return {
    reasons: reasons.filter((one) => typeof one === "string" && /^\w{1,64}$/.test(one)) as string[],
    message: failed.map((one) => one.message).find((one) => one) ?? message ?? "",
  };
}

/**
 * What went wrong, where an answer that began as a success has an error in it, as a stream has that breaks off between two
 * batches; null where it has none.
 */
export function errorWithin(json: unknown): string | null {
  const parts: readonly unknown[] = Array.isArray(json) ? json : [json];
  const broken = parts.find((one) => isFields(one) && isFields(one["error"]));
  if (broken === undefined) return null;
  const { status, message } = (broken as { error: { status?: unknown; message?: unknown } }).error;
  return [status, message].filter((one) => typeof one === "string").join(": ") ||
    "no reason that can be read";
}

/** Whether a refusal names one of those reasons. */
const names = ({ reasons }: Reasons, known: ReadonlySet<string>) => reasons.some((one) => known.has(one));

/** Whether it was refused for being asked too much, with a status that does not say so. */
export const isOverQuota = (answer: Incoming): boolean =>
  answer.status === 403 && names(reasonsOf(answer), BUSY);

/** Whether an answer refuses for that reason. */
export const refusesFor = (answer: Incoming, reason: string): boolean =>
  reasonsOf(answer).reasons.includes(reason);

/** A wait in words. */
function waitOf(seconds: number): string {
  if (seconds < 120) return counted(seconds, "second");
  return seconds < 7200 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3600)} hours`;
}

/** Whole seconds that an answer asks to wait, given as seconds or as a date; null where it does not say. */
function retryAfter(answer: Incoming, now: number): number | null {
  const given = answer.headers.get("retry-after")?.trim() ?? "";
  const seconds = /^\d{1,9}$/.test(given)
    ? Number(given)
    : Math.max(1, Math.ceil((Date.parse(given) - now) / 1000));
  return Number.isNaN(seconds) ? null : Math.min(seconds, LIMITS.RETRY_AFTER_SECONDS);
}

/** The error of an answer that is no success; what it says is shown without the secrets. */
export function refusal(
  service: Service,
  { answer, out, secrets, now, user_id }: {
    readonly answer: Incoming;
    readonly out: Outgoing;
    readonly secrets: readonly string[];
    readonly now: number;
    /** Whose connection was used. */
    readonly user_id: string;
  },
): GatewayError {
  const why = reasonsOf(answer);
  const { status } = answer;
  if (status === 401 || status === 403 && names(why, NO_SCOPE)) {
    return unusable(service, user_id, "does not permit it any more");
  }
  const wait = status === 429 || status === 503 || names(why, BUSY) ? retryAfter(answer, now) : null;
  const inDoubt = out.effect === "write" && (status >= 500 || status === 408);
  const next = inDoubt ? "" : `; ${nextStep(service, status, why, wait)}`;
  return new GatewayError("E_UPSTREAM", `${service.name} answered ${status}${next}`, {
    ...{ upstream: status, inDoubt },
    ...excerptOf([...why.reasons.slice(0, 1), why.message].filter((one) => one !== "").join(": "), secrets),
    ...(wait !== null && wait > 0 ? { retryAfter: wait } : {}),
  });
}

function nextStep(
  service: Service,
  status: number,
  why: Reasons,
  wait: number | null,
): string {
  if (status === 429 || names(why, BUSY)) {
    return `its quota is used up: try again ${wait === null ? "later" : `in ${waitOf(wait)}`}`;
  }
  if (names(why, NO_SERVICE)) {
    return "the gateway's operator enables this API in the Google Cloud project of the OAuth client";
  }
  if (names(why, NO_LEVEL)) {
    return "the gateway's operator applies for a higher access level of the OAuth client's Cloud project, on its " +
      "Google Ads API Overview page in the Google Cloud console";
  }
  if (status === 403 || status === 404) return service.access;
  if (status >= 500) return `try again ${wait === null ? "later" : `in ${waitOf(wait)}`}`;
  return "change what was asked for";
}

/** The refusal of a connection that cannot be used for a service. */
export function unusable(service: Service, user_id: string, why: string): GatewayError {
  return new GatewayError(
    service.unlinked,
    `${service.name} cannot be asked: the connected Google account ${why}; its operator makes the link to reconnect, ` +
      `with every permission left ticked, with ${connectCommand(user_id)}`,
  );
}

/** A success whose body is not what it should be; `what` names the first fault. */
export function unreadable(
  service: Service,
  out: Outgoing,
  what: string,
  said: { readonly excerpt?: string } = {},
): GatewayError {
  const wrote = out.effect === "write";
  const next = wrote ? "" : "; try again later";
  return new GatewayError(
    "E_UPSTREAM",
    `${service.name} gave an answer that cannot be read: ${what}${next}`,
    {
      upstream: 502,
      ...said,
      ...(wrote ? { outcome: "unknown", inDoubt: true } : {}),
    },
  );
}

/** An answer that is about something else than was asked for. */
export function foreign(service: Service, what: string): GatewayError {
  return new GatewayError(
    "E_UPSTREAM",
    `${service.name} answered for ${what}, so its answer is not handed on`,
    {
      upstream: 502,
    },
  );
}
