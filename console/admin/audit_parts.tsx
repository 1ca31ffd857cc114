/** What lists of the audit and of changes share: addresses, filters, tags, the ways on. */
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { ASKED, type Asked } from "../../admin/audit_pages.ts";
import { ASKED_STATUSES, type AuditRow, OUTCOMES, UNSUCCESSFUL } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import type { Person } from "../../identity/visitors.ts";
import { Field, Select } from "../form.tsx";
import { Tag, type Tone } from "../parts.tsx";

/** Where it is. */
export const AUDIT = "/admin/audit";
const CHARACTERS_MAX = 2048;

/** The address of a row's own page. */
export const rowAddress = (id: string): string => `${AUDIT}/${encodeURIComponent(id)}`;

/** What an address asks for, without what is empty. */
export function askedBy(c: Context): Asked {
  return Object.fromEntries(ASKED.flatMap((name) => {
    const value = (c.req.query(name) ?? "").trim().slice(0, CHARACTERS_MAX);
    return value === "" ? [] : [[name, value]];
  }));
}

/** An address with that asked for. */
export function addressWith(path: string, given: Readonly<Record<string, string | undefined>>): string {
  const all = Object.entries(given).flatMap(([name, value]) =>
    value ? [[name, value] as [string, string]] : []
  );
  return all.length === 0 ? path : `${path}?${new URLSearchParams(all)}`;
}

/** Which rows or changes somebody sees. */
export function whose({ caller: { user } }: Person, what: string): string {
  if (user === null) return `Every ${what}, newest first.`;
  return user.role === "admin"
    ? `Each ${what} in your name and on the sites that you manage, newest first. The master token sees all.`
    : `Each ${what} in your name, newest first: of your tokens, your clients and your own pages.`;
}

/** The filters, as a form that goes into the address. */
export function Filters(
  { action, asked, isAudit = false }: {
    readonly action: string;
    readonly asked: Asked;
    readonly isAudit?: boolean;
  },
): Child {
  const text = (name: keyof Asked, label: string, hint?: string) => (
    <Field
      {...{ name, label, value: asked[name] ?? "", required: false, autocomplete: "off" }}
      {...hint === undefined ? {} : { hint }}
    />
  );
  // A time of the address stays as it is: a browser's calendar has days alone.
  const day = (name: "from" | "to", label: string) =>
    (asked[name] ?? "").length > "2026-11-21".length ? text(name, `${label} (a time in UTC)`) : (
      <Field
        {...{ name, label: `${label} (UTC)`, value: asked[name] ?? "", required: false, type: "date" }}
      />
    );
  const choice = (name: keyof Asked, label: string, all: readonly string[], every: string) => (
    <Select
      {...{ name, label, value: asked[name] ?? "" }}
      options={[
        { value: "", label: every },
        ...all.map((value) => ({
          value,
          label: value === UNSUCCESSFUL ? "failed or refused" : spaced(value),
        })),
      ]}
    />
  );
  const more = (["person", "client", "token", "set"] as const).some((name) => asked[name]);
  return (
    <form method="get" action={action} role="search">
      <div class="filters">
        {text("site", "Site (its id)")}
        {text("tool", "Tool")}
        {day("from", "From")}
        {day("to", "Until and with")}
        {isAudit && choice("status", "Status", ASKED_STATUSES, "every status")}
        {isAudit && choice("outcome", "Change", OUTCOMES, "every outcome")}
        <button type="submit" class="quiet">Show</button>
      </div>
      <details class="part" open={more}>
        <summary>Person, client, token, set</summary>
        <div class="filters">
          {text("person", "Person (e-mail or id)")}
          {text("client", "Client (its id)")}
          {text("token", "Token (name or id)")}
          {text("set", "Change set (its id)")}
        </div>
      </details>
    </form>
  );
}

const spaced = (name: string) => name.replaceAll("_", " ");

const TONES: Readonly<Record<AuditRow["status"], Tone>> = {
  started: "wait",
  ok: "good",
  error: "bad",
  denied: "bad",
  risk_capped: "bad",
  needs_confirmation: "plain",
};

/** Words of a name up to here are not torn: longer ones would make a table wider than the screen. */
const WORD_CHARACTERS = 20;

/** The name of a tool, broken between its words alone; it leads to its row where one is given. */
export function ToolName({ tool, row }: { readonly tool: string; readonly row?: string }): Child {
  const words = seen(tool).split("_");
  const isWhole = words.every(({ length }) => length <= WORD_CHARACTERS);
  const name = words.map((word, at) =>
    at === 0 ? word : (
      <>
        _<wbr />
        {word}
      </>
    )
  );
  const kind = isWhole ? "words" : undefined;
  return row === undefined
    ? <span class={kind}>{name}</span>
    : <a href={rowAddress(row)} class={kind}>{name}</a>;
}

/** The name of a row's tool, which leads to the row. */
export function ToolLink({ row: { id, tool } }: { readonly row: AuditRow }): Child {
  return <ToolName tool={tool} row={id} />;
}

/** What became of a call, as tags. */
export function StatusTags({ row }: { readonly row: AuditRow }): Child {
  return (
    <>
      <Tag tone={TONES[row.status]}>{spaced(row.status)}</Tag>
      {row.outcome === "made" && <Tag tone="good">changed</Tag>}
      {row.outcome === "unknown" && <Tag tone="bad">in doubt</Tag>}
      {row.approval_id !== undefined && <Tag>approval</Tag>}
      {row.set_id !== undefined && <Tag>set</Tag>}
      {row.error !== null && <span class="hint">{seen(row.error)}</span>}
    </>
  );
}

/** The ways on from a page of a list. */
export function Ways(
  { path, asked, isFirst, next, children }: {
    readonly path: string;
    readonly asked: Asked;
    readonly isFirst: boolean;
    readonly next: string | null;
    readonly children?: Child;
  },
): Child {
  return (
    <nav aria-label="Pages of the list">
      <p class="ways">
        {!isFirst && <a href={addressWith(path, asked)}>Newest</a>}
        {next !== null && <a href={addressWith(path, { ...asked, cursor: next })}>Older</a>}
        {children}
      </p>
    </nav>
  );
}
