/** The list of tokens: searched, a page at a time, with when each was used last and when it ends. */
import { counted } from "../../core/one_line.ts";
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { isExpired, isWorking, type Token } from "../../core/model.ts";
import { cut } from "../../core/values.ts";
import { seen } from "../../core/unseen.ts";
import type { AdminPorts } from "../../admin/ports.ts";
import { listTokens } from "../../admin/tokens.ts";
import type { Person } from "../../identity/visitors.ts";
import { Field, Select } from "../form.tsx";
import { Empty, Tag, Time } from "../parts.tsx";
import { addressWith, AUDIT } from "./audit_parts.tsx";
import { Table } from "../table.tsx";
import { sitesText } from "./users_list.tsx";
import { CEILINGS } from "./words.ts";

/** Where the pages are. */
export const TOKENS = "/admin/tokens";

const PAGE_TOKENS = 25;
/** So much of a name tells one from others; its own page has it whole. */
const NAME_SHOWN = 50;
const STATES = [
  ["working", "those that work"],
  ["ended", "revoked or expired"],
  ["all", "all"],
] as const;
/** An end that is nearer than this is said aloud. */
const SOON_MS = 7 * 24 * 60 * 60_000;

interface Query {
  readonly q: string;
  readonly state: string;
  readonly after: string;
}

/** The list with its search; `empty` where nobody has a token yet. */
export async function tokensList(c: Context, person: Person, ports: AdminPorts): Promise<Child> {
  const asked = (name: string) => (c.req.query(name) ?? "").trim().slice(0, 200);
  const [q, after, state] = [asked("q"), asked("after"), asked("state") || "working"];
  const all = await listTokens(ports, person.caller);
  if (all.length === 0) return <NoToken own={person.user !== null} />;
  const owners = await ownersOf(ports, person, all);
  const { shown, count, next } = found(all, { q, after, state }, owners, ports.now());
  const uses = await ports.store.tokens.uses(shown.map(({ id }) => id));
  const isNarrowed = q !== "" || state !== "working";
  return (
    <>
      <SearchForm q={q} state={state} />
      <Table
        caption={`${counted(count, "token")}${
          isNarrowed ? " that fit" : person.user !== null ? " that work in your name" : " that work"
        }`}
        columns={["Name", "Sites", "At most", "Last used", "Ends", "State"]}
        rows={shown.map((token) =>
          rowOf(token, {
            owner: owners.get(token.owner_user_id ?? ""),
            used: uses.get(token.id),
            now: ports.now(),
          })
        )}
        empty={isNarrowed
          ? "No token fits. Search for a part of its name or of a site's id."
          : "No token works."}
      />
      <Pages query={{ q, state, after }} next={next} />
    </>
  );
}

function NoToken({ own }: { readonly own: boolean }): Child {
  return (
    <Empty title={own ? "You have no token yet" : "There is no token yet"}>
      An agent or a script calls tools with one. Make the first below: choose its sites, and what it may do
      there at most.
    </Empty>
  );
}

/** The e-mail addresses of owners, for the master token, which sees everybody's. */
async function ownersOf(
  { store }: AdminPorts,
  { user }: Person,
  tokens: readonly Token[],
): Promise<ReadonlyMap<string, string>> {
  if (user !== null || tokens.every(({ owner_user_id }) => owner_user_id === null)) return new Map();
  return new Map((await store.users.list()).map(({ id, email }) => [id, email]));
}

/** Those that fit, the newest first; `after` is the id that the page before ended with. */
function found(
  all: readonly Token[],
  { q, state, after }: Query,
  owners: ReadonlyMap<string, string>,
  now: number,
) {
  const words = q.toLowerCase().split(" ").filter((one) => one !== "");
  const fits = all.toReversed().filter((token) => {
    if (state !== "all" && isWorking(token, now) !== (state !== "ended")) return false;
    if (words.length === 0) return true;
    const owner = owners.get(token.owner_user_id ?? "") ?? "";
    const text = `${token.name} ${token.id} ${token.env} ${owner} ${token.allowed_sites.join(" ")}`
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const start = fits.findIndex(({ id }) => id === after) + 1;
  const shown = fits.slice(start, start + PAGE_TOKENS);
  return { shown, count: fits.length, next: start + PAGE_TOKENS < fits.length ? shown.at(-1)!.id : null };
}

interface RowFacts {
  readonly owner: string | undefined;
  readonly used: string | undefined;
  readonly now: number;
}

function rowOf(token: Token, { owner, used, now }: RowFacts): Child[] {
  const name = seen(cut(token.name, NAME_SHOWN));
  return [
    <>
      {token.revoked_at === null ? <a href={`${TOKENS}/${token.id}`}>{name}</a> : name}
      {token.revoked_at !== null && (
        <span class="hint">
          <a href={addressWith(AUDIT, { token: token.id })} aria-label={`Every call of ${name}`}>Its calls</a>
        </span>
      )}
      {owner !== undefined && <span class="hint">{seen(cut(owner, NAME_SHOWN))}</span>}
    </>,
    sitesText(token.allowed_sites, token.owner_user_id === null ? "every site" : "every site of its person"),
    CEILINGS[token.max_risk],
    used === undefined ? <span class="soft">never</span> : <Time at={used} />,
    token.expires_at === undefined ? <span class="soft">when revoked</span> : <Time at={token.expires_at} />,
    <StateOf token={token} now={now} />,
  ];
}

function StateOf({ token, now }: { readonly token: Token; readonly now: number }): Child {
  if (token.revoked_at !== null) {
    return (
      <>
        <Tag>revoked</Tag>
        <span class="hint">
          at <Time at={token.revoked_at} />
        </span>
      </>
    );
  }
  return (
    <>
      {isExpired(token, now)
        ? <Tag>expired</Tag>
        : isExpired(token, now + SOON_MS)
        ? <Tag tone="wait">ends soon</Tag>
        : <Tag tone="good">works</Tag>}
      <span class="hint">
        made <Time at={token.created_at} />
      </span>
    </>
  );
}

function SearchForm({ q, state }: Omit<Query, "after">): Child {
  return (
    <form method="get" action={`${TOKENS}#list`} class="filters" role="search" id="list">
      <Field name="q" label="Search" value={q} required={false} autocomplete="off" maxlength={200} />
      <Select
        name="state"
        label="Show"
        value={state}
        options={STATES.map(([value, label]) => ({ value, label }))}
      />
      <button type="submit" class="quiet">Show</button>
    </form>
  );
}

function Pages({ query, next }: { readonly query: Query; readonly next: string | null }): Child {
  if (query.after === "" && next === null) return null;
  const at = (more: Record<string, string>) =>
    `${TOKENS}?${new URLSearchParams({ q: query.q, state: query.state, ...more })}`;
  return (
    <nav aria-label="Pages of the list">
      <p class="ways">
        {query.after !== "" && <a href={at({})}>First page</a>}
        {next !== null && <a href={at({ after: next })}>Next page</a>}
      </p>
    </nav>
  );
}
