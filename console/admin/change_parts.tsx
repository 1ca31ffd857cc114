/** The way back of a change: a button where it can be taken back, else why it cannot be. */
import type { Child } from "hono/jsx";
import { type ChangedRow, type ChangeRow, mayUndo } from "../../admin/ports.ts";
import type { AuditRow } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import type { Person } from "../../identity/visitors.ts";
import { Form, Submit } from "../form.tsx";

/** Where changes are, and where they are taken back. */
export const CHANGES = "/admin/changes";
export const UNDO = `${CHANGES}/undo`;
/** Where tools are tried. */
export const TRY = "/admin/try";

/** Of one change. */
export function UndoWay(
  { row, change, person }: {
    readonly row: ChangedRow & Pick<AuditRow, "approval_id">;
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
  if (!mayUndo(person.caller, row)) {
    return <>Can be taken back by whoever made it, or an admin of the site</>;
  }
  return (
    <>
      {note}
      <UndoForm person={person} request_ids={[request_id]} label={`Take it back: ${request_id}`}>
        Take it back
      </UndoForm>
      {approval_id !== undefined && (
        <a href={`/admin/approvals/${encodeURIComponent(approval_id)}`}>Its approval</a>
      )}
    </>
  );
}

/** The button that shows what would be put back. */
export function UndoForm(
  { person, request_ids, label, children }: {
    readonly person: Person;
    readonly request_ids: readonly string[];
    readonly label: string;
    readonly children?: Child;
  },
): Child {
  return (
    <Form visitor={person} action={UNDO} class="inline">
      {request_ids.map((id) => <input type="hidden" name="request_id" value={id} />)}
      <Submit quiet label={label}>{children}</Submit>
    </Form>
  );
}
