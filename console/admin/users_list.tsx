/** The list of people: searched, a page at a time, with what each may do and whether he or she can sign in. */
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { User } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import { listUsers } from "../../admin/users.ts";
import type { Person } from "../../identity/visitors.ts";
import { Field } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { showPage } from "../respond.tsx";
import { Empty, pageOf, Pages, Tag, Time } from "../parts.tsx";
import { Table } from "../table.tsx";
import type { PagesParts } from "./frame.tsx";
import { CEILINGS } from "./words.ts";

/** Where the list is. */
export const USERS = "/admin/users";
/** The address of a person's own page. */
export const userAddress = (id: string): string => `${USERS}/${encodeURIComponent(id)}`;

/** More sites than that are counted, not named. */
const NAMED_SITES = 3;
const DONE: Readonly<Record<string, string>> = {
  removed:
    "The person is removed, and signed out. Tokens, clients and connected accounts of that person have ended.",
};

/** How somebody can sign in, as it is now. */
export interface SignInState {
  readonly canSignIn: boolean;
  readonly hasPasskey: boolean;
  /** Whether there is a passphrase that no key of the gateway opens. */
  readonly isSealed: boolean;
  readonly sessions: number;
  /** The last one that is known of. */
  readonly signed_in_at: string | number | null;
  /** When an invitation that is open ends. */
  readonly invited_until: number | null;
}

/** When that person has signed in last, by the whole audit. */
export async function lastSignIn({ ports: { store } }: PagesParts, user: User): Promise<string | null> {
  const query = { tool: "session.sign_in", owner_user_id: user.id, status: "ok" } as const;
  return (await store.audit.list(query, { limit: 1 })).rows[0]?.at ?? null;
}

/** Reads how somebody can sign in; the last sign-in is a session's, else what `last` knows. */
export async function signInState(
  { ports, people }: PagesParts,
  user: User,
  last: () => Promise<string | null>,
): Promise<SignInState> {
  const { signIns, personSessions } = ports.store;
  const [ways, sessions, invited_until] = await Promise.all([
    signIns.get(user.id),
    personSessions.list(user.id),
    people.openInvitation(user),
  ]);
  const newest = sessions.length === 0 ? null : Math.max(...sessions.map(({ created_at }) => created_at));
  return {
    canSignIn: ways.passphrase !== null || ways.passkeys.length > 0,
    hasPasskey: ways.passkeys.length > 0,
    isSealed: ways.unopened !== null,
    sessions: sessions.length,
    signed_in_at: newest ?? await last(),
    invited_until,
  };
}

/** In a word or two, with when an invitation ends. */
export function StateTag({ state }: { readonly state: SignInState }): Child {
  const until = state.invited_until;
  const invited = until !== null && (
    <span class="hint">
      invited until <Time at={until} />
    </span>
  );
  if (state.sessions > 0) return [<Tag tone="good">signed in</Tag>, invited];
  if (state.canSignIn) return [<Tag>can sign in</Tag>, invited];
  if (until !== null) return [<Tag tone="wait">invited</Tag>, invited];
  return <Tag tone="bad">{state.isSealed ? "passphrase unreadable" : "cannot sign in"}</Tag>;
}

/** Sites in a few words. */
export function sitesText(sites: readonly string[], every: string): string {
  if (sites.includes("*")) return every;
  if (sites.length === 0) return "none";
  return sites.length <= NAMED_SITES ? sites.join(", ") : `${sites.length} sites`;
}

/** Those who fit, by e-mail address; `after` is the id that the page before ended with. */
function found(all: readonly User[], q: string, after: string) {
  const words = q.toLowerCase().split(" ").filter((one) => one !== "");
  const fits = all.filter(({ email, role }) =>
    words.every((word) => `${email} ${role}`.toLowerCase().includes(word))
  ).toSorted((a, b) => a.email < b.email ? -1 : 1);
  return { ...pageOf(fits, after, ({ id }) => id), count: fits.length };
}

/** The page. */
export async function listPage(c: Context, person: Person, parts: PagesParts): Promise<Response> {
  const asked = (name: string) => (c.req.query(name) ?? "").trim().slice(0, 200);
  const [q, after] = [asked("q"), asked("after")];
  const all = await listUsers(parts.ports, person.caller);
  const { shown, count, next } = found(all, q, after);
  const lately = await parts.recent.signIns.newest(({ owner_user_id }) => owner_user_id);
  const states = await Promise.all(
    shown.map((user) => signInState(parts, user, () => Promise.resolve(lately.get(user.id)?.at ?? null))),
  );
  const done = DONE[c.req.query("done") ?? ""];
  return await showPage(
    c,
    {
      ...{ title: "People", visitor: person, current: USERS, wide: true, times: true },
      action: { href: `${USERS}/new`, label: "Invite somebody" },
    },
    <>
      {done && (
        <Notice kind="done">
          <p>{done}</p>
        </Notice>
      )}
      {all.length > 0 && <SearchForm q={q} />}
      {all.length === 0
        ? (
          <Empty title="Nobody is here yet">
            Each person has tokens, connected accounts and clients, which can do no more than the person may.
            Invite yourself first, as an admin.
          </Empty>
        )
        : (
          <Table
            caption={`${count} ${count === 1 ? "person" : "people"}${q === "" ? "" : " who fit"}`}
            columns={["E-mail address", "Role", "Sites", "Approves on", "At most", "Signed in", "State"]}
            rows={shown.map((user, at) => rowOf(user, states[at]!))}
            empty="Nobody fits. Search for a part of the e-mail address, or for a role."
          />
        )}
      <Pages path={USERS} query={{ q }} after={after} next={next} />
    </>,
  );
}

function rowOf(user: User, state: SignInState): Child[] {
  return [
    <a href={userAddress(user.id)}>{seen(user.email)}</a>,
    user.role,
    sitesText(user.allowed_sites, "every site"),
    sitesText(user.approve_sites ?? [], "every site of theirs"),
    CEILINGS[user.max_risk],
    state.signed_in_at === null ? <span class="soft">not lately</span> : <Time at={state.signed_in_at} />,
    <StateTag state={state} />,
  ];
}

function SearchForm({ q }: { readonly q: string }): Child {
  return (
    <form method="get" action={USERS} class="filters" role="search">
      <Field name="q" label="Search" value={q} required={false} autocomplete="off" maxlength={200} />
      <button type="submit" class="quiet">Show</button>
    </form>
  );
}
