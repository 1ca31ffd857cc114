/** A person's own page: what he or she may do, with whose tokens and clients, how he or she signs in, and the end of it. */
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { isWorking, type User } from "../../core/model.ts";
import { cut } from "../../core/values.ts";
import { seen } from "../../core/unseen.ts";
import { CEILINGS as PERMITTED } from "../../admin/ceilings.ts";
import { revisionOf } from "../../admin/site_form.ts";
import { isOwnSite } from "../../admin/site_rights.ts";
import { listTokens } from "../../admin/tokens.ts";
import { isManaged } from "../../identity/rights.ts";
import type { Person } from "../../identity/visitors.ts";
import { Field, Form, Submit } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { showPage } from "../respond.tsx";
import { fewOf, Section, Time } from "../parts.tsx";
import { FactList, Table } from "../table.tsx";
import type { PagesParts } from "./frame.tsx";
import { EnterButton } from "../site_picker.tsx";
import type { Offered, Picked } from "../site_picks.ts";
import { ROLE_WORDS, UserFields, type UserForm } from "./user_form.tsx";
import {
  lastSignIn,
  type SignInState,
  signInState,
  sitesText,
  StateTag,
  userAddress,
  USERS,
} from "./users_list.tsx";
import { CEILINGS } from "./words.ts";

/** More sites than that are counted, not named. */
const NAMED_MAX = 20;
const DONE: Readonly<Record<string, string>> = {
  changed: "The person is changed; the next call of a token or a client finds it so.",
  same: "Nothing was changed: the form said what is set already.",
  withdrawn: "The invitation is withdrawn: its link no longer works.",
  "signed-out": "Every session of the person has ended. Tokens and clients go on.",
};

/** What the page says beside the person. */
export interface SaidOfUser {
  /** What was filled in, where it was not saved. */
  readonly chosen?: UserForm;
  readonly faults?: Readonly<Record<string, string>>;
  readonly status?: number;
  /** Of which record it was filled in, where that stands. */
  readonly revision?: string;
  readonly isAgain?: boolean;
  /** Which part of the sites is looked at, and whether that is all that was asked for. */
  readonly picks?: Readonly<Record<string, Picked>>;
  readonly isLook?: boolean;
  /** Whether somebody else changed the person while the form was open. */
  readonly isStale?: boolean;
}

/** The page of somebody whom the caller sees. */
export async function userPage(
  c: Context,
  person: Person,
  parts: PagesParts,
  user: User,
  offer: Offered,
  said: SaidOfUser,
): Promise<Response> {
  const { caller } = person;
  const state = await signInState(parts, user, () => lastSignIn(parts, user));
  const manages = isManaged(caller.user, user);
  const done = said.chosen ? undefined : DONE[c.req.query("done") ?? ""];
  return await showPage(
    c,
    {
      title: seen(user.email),
      visitor: person,
      current: USERS,
      wide: true,
      times: true,
      script: "forms.js",
      status: said.status ?? 200,
    },
    <>
      {done && (
        <Notice kind="done">
          <p>{done}</p>
        </Notice>
      )}
      <Said said={said} />
      <p class="ways">
        <a href={USERS}>All people</a>
      </p>
      <Facts user={user} state={state} />
      {manages && <SignIn person={person} user={user} state={state} />}
      {manages
        ? <Rights person={person} user={user} offer={offer} said={said} />
        : <p class="hint">What you may do yourself is changed with the master token.</p>}
      <Section id="in-their-name" title="What acts in this person's name">
        {caller.user === null || caller.user.id === user.id
          ? await acting(person, parts, user)
          : <p>{`Only ${seen(user.email)} and the master token see the tokens and clients.`}</p>}
      </Section>
      {manages && (
        <Section id="remove" title="Remove">
          <p>Ends every session, token, client and connected account of this person.</p>
          <p>
            <a href={`${userAddress(user.id)}/remove`}>See what would end</a>
          </p>
        </Section>
      )}
    </>,
  );
}

