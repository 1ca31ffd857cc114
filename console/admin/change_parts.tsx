/** The way back of a change: a button where the gateway takes it back, else who does, or why it cannot be. */
import type { Child } from "hono/jsx";
import { type ChangeRow, isTrialOf, type TrialRow } from "../../admin/ports.ts";
import type { AuditRow } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import type { Person } from "../../identity/visitors.ts";
import { Form, Submit } from "../form.tsx";

/** Where changes are, and where they are taken back. */
export const CHANGES = "/admin/changes";
export const UNDO = `${CHANGES}/undo`;
/** Where tools are tried, and where what a trial has changed is taken back by another. */
export const TRY = "/admin/try";
export const UNDO_TRIAL = `${TRY}/undo`;

/** Of one change. */
export function UndoWay(
  { row, change, person }: {
    readonly row: TrialRow & Pick<AuditRow, "approval_id">;
    readonly change: ChangeRow;
    readonly person: Person;
  },
): Child {
  const { site_id, request_id, approval_id } = row;
  const { undoable, undone_by } = change;
  const why = change["undoable_reason"];
  if (undone_by !== undefined) {
    return (
      <>
        Taken back by <a href={`/admin/audit/${encodeURIComponent(undone_by)}`}>{seen(undone_by)}</a>
      </>
    );
  }
  if (!undoable || site_id === null) {
    return <>{typeof why === "string" ? `Cannot be taken back: ${seen(why)}.` : "Cannot be taken back."}</>;
  }
  const note = typeof why === "string" ? <p class="hint">{`${seen(why)}.`}</p> : null;
  if (person.caller.user === null) {
    return (
      <>
        {note}
        <UndoForm person={person} fields={{ site_id, request_id }} label={`Take it back: ${request_id}`}>
          Take it back
        </UndoForm>
      </>
    );
  }
  if (isTrialOf(person.caller, row)) {
    return (
      <>
        {note}
        <Form visitor={person} action={UNDO_TRIAL} class="inline">
          <input type="hidden" name="request_id" value={request_id} />
          <Submit quiet label={`Take it back: ${request_id}`}>Take it back</Submit>
        </Form>
      </>
    );
  }
  return (
    <>
      {note}
      {approval_id !== undefined
        ? <a href={`/admin/approvals/${encodeURIComponent(approval_id)}`}>Ask for it on its approval</a>
        : (
          <details>
            <summary>How</summary>
            Ask your agent to take back change <code>{seen(request_id)}</code> on {seen(site_id)}
          </details>
        )}
    </>
  );
}

/** The button that shows what would be put back. */
export function UndoForm(
  { person, fields, label, children }: {
    readonly person: Person;
    readonly fields: Readonly<Record<string, string>>;
    readonly label: string;
    readonly children?: Child;
  },
): Child {
  return (
    <Form visitor={person} action={UNDO} class="inline">
      {Object.entries(fields).map(([name, value]) => <input type="hidden" name={name} value={value} />)}
      <Submit quiet label={label}>{children}</Submit>
    </Form>
  );
}
