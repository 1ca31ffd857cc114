/** One row of the audit: what was asked for, by whom, what was decided about it, what it changed, and the way back. */
import { formOf } from "../../core/one_line.ts";
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { AuditRow, Change } from "../../core/model.ts";
import { isFields } from "../../core/values.ts";
import { seen } from "../../core/unseen.ts";
import type { Person } from "../../identity/visitors.ts";
import { Section, Time } from "../parts.tsx";
import { showPage } from "../respond.tsx";
import { Fact, Table } from "../table.tsx";
import { valueText } from "./approval_changes.tsx";
import { drawing, wholeText } from "./approval_text.tsx";
import { type Finding, ResolveSection } from "./audit_resolve.tsx";
import { addressWith, AUDIT, rowAddress, StatusTags } from "./audit_parts.tsx";
import { CHANGES, UndoWay } from "./change_parts.tsx";
import type { PagesParts } from "./frame.tsx";
import { CEILINGS } from "./words.ts";

/** The page. */
export async function rowPage(
  c: Context,
  person: Person,
  parts: PagesParts,
  row: AuditRow,
  finding?: Finding,
): Promise<Response> {
  const isChange = row.outcome === "made" || row.outcome === "unknown";
  const change = isChange ? await parts.ports.changeOf(row) : null;
  return await showPage(
    c,
    {
      ...{ title: `${seen(row.tool)}`, visitor: person, current: AUDIT, wide: true, times: true },
      ...finding && { status: finding.status },
    },
    <>
      <p>
        <StatusTags row={row} />
      </p>
      <Facts row={row} />
      <Section id="decided" title="What was decided">
        <ol>{decisionsOf(row).map((one) => <li dir="auto">{one}</li>)}</ol>
      </Section>
      <ResolveSection row={row} person={person} finding={finding} />
      <Section id="asked" title="What was asked for">
        <p class="hint">Without secrets, and long texts shortened: so it stands in the audit.</p>
        <Arguments of={row.arguments} />
      </Section>
      {row.calls && row.calls.length > 0 && <Calls row={row} />}
      {isChange && (
        <Section id="changed" title="Before and after">
          <Values changes={row.changes} />
          {row.made && row.made.length > 0 && (
            <p>
              {`Made new: ${
                row.made.map(({ what, id, name, unsure }) =>
                  seen([what, id, name, unsure && "(not certain)"].filter(Boolean).join(" "))
                ).join(", ")
              }.`}
            </p>
          )}
        </Section>
      )}
      {change !== null && (
        <Section id="undo" title="The way back">
          <UndoWay row={row} change={change} person={person} />
        </Section>
      )}
      <p class="ways">
        <a href={AUDIT}>The audit</a>
        {isChange && <a href={CHANGES}>Changes</a>}
      </p>
    </>,
  );
}

/** A link to the rows that have the same. */
const Same = ({ name, value }: { readonly name: string; readonly value: string }): Child => (
  <a href={addressWith(AUDIT, { [name]: value })}>{seen(value)}</a>
);

function Facts({ row }: { readonly row: AuditRow }): Child {
  const { site_id, target_site_id, client_id, owner_user_id, set_id, item, approval_id, result_id } = row;
  return (
    <dl class="facts">
      <Fact name="When">
        <Time at={row.at} />
      </Fact>
      {site_id !== null && (
        <Fact name="Site">
          <Same name="site" value={site_id} />
          {target_site_id !== undefined && ` to ${seen(target_site_id)}`}
        </Fact>
      )}
      <Fact name="Token">
        <Same name="token" value={row.token_name} />
      </Fact>
      {owner_user_id !== null && (
        <Fact name="Person">
          <Same name="person" value={owner_user_id} />
        </Fact>
      )}
      {client_id !== undefined && (
        <Fact name="Client">
          <Same name="client" value={client_id} />
        </Fact>
      )}
      <Fact name="Came in by">
        {row.door === "admin" ? "these pages, a command or the gateway" : row.door}
      </Fact>
      {result_id !== undefined && <Fact name="Concerns">{seen(String(result_id))}</Fact>}
      {approval_id !== undefined && (
        <Fact name="Approval">
          <a href={`/admin/approvals/${encodeURIComponent(approval_id)}`}>{seen(approval_id)}</a>
        </Fact>
      )}
      {set_id !== undefined && (
        <Fact name="Change set">
          <Same name="set" value={set_id} />
          {item !== undefined && `, item ${item}`}
        </Fact>
      )}
      {row.paths && <Fact name="Files">{seen(row.paths.join(", "))}</Fact>}
      <Fact name="Request id">{seen(row.request_id)}</Fact>
      <Fact name="Took">{row.duration_ms === null ? "not known" : `${Math.round(row.duration_ms)} ms`}</Fact>
    </dl>
  );
}