function Said(
  { said: { chosen, faults = {}, isAgain, isLook, isStale } }: { readonly said: SaidOfUser },
): Child {
  if (chosen === undefined || isLook) return null;
  const words = isStale
    ? "Nothing was saved: somebody else changed this person while the form was open. Above stands what is set now, below what you typed. Save once more to put yours in its place."
    : isAgain
    ? "Nothing is saved yet: this is what you typed."
    : `Nothing was saved. ${seen(faults[""] ?? "See below what is wrong")}.`;
  return (
    <Notice kind={isStale || isAgain ? "warning" : "problem"}>
      <p>{words}</p>
    </Notice>
  );
}

function Facts({ user, state }: { readonly user: User; readonly state: SignInState }): Child {
  const facts: [string, Child][] = [
    ["Role", `${user.role}: ${ROLE_WORDS[user.role]}`],
    [
      "Sites",
      user.allowed_sites.length > NAMED_MAX
        ? `${user.allowed_sites.length} sites`
        : user.allowed_sites.includes("*")
        ? "every site"
        : user.allowed_sites.join(", ") || "none",
    ],
    ["At most", `${CEILINGS[user.max_risk]}: ${PERMITTED[user.max_risk]![0]}`],
    ["Approves on", sitesText(user.approve_sites ?? [], "every site that he or she may use")],
    ["Made", <Time at={user.created_at} />],
    ["Last sign-in", state.signed_in_at === null ? "never" : <Time at={state.signed_in_at} />],
    ["State", <StateTag state={state} />],
  ];
  return <FactList facts={facts} />;
}

interface Managed {
  readonly person: Person;
  readonly user: User;
}

function SignIn({ person, user, state }: Managed & { readonly state: SignInState }): Child {
  const at = userAddress(user.id);
  const isOpen = state.invited_until !== null;
  return (
    <Section id="sign-in" title="Signing in">
      <p>
        {state.canSignIn
          ? "When another invitation is used, what was set before no longer works and every session ends: it is the way back after a lost passphrase or device."
          : "Nobody can sign in as this person before an invitation is used."}
      </p>
      <Form visitor={person} action={`${at}/invite`}>
        <Submit quiet>{isOpen || state.canSignIn ? "Invite again" : "Make an invitation"}</Submit>
        {isOpen && <span class="hint">The link that is open now ends.</span>}
      </Form>
      {isOpen && (
        <Form visitor={person} action={`${at}/withdraw`}>
          <Submit quiet>Withdraw the invitation</Submit>
        </Form>
      )}
      {state.sessions > 0 && (
        <Form visitor={person} action={`${at}/sign-out`}>
          <Submit quiet>
            {state.sessions === 1 ? "End the session" : `End all ${state.sessions} sessions`}
          </Submit>
        </Form>
      )}
    </Section>
  );
}

function Rights(
  { person, user, offer, said }: Managed & { readonly offer: Offered; readonly said: SaidOfUser },
): Child {
  return (
    <Section id="rights" title="What this person may do">
      <Form visitor={person} action={userAddress(user.id)} class="grant">
        <EnterButton />
        <input type="hidden" name="revision" value={said.revision ?? revisionOf(user)} />
        <UserFields
          admin={person.caller.user}
          offer={offer}
          picks={said.picks}
          chosen={said.chosen ?? user}
          faults={said.faults ?? {}}
        />
        <Submit>Save</Submit>
      </Form>
    </Section>
  );
}

/** Of more tokens or clients of a person the newest are shown; pages of their own have them all. */
const ACTING_MAX = 20;
const NAME_SHOWN = 80;
const captionOf = (what: string, count: number) =>
  count > ACTING_MAX ? `${what}, the newest ${ACTING_MAX} of ${count}` : what;

/** What a client calls itself, as much as tells it from others. */
const clientName = ({ client_name }: { readonly client_name: string }) => cut(seen(client_name), NAME_SHOWN);

