/** Signing in and out. */
import type { Context, Hono } from "hono";
import { LIMITS, PEOPLE_LIMITS } from "../../core/model.ts";
import { Field, Form, Submit } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { ownAddress } from "../../identity/origin.ts";
import { leadTo, showPage } from "../respond.tsx";
import type { Visitor } from "../../identity/visitors.ts";
import { actorOfPerson } from "../../identity/rights.ts";
import { addressOf, answer } from "../../admin/exchange.ts";
import { canHavePasskeys } from "../../identity/sign_in/hosts.ts";
import { type PagesParts, worded } from "./frame.tsx";

/** Where somebody who came for nothing in particular is led. */
export const HOME = "/admin";
const PATH = "/admin/sign-in";
const MASTER_PATH = "/admin/login";

interface Shown {
  readonly next: string;
  readonly email?: string;
  readonly problem?: string;
  readonly status?: number;
}

/** Adds `/admin/sign-in`, its passkeys, and `/admin/sign-out`. */
export function signInPages(app: Hono, parts: PagesParts): void {
  const { visitors, people, ports } = parts;
  const { baseUrl } = ports;
  const wanted = wantedBy(parts);

  app.get(PATH, async (c) => {
    const next = wanted(c.req.query("next"));
    const visitor = await visitors.visit(c);
    const stays = visitor.caller === null || c.req.query("again") !== undefined;
    return !stays ? leadTo(c, next) : await signInPage(c, visitor, baseUrl, { next });
  });

  app.post(PATH, async (c) => {
    const visitor = await visitors.visit(c);
    const form = await visitors.form(c, visitor);
    const passphrase = form.get("passphrase") ?? "";
    // A longer one is nobody's, and is neither shown nor recorded whole.
    const email = (form.get("email")?.trim() ?? "").slice(0, PEOPLE_LIMITS.EMAIL_CHARACTERS_MAX + 1);
    const next = wanted(form.get("next"));
    try {
      const signedIn = await people.signIn({
        email,
        passphrase,
        address: addressOf(c),
        deviceOf: (user_id) => visitors.deviceOf(c.req.raw, user_id),
      });
      await ports.record(actorOfPerson(signedIn.user), "session.sign_in", { method: "passphrase" });
      await visitors.signIn(c, signedIn, "passphrase");
      return leadTo(c, next);
    } catch (thrown) {
      const { message, status } = worded(c, thrown);
      return await signInPage(c, visitor, baseUrl, { next, email, problem: message, status });
    }
  });

  passkeyRoutes(app, parts);
  masterRoutes(app, parts);

  app.post("/admin/sign-out", async (c) => {
    const visitor = await visitors.visit(c);
    await visitors.form(c, visitor);
    await visitors.signOut(c);
    if (visitor.user) await ports.record(actorOfPerson(visitor.user), "session.sign_out", {});
    return leadTo(c, visitor.user === null && visitor.caller !== null ? MASTER_PATH : PATH);
  });
}

/** Where a form leads on to: an address of ours. */
const wantedBy = ({ ports }: PagesParts) => (next: string | null | undefined) =>
  ownAddress(next, ports.baseUrl, HOME);

function passkeyRoutes(app: Hono, parts: PagesParts): void {
  const { visitors, ports } = parts;
  const { baseUrl } = ports;
  const wanted = wantedBy(parts);

  app.post(`${PATH}/passkey/options`, async (c) => {
    const visitor = await visitors.visit(c);
    await visitors.form(c, visitor);
    // Not counted: nobody guesses a passkey, and whoever guesses passphrases must not shut those out who have one.
    return answer(c, await (await parts.passkeys()).requestOptions(visitor.csrf));
  });

  app.post(`${PATH}/passkey`, async (c) => {
    const visitor = await visitors.visit(c);
    const form = await visitors.form(c, visitor);
    const next = wanted(form.get("next"));
    try {
      const signedIn = await (await parts.passkeys()).used(form.get("response") ?? "", visitor.csrf);
      await ports.record(actorOfPerson(signedIn.user), "session.sign_in", { method: "passkey" });
      await visitors.signIn(c, signedIn, "passkey");
      return leadTo(c, next);
    } catch (thrown) {
      const { message, status } = worded(c, thrown);
      return await signInPage(c, visitor, baseUrl, { next, problem: message, status });
    }
  });
}

/** The master token as a way in: to set a gateway up before its first person is invited. */
function masterRoutes(app: Hono, parts: PagesParts): void {
  const { visitors, master } = parts;
  const wanted = wantedBy(parts);

  app.get(MASTER_PATH, async (c) => {
    const next = wanted(c.req.query("next"));
    const visitor = await visitors.visit(c);
    return visitor.caller?.user === null ? leadTo(c, next) : await masterPage(c, visitor, { next });
  });

  // The address itself answers scripts, with JSON.
  app.post(`${MASTER_PATH}/form`, async (c) => {
    const visitor = await visitors.visit(c);
    const form = await visitors.form(c, visitor);
    const next = wanted(form.get("next"));
    try {
      await master.signIn(c, form.get("master_token") ?? "");
    } catch (thrown) {
      const { message, status } = worded(c, thrown);
      return await masterPage(c, visitor, { next, problem: message, status });
    }
    await visitors.signOutPerson(c);
    return leadTo(c, next);
  });
}

function masterPage(c: Context, visitor: Visitor, { next, problem, status }: Shown): Promise<Response> {
  return showPage(
    c,
    { title: "Sign in with the master token", visitor, status },
    <>
      {problem && (
        <Notice kind="problem">
          <p>{problem}.</p>
        </Notice>
      )}
      <p>
        For whoever operates this gateway: to set it up, and to invite its first people. The session ends
        after {LIMITS.MASTER_SESSION_MS / 3_600_000} hours.
      </p>
      <Form visitor={visitor} action={`${MASTER_PATH}/form`}>
        <input type="hidden" name="next" value={next} />
        <Field
          name="master_token"
          label="Master token"
          type="password"
          hint="The value of MASTER_TOKEN in the settings"
          autocomplete="off"
        />
        <Submit>Sign in</Submit>
      </Form>
      <p>
        <a href={PATH}>Sign in as a person</a>
      </p>
    </>,
  );
}

function signInPage(c: Context, visitor: Visitor, baseUrl: string, shown: Shown): Promise<Response> {
  const { next, email, problem, status } = shown;
  const script = canHavePasskeys(baseUrl);
  return showPage(
    c,
    { title: "Sign in", visitor, script, status },
    <>
      {problem && (
        <Notice kind="problem">
          <p>{problem}.</p>
        </Notice>
      )}
      {script && (
        <Form
          visitor={visitor}
          action={`${PATH}/passkey`}
          passkey={{ does: "get", options: `${PATH}/passkey/options` }}
        >
          <input type="hidden" name="next" value={next} />
          <Submit>Sign in with a passkey</Submit>
        </Form>
      )}
      <Form visitor={visitor} action={PATH}>
        <input type="hidden" name="next" value={next} />
        <Field name="email" label="E-mail address" type="email" value={email} autocomplete="username" />
        <Field name="passphrase" label="Passphrase" type="password" autocomplete="current-password" />
        <Submit>Sign in</Submit>
      </Form>
      <p>
        No account, or nothing to sign in with any more? Ask whoever manages this gateway for an invitation.
      </p>
      <p>
        You operate it? <a href={MASTER_PATH}>Sign in with the master token</a>
      </p>
    </>,
  );
}
