/** A form whose session ended while it was open: what was typed comes back, but for secrets, and nothing is done with it unasked. */
import type { Context } from "hono";
import { cut } from "../../core/values.ts";
import { PEOPLE_LIMITS } from "../../core/model.ts";
import { assertOwnPages } from "../../identity/origin.ts";
import { CSRF_FIELD, type Person, tooOld, type Visitors } from "../../identity/visitors.ts";
import { Form, Submit } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { leadTo, showPage } from "../respond.tsx";
import { FactList } from "../table.tsx";

/** Said in the address of a form that is only to be shown again, as it was typed before the session ended. */
const AGAIN = "again";
const SHOWN_CHARACTERS = 300;
/** Fields that no page gets back, whatever the form: what somebody knows, or was given once. */
const SECRET_FIELDS = [
  ...[CSRF_FIELD, "passphrase", "again", "current", "master_token", "response"],
];

/** Which fields of a form hold a secret, beside those that do in every form. */
export type IsSecret = (name: string) => boolean;

/** Said of a form that is a button: what is hidden in it was not typed. */
export const nothingTyped: IsSecret = () => true;

/** What was typed, without its secrets. */
export function withoutSecrets(form: URLSearchParams, isSecret?: IsSecret): URLSearchParams {
  const isKept = (name: string) =>
    !SECRET_FIELDS.includes(name) && !name.startsWith("credentials.") && !(isSecret?.(name) ?? false);
  return new URLSearchParams([...form].filter(([name]) => isKept(name)));
}

const Kept = ({ form }: { readonly form: URLSearchParams }) =>
  [...form].map(([name, value]) => <input type="hidden" name={name} value={value} />);

/**
 * The page for somebody who has no session: it holds what was typed until he or she has signed in again, in another tab.
 * `action` shows the form with it.
 */
export async function endedPage(c: Context, typed: URLSearchParams, action: string): Promise<Response> {
  const signIn = signInAddress("/admin/account");
  return await showPage(
    c,
    { title: "Your session has ended", visitor: null, status: 401 },
    <>
      <Notice kind="warning">
        <p>
          Nothing was saved. This page holds what you typed; only passwords, tokens and secret addresses have
          to be typed once more.
        </p>
      </Notice>
      <ol>
        <li>
          <a href={signIn} target="_blank" rel="noopener">Sign in, in a new tab</a>
        </li>
        <li>Come back to this one and go on.</li>
      </ol>
      <form method="post" action={action}>
        <Kept form={typed} />
        <Submit>Go on with what you typed</Submit>
      </form>
    </>,
  );
}

/** The page for somebody who has signed in since: what was typed, and a button that sends it. */
export async function againPage(
  c: Context,
  person: Person,
  typed: URLSearchParams,
  status = 200,
): Promise<Response> {
  const { pathname } = new URL(c.req.url);
  const facts = [...typed].filter(([, value]) => value.trim() !== "")
    .map(([name, value]) => [name.replaceAll("_", " "), cut(value, SHOWN_CHARACTERS)] as const);
  return await showPage(
    c,
    { title: "Nothing was sent yet", visitor: person, status },
    <>
      <Notice kind="warning">
        <p>
          The form is from before you signed in, so nothing was done. This is what it holds, without passwords
          and secret addresses. Send it if it is still right.
        </p>
      </Notice>
      <FactList facts={facts} />
      <Form visitor={person} action={pathname}>
        <Kept form={typed} />
        <Submit>Send it now</Submit>
      </Form>
      <p>
        <a href="/admin">Leave it</a>
      </p>
    </>,
  );
}

/** Where somebody signs in, and comes back from to that address. */
export function signInAddress(next: string): string {
  return `/admin/sign-in?${new URLSearchParams({ next })}`;
}

/** What forms are judged by. */
interface FormPorts {
  readonly visitors: Visitors;
  readonly ports: { readonly baseUrl: string };
}

/** What is done with a form that was sent. */
interface SentForm {
  act(person: Person, form: URLSearchParams): Promise<Response>;
  /** Shows what was typed, but for secrets, to somebody who has signed in again since. */
  again(person: Person, typed: URLSearchParams): Promise<Response>;
  /** Where the sign-in leads to. */
  readonly back?: string;
  /** What no page gets back beside what never is. */
  readonly isSecret?: IsSecret;
}

/** Runs what a form asks for where it was made for the session there is; to anybody else what was typed comes back. */
export async function sentForm(
  { visitors, ports: { baseUrl } }: FormPorts,
  c: Context,
  { act, again, back = "/admin", isSecret }: SentForm,
): Promise<Response> {
  const person = await visitors.signedIn(c.req.raw);
  const isAgain = c.req.query(AGAIN) !== undefined;
  const form = await visitors.fields(c, PEOPLE_LIMITS.FORM_BYTES, false);
  if (person !== null && !isAgain && visitors.isOwn(form, person)) {
    return await act(person, form);
  }
  const typed = withoutSecrets(form, isSecret);
  if (![...typed.values()].some((value) => value.trim() !== "")) {
    if (person !== null && !isAgain) throw tooOld();
    return leadTo(c, signInAddress(back));
  }
  // It changes nothing and shows only what the browser itself has sent, so that it came from our own pages is proof enough.
  assertOwnPages(c, baseUrl, true);
  if (person === null) return await endedPage(c, typed, `${new URL(c.req.url).pathname}?${AGAIN}`);
  return isAgain ? await again(person, typed) : await againPage(c, person, typed, 403);
}

/** Runs what a form asks for; `isAgain` where it is only to be shown, as it was typed before the session ended. */
type Act = (person: Person, form: URLSearchParams, isAgain: boolean) => Promise<Response>;

/**
 * Runs what a form asks for that can show itself again, sent by somebody who has signed in. To anybody else what was typed comes
 * back, but for secrets, in a page that leads on once he or she has signed in, in another tab. The gateway keeps nothing of it.
 */
export async function asKeeper(
  parts: FormPorts,
  c: Context,
  isSecret: IsSecret,
  act: Act,
): Promise<Response> {
  const again = async (person: Person, form: URLSearchParams) => await act(person, form, true);
  return await sentForm(parts, c, { act: (person, form) => act(person, form, false), again, isSecret });
}
