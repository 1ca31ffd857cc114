/** /oauth/authorize: a person is asked what a client may do, and the answer goes back to the client. */
import { hash, timingSafeEqual } from "node:crypto";
import type { Context, Hono } from "hono";
import type { AuthorizationRequest } from "../identity/oauth/authorization.ts";
import { type Authorizing, fingerprintOf, shownClient } from "../identity/oauth/authorizing.ts";
import { choiceIn, firstChoice, missingOf } from "../identity/oauth/choice.ts";
import { OAUTH_LIMITS } from "../core/model.ts";
import { foreignOrigin, isOwnOrigin } from "../identity/origin.ts";
import { leadTo } from "./respond.tsx";
import { callerOfPerson } from "../identity/rights.ts";
import { CSRF_FIELD } from "../identity/visitors.ts";
import { readText } from "../core/body.ts";
import type { OAuthParts, SignedIn } from "../identity/oauth/parts.ts";
import { SCOPE_SITES_MAX } from "../admin/bodies.ts";
import { endedPage, withoutSecrets } from "./admin/kept_form.tsx";
import { consentPage, type ConsentView, faultPage } from "./oauth_page.tsx";
import { isLookedAt, type Offered, picked, pickedIn } from "./site_picks.ts";
import type { Offer } from "../identity/oauth/choice.ts";

const PATH = "/oauth/authorize";
/** Said in the address of a form that is only to be shown again, as it was ticked before the session ended. */
const AGAIN = "again";

/** Adds the page and its form, which is sent to the very address that it was shown at. */
export function consentRoutes(app: Hono, parts: OAuthParts, authorizing: Authorizing): void {
  const person = (c: Context) => parts.signedIn(c.req.raw);

  app.get(PATH, async (c) => {
    const signedIn = await person(c);
    const met = await authorizing.meet(queryOf(c), signedIn?.user ?? null, false);
    if ("signIn" in met) return signIn(c);
    if ("fault" in met) return await faultPage(c, 400, met.fault.message);
    if ("to" in met) return leadTo(c, met.to);
    return await ask(parts, authorizing, c, met.request, signedIn!);
  });

  app.post(PATH, async (c) => {
    const signedIn = await person(c);
    const form = await sentForm(c, parts.baseUrl);
    if (typeof form === "string") return await faultPage(c, 403, form);
    if (signedIn === null) return await endedPage(c, withoutSecrets(form), `${addressOf(c)}&${AGAIN}=1`);
    // Shown again it grants nothing.
    const isAgain = queryOf(c).has(AGAIN);
    if (!isAgain && !isOfSession(form, signedIn.csrf)) return await faultPage(c, 403, STRANGE);
    // Read anew: what is granted is granted to what the client says of itself now.
    const met = await authorizing.meet(queryOf(c), signedIn.user, true);
    if ("fault" in met) return await faultPage(c, 400, met.fault.message);
    if ("to" in met) return leadTo(c, met.to);
    if ("signIn" in met) return signIn(c);
    return await answer(parts, authorizing, c, met.request, signedIn, form, isAgain);
  });

  app.onError(async (thrown, c) => {
    const requestId = parts.newId();
    parts.report(requestId, thrown);
    c.header("X-Request-Id", requestId);
    const why = `The gateway failed; its operator finds the cause under request id ${requestId}`;
    return await faultPage(c, 500, why);
  });
}

/** What of sites can be ticked; it is said of one that a person approves there in any case. */
const offeredIn = ({ sites, projects }: Offer): Offered => ({
  sites: sites.map(({ id, name, project_id, human }) => ({
    ...{ id, name, project_id },
    ...human && { note: "a person approves" },
  })),
  projects,
  most: SCOPE_SITES_MAX,
});

