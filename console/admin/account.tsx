/** One's own account: passphrase, passkeys, sessions. */
import type { Context, Hono } from "hono";
import { GatewayError } from "../../core/errors.ts";
import { LIMITS, PEOPLE_LIMITS } from "../../core/model.ts";
import { Form, Submit } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { leadTo, showPage } from "../respond.tsx";
import { type AccountHolder, isAccountHolder, type Person } from "../../identity/visitors.ts";
import { answer } from "../../admin/exchange.ts";
import { canHavePasskeys } from "../../identity/sign_in/hosts.ts";
import {
  ACCOUNT_PATH,
  type AccountFaults,
  type AccountShown,
  Passkeys,
  Passphrase,
  Sessions,
} from "./account_parts.tsx";
import { accountHolder, asPerson, asSender, type PagesParts, worded } from "./frame.tsx";

/** What was done, by the word that leads back here. */
const DONE: Readonly<Record<string, string>> = {
  passphrase: "The passphrase is changed, and every other session has ended.",
  passkey: "The passkey can be used from now on.",
  removed: "The passkey is removed. A session that it began goes on until you end it below.",
  ended: "The session has ended.",
  others: "Every other session has ended.",
};

/** Adds the routes under `/admin/account`. */
export function accountPages(app: Hono, parts: PagesParts): void {
  const { store, baseUrl } = parts.ports;
  const page: ShowAccount = async (c, person, faults = {}) => {
    if (!isAccountHolder(person)) return await masterPage(c, person);
    const signIn = await store.signIns.get(person.user.id);
    const sessions = await store.personSessions.list(person.user.id);
    return await accountPage(c, { person, signIn, sessions, faults, baseUrl });
  };
  app.get(ACCOUNT_PATH, (c) => asPerson(parts, c, (person) => page(c, person)));
  passphraseRoutes(app, parts, page);
  passkeyRoutes(app, parts, page);
  sessionRoutes(app, parts);
}

/** The page of somebody's account, with what is wrong with what was sent. */
type ShowAccount = (c: Context, person: Person, faults?: AccountFaults) => Promise<Response>;

/** Whether somebody has signed in so lately that a way in may be added. */
const isFresh = ({ ports }: PagesParts, { session }: AccountHolder) =>
  Math.abs(ports.now() - session.created_at) < PEOPLE_LIMITS.SIGN_IN_FRESH_MS;

const stale = (c: Context) =>
  leadTo(c, `/admin/sign-in?${new URLSearchParams({ again: "1", next: ACCOUNT_PATH })}`);

function passphraseRoutes(app: Hono, parts: PagesParts, page: ShowAccount): void {
  const { people, ports: { store } } = parts;
  app.post(`${ACCOUNT_PATH}/passphrase`, (c) =>
    asSender(parts, c, async (sender, form) => {
      const person = accountHolder(sender);
      const { user, session } = person;
      const chosen = form.get("passphrase") ?? "";
      const { passphrase: kept } = await store.signIns.get(user.id);
      if (kept === null && !isFresh(parts, person)) return stale(c);
      const fault = people.fault(user, chosen);
      if (fault !== null) return await page(c, person, { passphrase: fault });
      if (form.get("again") !== chosen) {
        return await page(c, person, { again: "This is not the same as above" });
      }
      try {
        if (kept !== null && !await people.isOwn(user, form.get("current") ?? "")) {
          return await page(c, person, { current: "This is not your passphrase" });
        }
        await people.changePassphrase(user, chosen, session.id);
      } catch (thrown) {
        return await page(c, person, { current: worded(c, thrown).message });
      }
      return leadTo(c, `${ACCOUNT_PATH}?done=passphrase`);
    }));
}

