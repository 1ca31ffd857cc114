/** Recording what was found of a write in doubt, with the master token: made or not made, and how it was seen. */
import type { Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import { resolveBody } from "../../admin/audit.ts";
import { rowFor } from "../../admin/audit_row.ts";
import { faultsOf } from "../../admin/site_form.ts";
import { checked } from "../../core/faults.ts";
import { type AuditRow, LIMITS } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import type { Person } from "../../identity/visitors.ts";
import { Area, Choices, Form, Submit } from "../form.tsx";
import { Section } from "../parts.tsx";
import { leadTo } from "../respond.tsx";
import { AUDIT, rowAddress } from "./audit_parts.tsx";
import { asSender, assertMaster, type PagesParts, worded } from "./frame.tsx";

/** What was filled in, and what is wrong with it. */
export interface Finding {
  readonly found: string;
  readonly note: string;
  /** What is wrong, a sentence each. */
  readonly problem: readonly string[];
  readonly status: number;
}

/** Adds the way to record it; `show` answers the row with what is wrong. */
export function resolveRoute(
  app: Hono,
  parts: PagesParts,
  show: (c: Context, person: Person, row: AuditRow, finding: Finding) => Promise<Response>,
): void {
  const { ports } = parts;
  app.post(`${AUDIT}/:id/resolve`, (c) =>
    asSender(parts, c, async (person, form) => {
      assertMaster(person, "records what was found of a write in doubt");
      const row = await rowFor(ports.store, person.caller, c.req.param("id"));
      const [found, note] = [form.get("found") ?? "", form.get("note")?.trim() ?? ""];
      try {
        await ports.doubts.resolve(row.id, checked(resolveBody, { found, note }));
      } catch (thrown) {
        const { faults, status } = worded(c, thrown);
        return await show(c, person, row, { found, note, problem: faults, status });
      }
      return leadTo(c, rowAddress(row.id));
    }, AUDIT));
}

/** The form, where the write is in doubt and nobody has recorded anything yet; for others who does. */
export function ResolveSection(
  { row, person, finding }: {
    readonly row: AuditRow;
    readonly person: Person;
    readonly finding: Finding | undefined;
  },
): Child {
  if (row.outcome !== "unknown" || row.resolution !== undefined) return null;
  if (person.caller.user !== null) {
    return (
      <Section id="found" title="What was found">
        <p>Look at the site, and tell whoever holds the master token: that is who records it.</p>
      </Section>
    );
  }
  const faults = finding === undefined ? {} : faultsOf(finding.problem, ["found", "note"]);
  const wrong = (name: string) => faults[name] && `${seen(faults[name])}.`;
  const choice = (value: string, label: string, hint: string) => (
    { value, label, hint, checked: finding?.found === value }
  );
  return (
    <Section id="found" title="What was found">
      <p>Look at the site, then say whether the change is there. The audit only gets a further row.</p>
      <Form visitor={person} action={`${rowAddress(row.id)}/resolve`}>
        <Choices
          name="found"
          legend="The change"
          one
          error={wrong("found") && "Choose one of them."}
          choices={[
            choice("made", "was made", "Whoever asked for it is told so, and does not do it again."),
            choice("none", "was not made", "Whoever asked for it can send the same call again."),
          ]}
        />
        <Area
          name="note"
          label="How you saw it"
          value={finding?.note ?? ""}
          hint={`Such as: opened the post, its title is the old one. At most ${LIMITS.RESOLUTION_NOTE_CHARACTERS} characters.`}
          error={wrong("note")}
          maxlength={LIMITS.RESOLUTION_NOTE_CHARACTERS}
        />
        {wrong("") && <p class="error">{wrong("")}</p>}
        <Submit>Record it</Submit>
      </Form>
    </Section>
  );
}
