/** A form whose session ended while it was open: the page that says so holds what was typed, until somebody has signed in again. */
import type { Context } from "hono";
import { bodyError, readText } from "../../core/body.ts";
import { PEOPLE_LIMITS } from "../../core/model.ts";
import { CSRF_FIELD, type Person } from "../../identity/visitors.ts";
import { assertOwnPages } from "../../identity/origin.ts";
import { Submit } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { showPage } from "../respond.tsx";
import { type PagesParts, signInAddress } from "./frame.tsx";

/** Said in the address of a form that is only to be shown again, as it was typed. */
const AGAIN = "again";

/** Runs what a form asks for; `isAgain` where it is only to be shown, as it was typed before the session ended. */
type Act = (person: Person, form: URLSearchParams, isAgain: boolean) => Promise<Response>;

/**
 * Runs what a form asks for, sent by somebody who has signed in. To anybody else what was typed comes back, but for
 * secrets, in a page that leads on once he or she has signed in, in another tab. The gateway keeps nothing of it.
 */
export async function asKeeper(
  parts: PagesParts,
  c: Context,
  isSecret: (name: string) => boolean,
  act: Act,
): Promise<Response> {
  const { visitors, ports: { baseUrl } } = parts;
  const person = await visitors.signedIn(c.req.raw);
  const isAgain = c.req.query(AGAIN) !== undefined;
  if (person !== null && !isAgain) return await act(person, await visitors.form(c, person), false);
  // It changes nothing and shows only what the browser itself has sent, so that it came from our own pages is proof enough.
  assertOwnPages(c, baseUrl, true);
  const read = await readText(c.req.raw, PEOPLE_LIMITS.FORM_BYTES);
  if ("fault" in read) throw bodyError(read, PEOPLE_LIMITS.FORM_BYTES);
  const form = new URLSearchParams(read.text);
  if (person !== null) return await act(person, form, true);
  for (const name of [...form.keys()].filter(isSecret)) form.delete(name);
  return await endedPage(c, form, `${new URL(c.req.url).pathname}?${AGAIN}`);
}

/** The page that holds what was typed until somebody has signed in again; `action` shows the form with it. */
export async function endedPage(c: Context, form: URLSearchParams, action: string): Promise<Response> {
  form.delete(CSRF_FIELD);
  return await showPage(
    c,
    { title: "Your session has ended", visitor: null, status: 401 },
    <>
      <Notice kind="warning">
        <p>
          Nothing was saved. This page holds what you typed; only passwords and tokens have to be typed once
          more.
        </p>
      </Notice>
      <ol>
        <li>
          <a href={signInAddress("/admin/account")} target="_blank" rel="noopener">
            Sign in, in a new tab
          </a>
        </li>
        <li>Come back to this one and go on.</li>
      </ol>
      <form method="post" action={action}>
        {[...form].map(([name, value]) => <input type="hidden" name={name} value={value} />)}
        <Submit>Go on with what you typed</Submit>
      </form>
    </>,
  );
}