function passkeyRoutes(app: Hono, parts: PagesParts, page: ShowAccount): void {
  const { people, ports: { store } } = parts;
  app.post(`${ACCOUNT_PATH}/passkeys/options`, (c) =>
    asSender(parts, c, async (sender) => {
      const person = accountHolder(sender);
      if (!isFresh(parts, person)) {
        throw new GatewayError(
          "E_FORBIDDEN",
          "Sign out and in again first: a passkey is added shortly after that",
        );
      }
      const { passkeys } = await store.signIns.get(person.user.id);
      return answer(c, await (await parts.passkeys()).creationOptions(person.user, person.csrf, passkeys));
    }));

  app.post(`${ACCOUNT_PATH}/passkeys`, (c) =>
    asSender(parts, c, async (sender, form) => {
      const person = accountHolder(sender);
      const { user, csrf } = person;
      if (!isFresh(parts, person)) return stale(c);
      try {
        const passkeys = await parts.passkeys();
        const made = await passkeys.made(form.get("response") ?? "", csrf, form.get("name") ?? "");
        await people.addPasskey(user, made);
      } catch (thrown) {
        return await page(c, person, { passkey: worded(c, thrown).message });
      }
      return leadTo(c, `${ACCOUNT_PATH}?done=passkey`);
    }));

  app.post(`${ACCOUNT_PATH}/passkeys/remove`, (c) =>
    asSender(parts, c, async (person, form) => {
      try {
        await people.removePasskey(accountHolder(person).user, form.get("passkey") ?? "");
      } catch (thrown) {
        return await page(c, person, { passkey: worded(c, thrown).message });
      }
      return leadTo(c, `${ACCOUNT_PATH}?done=removed`);
    }));
}

function sessionRoutes(app: Hono, parts: PagesParts): void {
  const { visitors, ports } = parts;
  const { store } = ports;
  app.post(`${ACCOUNT_PATH}/sessions/end`, (c) =>
    asSender(parts, c, async (person, form) => {
      const { user, session, caller } = accountHolder(person);
      const id = form.get("session") ?? "";
      const ended = id !== "" && await store.personSessions.end(user.id, id);
      if (ended) await ports.record(caller.actor, "session.end", { session_id: id });
      return leadTo(c, id === session.id ? "/admin/sign-in" : `${ACCOUNT_PATH}?done=ended`);
    }));

  app.post(`${ACCOUNT_PATH}/sessions/end-all`, (c) =>
    asSender(parts, c, async (person) => {
      if (!isAccountHolder(person)) {
        await parts.master.endAll(c);
        return leadTo(c, "/admin/login");
      }
      const { user, caller } = person;
      const count = await store.personSessions.endAll(user.id);
      await ports.record(caller.actor, "session.end", { sessions_ended: count });
      await visitors.signOut(c);
      return leadTo(c, "/admin/sign-in");
    }));
}

/** Of the master token: there is nothing of its own but its sessions. */
function masterPage(c: Context, person: Person): Promise<Response> {
  return showPage(
    c,
    { title: "Master token", visitor: person, current: ACCOUNT_PATH },
    <>
      <p>
        You are signed in with the master token. It is for setting this gateway up, and for what nobody else
        may do: nobody can tell who used it, so a site with four eyes accepts no approval from it.
      </p>
      <p>
        <a href="/admin">Go to the overview</a>
      </p>
      <section aria-labelledby="sessions-title">
        <h2 id="sessions-title">Sessions</h2>
        <p>
          This session ends {LIMITS.MASTER_SESSION_MS / 3_600_000}{" "}
          hours after it began, and as soon as MASTER_TOKEN is set to another one.
        </p>
        <Form visitor={person} action={`${ACCOUNT_PATH}/sessions/end-all`}>
          <Submit quiet>End every session of the master token</Submit>
        </Form>
      </section>
    </>,
  );
}

function accountPage(c: Context, shown: AccountShown): Promise<Response> {
  const { person, faults, baseUrl } = shown;
  const done = DONE[c.req.query("done") ?? ""];
  const status = Object.keys(faults).length > 0 ? 400 : 200;
  const script = canHavePasskeys(baseUrl);
  return showPage(
    c,
    { title: "Your account", visitor: person, times: true, current: ACCOUNT_PATH, script, status },
    <>
      {done && status === 200 && (
        <Notice kind="done">
          <p>{done}</p>
        </Notice>
      )}
      <p>
        {"You are signed in as "}
        <strong>{person.user.email}</strong>.
      </p>
      <Passphrase {...shown} />
      <Passkeys {...shown} />
      <Sessions {...shown} />
    </>,
  );
}
