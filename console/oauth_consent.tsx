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
import { consentPage, type ConsentView, faultPage } from "./oauth_page.tsx";

const PATH = "/oauth/authorize";

/** Adds the page and its form, which is sent to the very address that it was shown at. */
export function consentRoutes(app: Hono, parts: OAuthParts, authorizing: Authorizing): void {
  const person = (c: Context) => parts.signedIn(c.req.raw);

  app.get(PATH, async (c) => {
    const signedIn = await person(c);
    const met = await authorizing.meet(queryOf(c), signedIn?.user ?? null, false);
    if ("signIn" in met) return signIn(c);
    if ("fault" in met) return await faultPage(c, 400, met.fault.message);
    if ("to" in met) return leadTo(c, met.to);
    return await ask(authorizing, c, met.request, signedIn!);
  });

  app.post(PATH, async (c) => {
    const signedIn = await person(c);
    if (signedIn === null) return signIn(c);
    const form = await ownForm(c, parts.baseUrl, signedIn.csrf);
    if (typeof form === "string") return await faultPage(c, 403, form);
    // Read anew: what is granted is granted to what the client says of itself now.
    const met = await authorizing.meet(queryOf(c), signedIn.user, true);
    if ("fault" in met) return await faultPage(c, 400, met.fault.message);
    if ("to" in met) return leadTo(c, met.to);
    if ("signIn" in met) return signIn(c);
    return await answer(authorizing, c, met.request, signedIn, form);
  });

  app.onError(async (thrown, c) => {
    const requestId = parts.newId();
    parts.report(requestId, thrown);
    c.header("X-Request-Id", requestId);
    const why = `The gateway failed; its operator finds the cause under request id ${requestId}`;
    return await faultPage(c, 500, why);
  });
}

async function ask(
  authorizing: Authorizing,
  c: Context,
  request: AuthorizationRequest,
  { user, csrf }: SignedIn,
  again: Pick<ConsentView, "choice" | "missing" | "problem"> | null = null,
): Promise<Response> {
  const offer = await authorizing.offerTo(user);
  const before = await authorizing.grantedPolicy(user, request.client.id);
  const view: ConsentView = {
    client: shownClient(request),
    email: user.email,
    visitor: { user, caller: callerOfPerson(user), session: null, csrf },
    offer,
    before,
    choice: firstChoice(offer, before),
    missing: {},
    problem: await authorizing.full(user),
    seen: fingerprintOf(request),
    action: addressOf(c),
    ...again,
  };
  return await consentPage(c, again ? 422 : 200, view);
}

async function answer(
  authorizing: Authorizing,
  c: Context,
  request: AuthorizationRequest,
  signedIn: SignedIn,
  form: URLSearchParams,
): Promise<Response> {
  if (form.get("answer") === "deny") return leadTo(c, authorizing.deny(request));
  const choice = choiceIn(form, await authorizing.offerTo(signedIn.user));
  const missing = missingOf(choice);
  const problem = form.get("answer") !== "allow"
    ? "Choose Allow or Deny"
    : form.get("seen") !== fingerprintOf(request)
    ? "The client has changed what it says of itself meanwhile; look again before you allow it"
    : await authorizing.full(signedIn.user);
  if (problem !== null || Object.keys(missing).length > 0) {
    return await ask(authorizing, c, request, signedIn, { choice, missing, problem });
  }
  return leadTo(c, await authorizing.grant(request, signedIn.user, choice));
}

/** The request itself, as an address of the gateway. */
const addressOf = (c: Context) => PATH + new URL(c.req.url).search;

/** Leads to where a person signs in, and from there back. */
const signIn = (c: Context) => leadTo(c, `/admin/sign-in?next=${encodeURIComponent(addressOf(c))}`);

const queryOf = (c: Context) => new URL(c.req.url).searchParams;

/** The fields of a form that our own page made for this session, or why it is not taken. */
async function ownForm(c: Context, baseUrl: string, csrf: string): Promise<URLSearchParams | string> {
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
  const form = new URLSearchParams(read.text);
  const digest = (text: string) => hash("sha256", text, "buffer");
  return timingSafeEqual(digest(form.get(CSRF_FIELD) ?? ""), digest(csrf))
    ? form
    : "The form is too old, or was made for another session; nothing was granted. Open the page again";
}
