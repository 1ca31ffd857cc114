/** People, for admins and the master token: the list, invitations, each person's own page and what is done there. */
import type { Context, Hono } from "hono";
import { GatewayError } from "../../core/errors.ts";
import { quoted, refuseAny } from "../../core/faults.ts";
import type { User } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import { faultsOf, revisionOf } from "../../admin/site_form.ts";
import {
  changeUser,
  createUser,
  endSessions,
  managedUser,
  removeManagedUser,
  withdrawInvitation,
} from "../../admin/users.ts";
import { SCOPE_SITES_MAX } from "../../admin/bodies.ts";
import { isOwnSite } from "../../admin/site_rights.ts";
import { EnterButton } from "../site_picker.tsx";
import { isLookedAt, type Offered } from "../site_picks.ts";
import type { Person } from "../../identity/visitors.ts";
import type { MadeInvitation } from "../../identity/sign_in/people.ts";
import { Form, Submit } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { leadTo, showPage } from "../respond.tsx";
import { Time } from "../parts.tsx";
import { asPerson, asSender, assertAdmin, type PagesParts, worded } from "./frame.tsx";
import { asKeeper } from "./kept_form.tsx";
import {
  changesOf,
  fieldsFor,
  picksOf,
  SITES_FIELDS,
  UserFields,
  type UserForm,
  userOf,
} from "./user_form.tsx";
import { removePage, type SaidOfUser, userPage } from "./user_page.tsx";
import { listPage, userAddress, USERS } from "./users_list.tsx";

const STALE = "E_STALE_PREVIEW";
const isSecret = () => false;

/** Adds the routes under `/admin/users`. */
export function userPages(app: Hono, parts: PagesParts): void {
  const show = (act: (c: Context, person: Person) => Promise<Response>) => (c: Context) =>
    asPerson(parts, c, (person) => {
      assertAdmin(person, "sees people");
      return act(c, person);
    });
  app.get(USERS, show((c, person) => listPage(c, person, parts)));
  app.get(`${USERS}/new`, show((c, person) => newPage(c, person, parts)));
  app.post(`${USERS}/new`, (c) =>
    asKeeper(parts, c, isSecret, async (person, form, isAgain) => {
      assertAdmin(person, "invites people");
      const isLook = isLookedAt(form, ...SITES_FIELDS);
      return isAgain || isLook
        ? await newPage(c, person, parts, { form, faults: {}, isAgain, isLook })
        : await invite(c, person, parts, form);
    }));
  app.get(`${USERS}/:id`, show((c, person) => onePage(c, person, parts)));
  app.post(`${USERS}/:id`, (c) =>
    asKeeper(parts, c, isSecret, async (person, form, isAgain) => {
      assertAdmin(person, "manages people");
      return await change(c, person, parts, form, isAgain);
    }));
  actions(app, parts);
  removal(app, parts);
}

const idOf = (c: Context) => c.req.param("id") ?? "";

/** Shows the person whom the address names: oneself, or whom one manages. */
async function onePage(c: Context, person: Person, parts: PagesParts, said: SaidOfUser = {}) {
  const { caller } = person;
  const user = caller.user?.id === idOf(c) ? caller.user : await managedUser(parts.ports, caller, idOf(c));
  return await userPage(c, person, parts, user, await offerFor(parts, person), said);
}

/** The sites that may be given. */
async function offerFor({ ports }: PagesParts, { caller }: Person): Promise<Offered> {
  const [all, projects] = await Promise.all([ports.store.sites.list(), ports.store.projects.list()]);
  const sites = all.filter(({ id }) => isOwnSite(caller, id));
  const used = new Set(sites.map(({ project_id }) => project_id));
  return { sites, projects: projects.filter(({ id }) => used.has(id)), most: SCOPE_SITES_MAX };
}

interface NewForm {
  readonly form: URLSearchParams;
  readonly faults: Readonly<Record<string, string>>;
  readonly status?: number;
  readonly isAgain?: boolean;
  /** Whether only another part of the sites is looked at. */
  readonly isLook?: boolean;
}

const BLANK: UserForm = { email: "", allowed_sites: [] };

async function newPage(c: Context, person: Person, parts: PagesParts, sent?: NewForm): Promise<Response> {
  const admin = person.caller.user;
  const faults = sent?.faults ?? {};
  const offer = await offerFor(parts, person);
  return await showPage(
    c,
    {
      ...{ title: "Invite somebody", visitor: person, current: USERS, status: sent?.status ?? 200 },
      script: "forms.js",
    },
    <>
      {sent && !sent.isLook && (
        <Notice kind={sent.isAgain ? "warning" : "problem"}>
          <p>
            {sent.isAgain
              ? "Nothing is saved yet: this is what you typed."
              : `Nobody was invited. ${seen(faults[""] ?? "See below what is wrong")}.`}
          </p>
        </Notice>
      )}
      <p>
        You get a link, which you give to that person only: whoever opens it chooses how he or she signs in.
      </p>
      <Form visitor={person} action={`${USERS}/new`} class="grant">
        <EnterButton />
        <UserFields
          admin={admin}
          offer={offer}
          picks={sent && picksOf(sent.form, offer)}
          chosen={sent ? userOf(sent.form, admin === null, offer) : BLANK}
          faults={faults}
        />
        <Submit>Make the invitation</Submit>
      </Form>
      <p>
        <a href={USERS}>All people</a>
      </p>
    </>,
  );
}