/** Tokens and clients, for who may see them. */
async function acting(person: Person, { ports }: PagesParts, user: User): Promise<Child> {
  const [tokens, clients] = await Promise.all([
    listTokens(ports, person.caller),
    (await ports.clients()).list(user.id),
  ]);
  const own = tokens.filter((one) => one.owner_user_id === user.id && isWorking(one, ports.now()));
  return [
    <Table
      caption={captionOf("Tokens", own.length)}
      columns={["Name", "Sites", "At most", "Made"]}
      rows={own.toReversed().slice(0, ACTING_MAX).map((token) => [
        <a href={`/admin/tokens/${token.id}`}>{seen(token.name)}</a>,
        sitesText(token.allowed_sites, "every site of its person"),
        CEILINGS[token.max_risk],
        <Time at={token.created_at} />,
      ])}
      empty="No token of this person works."
    />,
    <Table
      caption={captionOf("Connected clients", clients.length)}
      columns={["Client", "Sites", "At most", "Last seen", "End"]}
      rows={clients.toReversed().slice(0, ACTING_MAX).map((client) => [
        clientName(client),
        sitesText(client.allowed_sites, "every site of its person"),
        CEILINGS[client.max_risk],
        <Time at={client.refreshed_at} />,
        <Form visitor={person} action="/admin/clients/end">
          <input type="hidden" name="client" value={client.grant_id} />
          <Submit quiet label={`End the access of ${clientName(client)}`}>End</Submit>
        </Form>,
      ])}
      empty="This person has let no client in."
    />,
  ];
}

/** What ends with a person. */
async function endingWith({ ports }: PagesParts, { caller }: Person, user: User): Promise<Child[][]> {
  const { store, connectors } = ports;
  const [sessions, tokens, clients, accounts, sites] = await Promise.all([
    store.personSessions.list(user.id),
    store.tokens.list(),
    (await ports.clients()).list(user.id),
    (await ports.connections()).list(user.id),
    store.sites.list(),
  ]);
  const fields = [...connectors.siteFields].filter(([, { user: isUser }]) => isUser).map(([name]) => name);
  const bound = sites.filter((site) =>
    isOwnSite(caller, site.id) &&
    fields.some((name) => (site as unknown as Record<string, unknown>)[name] === user.id)
  );
  const working = tokens.filter((one) => one.owner_user_id === user.id && isWorking(one, ports.now()));
  return [
    ["Sessions, which end", String(sessions.length)],
    ["Tokens, which stop working", String(working.length)],
    ["Connected clients, whose access ends", String(clients.length)],
    ["Connected accounts, which are forgotten", String(accounts.length)],
    ["Sites that use such an account, and lose it", fewOf(bound.map(({ id }) => id), "none")],
  ];
}

/** What would end with a person, and the form that ends it. */
export async function removePage(
  c: Context,
  person: Person,
  parts: PagesParts,
  user: User,
  problem?: { readonly message: string; readonly status: number },
): Promise<Response> {
  return await showPage(
    c,
    { title: `Remove ${seen(user.email)}`, visitor: person, current: USERS, status: problem?.status ?? 200 },
    <>
      <p>
        The person is signed out and can never sign in again as this user. The audit keeps its rows. To erase
        what is kept of the person there too, whoever holds the master token has the command{" "}
        <code>erase</code>.
      </p>
      <Table
        caption="What ends"
        columns={["What", "How many"]}
        rows={await endingWith(parts, person, user)}
        empty=""
      />
      <Form visitor={person} action={`${userAddress(user.id)}/remove`}>
        <Field
          name="confirm"
          label={`Type the e-mail address, ${seen(user.email)}, to remove this person`}
          error={problem && `${seen(problem.message)}.`}
          autocomplete="off"
        />
        <Submit>Remove this person</Submit>
      </Form>
      <p>
        <a href={userAddress(user.id)}>Keep this person</a>
      </p>
    </>,
  );
}