const STATUS_WORDS: Readonly<Record<AuditRow["status"], string>> = {
  started: "It is under way, or was cut off.",
  ok: "The call was let through and ended well.",
  error: "The call was let through, or refused by a check of the tool, and failed.",
  denied: "Refused: the token or its person may not do this.",
  risk_capped: "Refused before it ran: it lies above the ceiling of the token or its person.",
  needs_confirmation: "A preview was answered; nothing was changed until it is confirmed.",
};

const OUTCOME_WORDS = {
  none: "Nothing was changed.",
  made: "The change was made.",
  unknown: "Nobody knows whether the change was made.",
} as const;

/** What the gateway, and people, decided about the call, in that order. */
function decisionsOf(row: AuditRow): Child[] {
  const { tier, status, error, outcome, approval_id, edited_by, edited_from, repeats, resolution } = row;
  const out = row.items_left_out ?? [];
  const lines: (Child | null)[] = [
    tier === null ? null : `What it may do at most: ${CEILINGS[tier]} (T${tier}).`,
    approval_id === undefined ? null : "It went to a person for approval.",
    row.shown_to === undefined ? null : `It was shown to ${seen(row.shown_to)}.`,
    edited_by === undefined
      ? null
      : `Its texts were edited by ${seen(edited_by)}${
        edited_from === undefined ? "" : `, from request ${seen(edited_from)}`
      }.`,
    row.approved_by === undefined ? null : `Approved by ${seen(row.approved_by)}.`,
    out.length === 0 ? null : `Left out: ${formOf(out.length, "item")} ${out.join(", ")}.`,
    STATUS_WORDS[status],
    error === null ? null : `It was answered with ${seen(error)}.`,
    repeats === undefined ? null : (
      <>
        It is the same call again, and was given the answer of{" "}
        <a href={rowAddress(repeats)}>{seen(repeats)}</a>.
      </>
    ),
    ...row.carried_out === undefined
      ? []
      : [`Carried out before it failed: ${seen(row.carried_out.join("; "))}.`],
    outcome === undefined ? null : OUTCOME_WORDS[outcome],
    liveLine(row),
    resolution === undefined ? null : (
      <>
        {`${seen(resolution.by)} found it ${resolution.found === "made" ? "made" : "not made"}: ${
          seen(resolution.note)
        } `}(<Time at={resolution.at} />)
      </>
    ),
  ];
  return lines.filter((one): one is Child => one !== null);
}

function liveLine({ _published, outcome, approval_id }: AuditRow): string | null {
  if (_published === true) return "Visitors got it at once.";
  if (_published === null) return "Whether visitors got it is not certain.";
  if (outcome !== "made") return null;
  return approval_id === undefined
    ? "What was verified stands in the answer that the caller got."
    : "What was verified, and seen as a visitor, stands on the page of its approval.";
}

/** The arguments, each by itself. */
function Arguments({ of }: { readonly of: unknown }): Child {
  const on = drawing("inline", false);
  if (!isFields(of)) return wholeText(valueText(of) ?? "nothing", on);
  const entries = Object.entries(of);
  if (entries.length === 0) return <p>Nothing.</p>;
  return (
    <dl>
      {entries.map(([name, value]) => (
        <>
          <dt>{seen(name)}</dt>
          <dd>{wholeText(valueText(value) ?? "nothing", on)}</dd>
        </>
      ))}
    </dl>
  );
}

/** Fields as they were and as they are. */
export function Values(
  { changes, now = "Before", then = "After" }: {
    readonly changes: unknown;
    readonly now?: string;
    readonly then?: string;
  },
): Child {
  const first = isFields(changes) ? changes["first"] : changes;
  const shown = (Array.isArray(first) ? first : []).filter(isFields) as unknown as readonly Change[];
  const count = isFields(changes) && typeof changes["count"] === "number" ? changes["count"] : shown.length;
  const on = drawing("inline", false);
  const value = (one: unknown) => {
    const text = valueText(one);
    return text === null ? <span class="nothing">nothing</span> : wholeText(text, on);
  };
  return (
    <>
      <Table
        caption={count > shown.length ? `The first ${shown.length} of ${count} fields` : "Field by field"}
        columns={["Field", now, then]}
        rows={shown.map(({ field, from, to }) => [seen(String(field)), value(from), value(to)])}
        empty="No field is kept that changed."
      />
      {on.cut > 0 && (
        <p>
          {`${on.cut.toLocaleString("en")} more ${
            formOf(on.cut, "character is", "characters are")
          } left out here.`}
        </p>
      )}
    </>
  );
}

function Calls({ row: { calls = [] } }: { readonly row: AuditRow }): Child {
  return (
    <Section id="calls" title="The calls that it made">
      <Table
        caption="In their order"
        columns={["Tool", "Site", "Came of it"]}
        rows={calls.map(({ tool, site_id, error }) => [
          seen(tool),
          site_id === null ? "none" : seen(site_id),
          error === null ? "went well" : seen(error),
        ])}
        empty=""
      />
    </Section>
  );
}