/** Makes the person and the link, or shows the form with what is wrong. */
async function invite(c: Context, person: Person, parts: PagesParts, form: URLSearchParams) {
  const { ports, people } = parts;
  const { caller } = person;
  let user: User;
  try {
    const offer = await offerFor(parts, person);
    user = await createUser(ports, caller, { role: "member", ...userOf(form, caller.user === null, offer) });
  } catch (thrown) {
    const { faults, status } = worded(c, thrown);
    return await newPage(c, person, parts, {
      form,
      faults: faultsOf(faults, fieldsFor(caller.user)),
      status,
    });
  }
  return await linkPage(c, person, await people.invite(caller.actor, user));
}

/** The link, this once. */
async function linkPage(c: Context, person: Person, { link, email, expires_at, user_id }: MadeInvitation) {
  return await showPage(
    c,
    { title: "The invitation", visitor: person, current: USERS, times: true },
    <>
      <Notice kind="done">
        <p>
          {"Copy the link now: it is shown this once. Give it to "}
          <strong>{seen(email)}</strong>
          {" only, over a channel that nobody else reads."}
        </p>
      </Notice>
      <code class="secret">{link}</code>
      <p>
        It works once, until <Time at={expires_at} />. Another invitation of the same person ends it.
      </p>
      <p>
        <a href={userAddress(user_id)}>Go on to the person's page</a>
      </p>
    </>,
  );
}

/** Changes what the form says differently; where somebody was there first, nothing, and both are shown. */
async function change(
  c: Context,
  person: Person,
  parts: PagesParts,
  form: URLSearchParams,
  isAgain: boolean,
): Promise<Response> {
  const { ports } = parts;
  const { caller } = person;
  const user = await managedUser(ports, caller, idOf(c));
  const offer = await offerFor(parts, person);
  const [chosen, picks] = [userOf(form, caller.user === null, offer), picksOf(form, offer)];
  const revision = form.get("revision") ?? "";
  const isLook = isLookedAt(form, ...SITES_FIELDS);
  if (isAgain || isLook) return await onePage(c, person, parts, { chosen, picks, isAgain, isLook, revision });
  const stale = () => new GatewayError(STALE, "Somebody changed this person while the form was open");
  try {
    if (revisionOf(user) !== revision) throw stale();
    const patch = changesOf(user, chosen);
    if (Object.keys(patch).length === 0) return leadTo(c, `${userAddress(user.id)}?done=same`);
    await changeUser(ports, caller, user.id, patch, (stored) => {
      if (revisionOf(stored) !== revision) throw stale();
    });
  } catch (thrown) {
    const { faults, status } = worded(c, thrown);
    if ((thrown as GatewayError).code === STALE) {
      return await onePage(c, person, parts, { chosen, picks, isStale: true, status });
    }
    return await onePage(c, person, parts, {
      chosen,
      picks,
      faults: faultsOf(faults, fieldsFor(caller.user)),
      status,
      revision,
    });
  }
  return leadTo(c, `${userAddress(user.id)}?done=changed`);
}

/** What a button of a person's page does: invite again, withdraw the invitation, sign out. */
function actions(app: Hono, parts: PagesParts): void {
  const { ports, people } = parts;
  const on = (verb: string, act: (c: Context, person: Person) => Promise<Response>) =>
    app.post(`${USERS}/:id/${verb}`, (c) =>
      asSender(parts, c, async (person) => {
        assertAdmin(person, "manages people");
        return await act(c, person);
      }, USERS));
  on("invite", async (c, person) => {
    const user = await managedUser(ports, person.caller, idOf(c));
    return await linkPage(c, person, await people.invite(person.caller.actor, user));
  });
  on("withdraw", async (c, { caller }) => {
    await withdrawInvitation(ports, caller, idOf(c));
    return leadTo(c, `${userAddress(idOf(c))}?done=withdrawn`);
  });
  on("sign-out", async (c, { caller }) => {
    await endSessions(ports, caller, idOf(c));
    return leadTo(c, `${userAddress(idOf(c))}?done=signed-out`);
  });
}

/** Removing a person: what ends is shown first, and it is done where the e-mail address is typed. */
function removal(app: Hono, parts: PagesParts): void {
  const { ports } = parts;
  const at = `${USERS}/:id/remove`;
  app.get(at, (c) =>
    asPerson(parts, c, async (person) => {
      assertAdmin(person, "removes people");
      return await removePage(c, person, parts, await managedUser(ports, person.caller, idOf(c)));
    }));
  app.post(at, (c) =>
    asSender(parts, c, async (person, form) => {
      assertAdmin(person, "removes people");
      const user = await managedUser(ports, person.caller, idOf(c));
      try {
        if (form.get("confirm")?.trim() !== user.email) {
          refuseAny([`Type ${quoted(user.email)} exactly as it is written; nobody was removed`]);
        }
        await removeManagedUser(ports, person.caller, user.id);
      } catch (thrown) {
        return await removePage(c, person, parts, user, worded(c, thrown));
      }
      return leadTo(c, `${USERS}?done=removed`);
    }, USERS));
}
