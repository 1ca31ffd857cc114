/** The page of an invitation, on which a user sets how to sign in. */
import type { Context, Hono } from "hono";
import { PEOPLE_LIMITS, type User } from "../../core/model.ts";
import { Field, Form, Submit } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { leadTo, showPage } from "../respond.tsx";
import type { Visitor } from "../../identity/visitors.ts";
import type { Invitation, Passkey } from "../../store/store.ts";
import { addressOf, answer } from "../../admin/exchange.ts";
import { canHavePasskeys } from "../../identity/sign_in/hosts.ts";
import { type PagesParts, worded } from "./frame.tsx";
import { HOME } from "./sign_in.tsx";

const PATH = "/admin/invitation";
const ASK = "Ask whoever manages this gateway for another";
/** Why an invitation cannot be used. */
const OVER: Readonly<Record<Exclude<Invitation["state"], "open"> | "withdrawn" | "unknown", string>> = {
  unknown: `No such invitation is known: the link may be cut short. ${ASK}`,
  used: `The invitation was used already, and works only once. If it was not you who used it, say so. ${ASK}`,
  replaced: "A newer invitation takes the place of this one; use that",
  withdrawn: `Whoever made the invitation may not make it any more. ${ASK}`,
  expired: `The invitation is older than ${PEOPLE_LIMITS.INVITATION_MS / 3_600_000} hours. ${ASK}`,
};

interface Found {
  readonly text: string;
  readonly user: User;
}

/** Adds the routes under `/admin/invitation`. */
export function invitationPages(app: Hono, parts: PagesParts): void {
  const { visitors, people, ports: { baseUrl } } = parts;
  const invited = invitedBy(people);
  const join = async (c: Context, visitor: Visitor, { text }: Found, chosen: Chosen) => {
    const signedIn = await people.accept(text, chosen, addressOf(c));
    if (signedIn === null) return await overPage(c, visitor, OVER.used);
    await visitors.signIn(c, signedIn, "invitation");
    return leadTo(c, HOME);
  };
  const posted = async (
    c: Context,
    act: (visitor: Visitor, form: URLSearchParams, found: Found) => Promise<Response>,
  ) => {
    const visitor = await visitors.visit(c);
    const form = await visitors.form(c, visitor);
    return await invited(c, visitor, (found) => act(visitor, form, found));
  };

  app.get(`${PATH}/:text`, async (c) => {
    const visitor = await visitors.visit(c);
    return await invited(c, visitor, (found) => invitationPage(c, visitor, baseUrl, found));
  });

  app.post(`${PATH}/:text`, (c) =>
    posted(c, async (visitor, form, found) => {
      const [passphrase, again] = [form.get("passphrase") ?? "", form.get("again") ?? ""];
      const fault = people.fault(found.user, passphrase);
      if (fault !== null) return await invitationPage(c, visitor, baseUrl, found, { passphrase: fault });
      if (again === passphrase) return await join(c, visitor, found, { passphrase });
      const faults = { again: "This is not the same as the passphrase above" };
      return await invitationPage(c, visitor, baseUrl, found, faults);
    }));

  app.post(`${PATH}/:text/passkey/options`, (c) =>
    posted(c, async ({ csrf }, _, { user }) => {
      // What was made before ends with the invitation: the same device makes another.
      return answer(c, await (await parts.passkeys()).creationOptions(user, csrf, []));
    }));

  app.post(`${PATH}/:text/passkey`, (c) =>
    posted(c, async (visitor, form, found) => {
      let passkey: Passkey;
      try {
        const passkeys = await parts.passkeys();
        passkey = await passkeys.made(form.get("response") ?? "", visitor.csrf, form.get("name") ?? "");
      } catch (thrown) {
        const { message } = worded(c, thrown);
        return await invitationPage(c, visitor, baseUrl, found, { passkey: message });
      }
      return await join(c, visitor, found, { passkey });
    }));
}

/** Runs what needs an invitation that can be used; where it cannot, the page says why. */
const invitedBy =
  (people: PagesParts["people"]) =>
  async (c: Context, visitor: Visitor, act: (found: Found) => Promise<Response>): Promise<Response> => {
    const text = c.req.param("text") ?? "";
    const known = await people.invitation(text);
    const state = known?.state ?? "unknown";
    if (known === null || state !== "open") {
      return await overPage(c, visitor, OVER[state as keyof typeof OVER]);
    }
    return await act({ text, user: known.user });
  };

type Chosen = Parameters<PagesParts["people"]["accept"]>[1];

function overPage(c: Context, visitor: Visitor, why: string): Promise<Response> {
  return showPage(
    c,
    { title: "This invitation cannot be used", visitor, status: 410 },
    <Notice kind="problem">
      <p>{why}.</p>
    </Notice>,
  );
}

/** What is wrong, by field. */
interface Faults {
  readonly passphrase?: string;
  readonly again?: string;
  readonly passkey?: string;
}

function invitationPage(
  c: Context,
  visitor: Visitor,
  baseUrl: string,
  { text, user }: Found,
  faults: Faults = {},
): Promise<Response> {
  const script = canHavePasskeys(baseUrl);
  const action = `${PATH}/${encodeURIComponent(text)}`;
  const status = Object.keys(faults).length > 0 ? 400 : 200;
  return showPage(
    c,
    // Whoever has signed in may be somebody else: nothing of theirs is shown here.
    { title: "Your invitation", visitor: { ...visitor, user: null, session: null }, script, status },
    <>
      <p>
        {"Choose how "}
        <strong>{user.email}</strong>
        {" signs in here. What was chosen before, if anything, ends with it, and so does every session."}
      </p>
      {faults.passkey && (
        <Notice kind="problem">
          <p>{faults.passkey}.</p>
        </Notice>
      )}
      {script && (
        <Form
          visitor={visitor}
          action={`${action}/passkey`}
          passkey={{ does: "create", options: `${action}/passkey/options` }}
        >
          <h2>With a passkey</h2>
          <p>
            Your device proves that it is you, with its fingerprint, face or PIN. Nothing has to be
            remembered.
          </p>
          <Submit>Make a passkey</Submit>
        </Form>
      )}
      <Form visitor={visitor} action={action}>
        <h2>With a passphrase</h2>
        <input type="hidden" name="email" value={user.email} autocomplete="username" />
        <PassphraseFields {...faults} />
        <Submit>Set the passphrase</Submit>
      </Form>
    </>,
  );
}

function PassphraseFields({ passphrase, again }: Faults) {
  return (
    <>
      <Field
        name="passphrase"
        label="Passphrase"
        type="password"
        hint={`At least ${PEOPLE_LIMITS.PASSPHRASE_CHARACTERS_MIN} characters. A few words in a row are good.`}
        error={passphrase}
        autocomplete="new-password"
      />
      <Field
        name="again"
        label="The same again"
        type="password"
        error={again}
        autocomplete="new-password"
      />
    </>
  );
}
