/** What every page of the admin side shares: who looks at it, refusals as pages, the way to the sign-in. */
import type { Context } from "hono";
import { asGatewayError, GatewayError, type WrongField } from "../../core/errors.ts";
import { Notice } from "../notice.tsx";
import { leadTo, showPage } from "../respond.tsx";
import {
  type AccountHolder,
  isAccountHolder,
  type Person,
  type Visitor,
  type Visitors,
} from "../../identity/visitors.ts";
import type { MasterSignIn } from "../../admin/session.ts";
import { forbidden } from "../../identity/rights.ts";
import type { AdminPorts, Trier } from "../../admin/ports.ts";
import type { Recent } from "../../admin/recent_rows.ts";
import type { People } from "../../identity/sign_in/people.ts";
import { againPage, type IsSecret, sentForm, signInAddress } from "./kept_form.tsx";
import type { Passkeys } from "../../identity/sign_in/passkeys.ts";

export { signInAddress };

/** What the pages stand on. */
export interface PagesParts {
  readonly ports: AdminPorts;
  readonly visitors: Visitors;
  readonly people: People;
  readonly master: MasterSignIn;
  /** What calls have shown of late. */
  readonly recent: Recent;
  /** Loaded when a passkey is first made or used. */
  passkeys(): Promise<Passkeys>;
}

/** Runs a page for somebody who has signed in, with the master token or as a person; anybody else is led to the sign-in, and back from there. */
export async function asPerson(
  { visitors }: PagesParts,
  c: Context,
  show: (person: Person) => Promise<Response>,
): Promise<Response> {
  const person = await visitors.signedIn(c.req.raw);
  if (person !== null) return await show(person);
  const { pathname, search } = new URL(c.req.url);
  return leadTo(c, signInAddress(pathname + search));
}

/**
 * Runs what a form asks for, sent by somebody who has signed in. Where the session ended while the form was open, nothing is
 * done, and what was typed comes back in a page, but for secrets; a form of nothing but a button leads to the
 * sign-in. `isSecret` names the secrets of this form.
 */
export async function asSender(
  parts: PagesParts,
  c: Context,
  act: (person: Person, form: URLSearchParams) => Promise<Response>,
  back = "/admin",
  isSecret?: IsSecret,
): Promise<Response> {
  const again = async (person: Person, typed: URLSearchParams) => await againPage(c, person, typed);
  return await sentForm(parts, c, { act, again, back, ...isSecret && { isSecret } });
}

/** Who calls a tool on the pages, in which session. Throws E_AUTH where that has ended. */
export async function trierOf({ ports, master }: PagesParts, c: Context, person: Person): Promise<Trier> {
  if (isAccountHolder(person)) return { ...person.caller, session: person.session_id };
  const text = await master.of(c.req.raw);
  if (text === null) throw new GatewayError("E_AUTH", "The session has ended; sign in again");
  return { ...person.caller, session: ports.store.sessions.nameOf(text, ports.masterToken) };
}

/** The person, whose own something is. Throws E_FORBIDDEN for the master token, which is nobody's. */
export function accountHolder(person: Person): AccountHolder {
  if (isAccountHolder(person)) return person;
  throw forbidden("You signed in with the master token, which is no person; sign in as a person to do this");
}

/** Throws E_FORBIDDEN for a member; `what` says what only an admin does, such as "sees sites". */
export function assertAdmin({ caller: { user } }: Person, what: string): void {
  if (user === null || user.role === "admin") return;
  throw forbidden(`Only an admin ${what}, and you are a member; ask an admin of yours`);
}

/** Throws E_FORBIDDEN for a person; `what` says what only the master token does, such as "reads the audit". */
export function assertMaster({ caller: { user } }: Person, what: string): void {
  if (user === null) return;
  throw forbidden(`Only the master token ${what}; ask whoever operates this gateway`);
}

/** A page that says what was wrong, with a way back. */
export async function refusalPage(
  c: Context,
  visitor: Visitor | null,
  thrown: unknown,
  report: AdminPorts["report"],
): Promise<Response> {
  const requestId = crypto.randomUUID();
  const error = asGatewayError(thrown, requestId);
  if (error.code === "E_INTERNAL") report(requestId, thrown);
  c.header("X-Request-Id", requestId);
  if (error.retryAfter !== undefined) c.header("Retry-After", String(error.retryAfter));
  const content = (
    <>
      <Notice kind="problem">
        <p>{error.message}.</p>
      </Notice>
      <p>
        <a href="/admin">Go to the overview</a>
      </p>
    </>
  );
  return await showPage(c, { title: titleOf(error), visitor, status: error.status }, content);
}

function titleOf({ code }: GatewayError): string {
  switch (code) {
    case "E_NOT_FOUND":
      return "There is no such page";
    case "E_RATE_LIMITED":
      return "Too many attempts";
    case "E_INTERNAL":
      return "Something failed";
    default:
      return "That was not done";
  }
}

/** What was wrong with a form. */
export interface Problem {
  readonly message: string;
  readonly status: number;
  /** A sentence for each fault, where the refusal has them. */
  readonly faults?: readonly string[];
  /** The field that it is about, where the refusal says so. */
  readonly wrong?: WrongField | undefined;
}

/** The message of a refusal that a form shows; throws anything that is none, and what failed inside the gateway. */
export function worded(c: Context, thrown: unknown): Problem & Required<Pick<Problem, "faults">> {
  if (!(thrown instanceof GatewayError) || thrown.code === "E_INTERNAL") throw thrown;
  if (thrown.retryAfter !== undefined) c.header("Retry-After", String(thrown.retryAfter));
  return { message: thrown.message, status: thrown.status, faults: thrown.faults, wrong: thrown.field };
}