async function ask(
  parts: OAuthParts,
  authorizing: Authorizing,
  c: Context,
  request: AuthorizationRequest,
  { user, csrf }: SignedIn,
  again: Pick<ConsentView, "choice" | "picked" | "missing" | "problem"> & { status: number } | null = null,
): Promise<Response> {
  const offer = await authorizing.offerTo(user);
  const before = await authorizing.grantedPolicy(user, request.client.id);
  const first = firstChoice(offer, before);
  const view: ConsentView = {
    client: shownClient(request),
    email: user.email,
    visitor: { user, caller: callerOfPerson(user), session: null, csrf },
    offer,
    before,
    offered: offeredIn(offer),
    now: parts.now(),
    choice: first,
    picked: picked(first.sites),
    missing: {},
    problem: await authorizing.full(user),
    seen: fingerprintOf(request),
    action: addressOf(c),
    ...again,
  };
  return await consentPage(c, again?.status ?? 200, view);
}

async function answer(
  parts: OAuthParts,
  authorizing: Authorizing,
  c: Context,
  request: AuthorizationRequest,
  signedIn: SignedIn,
  form: URLSearchParams,
  isAgain: boolean,
): Promise<Response> {
  const isLook = isAgain || isLookedAt(form, "sites");
  if (!isLook && form.get("answer") === "deny") return leadTo(c, authorizing.deny(request));
  const offer = await authorizing.offerTo(signedIn.user);
  const offered = offeredIn(offer);
  const ticked = pickedIn(form, "sites", offered);
  const choice = choiceIn(form, ticked.chosen, offer);
  const sites = { ...ticked, chosen: choice.sites };
  const shown = { choice, picked: sites };
  if (isLook) {
    const full = await authorizing.full(signedIn.user);
    return await ask(parts, authorizing, c, request, signedIn, {
      ...shown,
      missing: {},
      problem: full,
      status: 200,
    });
  }
  const missing = missingOf(choice, offered.most);
  const problem = form.get("answer") !== "allow"
    ? "Choose Allow or Deny"
    : form.get("seen") !== fingerprintOf(request)
    ? "The client has changed what it says of itself meanwhile; look again before you allow it"
    : await authorizing.full(signedIn.user);
  if (problem !== null || Object.keys(missing).length > 0) {
    return await ask(parts, authorizing, c, request, signedIn, { ...shown, missing, problem, status: 422 });
  }
  return leadTo(c, await authorizing.grant(request, signedIn.user, choice));
}

/** The request itself, as an address of the gateway. */
function addressOf(c: Context): string {
  const { search, searchParams } = new URL(c.req.url);
  if (!searchParams.has(AGAIN)) return PATH + search;
  searchParams.delete(AGAIN);
  return `${PATH}?${searchParams}`;
}

/** Leads to where a person signs in, and from there back. */
const signIn = (c: Context) => leadTo(c, `/admin/sign-in?next=${encodeURIComponent(addressOf(c))}`);

const queryOf = (c: Context) => new URL(c.req.url).searchParams;

/** The fields of a form that a page of ours sent, or why it is not taken. */
async function sentForm(c: Context, baseUrl: string): Promise<URLSearchParams | string> {
  const origin = c.req.header("origin");
  const from = c.req.header("sec-fetch-site");
  if (origin !== undefined && !isOwnOrigin(origin, baseUrl)) {
    return `${foreignOrigin(origin, baseUrl)}; nothing was granted`;
  }
  if ((from ?? "same-origin") !== "same-origin") {
    return "The answer came from another site; nothing was granted";
  }
  const read = await readText(c.req.raw, OAUTH_LIMITS.FORM_BYTES);
  if ("fault" in read) return `The form is ${read.fault}; nothing was granted`;
  return new URLSearchParams(read.text);
}

const STRANGE =
  "The form is too old, or was made for another session; nothing was granted. Open the page again";

/** Whether a form was made for this session. */
function isOfSession(form: URLSearchParams, csrf: string): boolean {
  const digest = (text: string) => hash("sha256", text, "buffer");
  return timingSafeEqual(digest(form.get(CSRF_FIELD) ?? ""), digest(csrf));
}
