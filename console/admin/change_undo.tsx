/** Taking changes back, for who has signed in with the master token: shown first, and done where that is confirmed. */
import type { Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import { undoBody } from "../../admin/undo.ts";
import { findSite } from "../../admin/sites.ts";
import { checked } from "../../core/faults.ts";
import { isFields } from "../../core/values.ts";
import { seen } from "../../core/unseen.ts";
import type { Person } from "../../identity/visitors.ts";
import { Form, Submit } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { Time } from "../parts.tsx";
import { leadTo, showPage } from "../respond.tsx";
import { rowAddress } from "./audit_parts.tsx";
import { Values } from "./audit_row.tsx";
import { CHANGES, UNDO } from "./change_parts.tsx";
import { asSender, assertMaster, type PagesParts, worded } from "./frame.tsx";
import { nothingTyped } from "./kept_form.tsx";

type Fields = Readonly<Record<string, unknown>>;

/** Adds the way to take back: without the token of its preview it only shows what would be put back. */
export function undoRoute(app: Hono, { ports, ...rest }: PagesParts): void {
  app.post(UNDO, (c) =>
    asSender(
      { ports, ...rest },
      c,
      async (person, form) => {
        assertMaster(person, "takes changes back here; open the approval of the change, or ask your agent");
        const given = (name: string) => form.get(name)?.trim() || undefined;
        const request_id = given("request_id");
        try {
          const { confirm_token, ...asked } = checked(undoBody, {
            site_id: given("site_id"),
            ...request_id === undefined ? { set_id: given("set_id") } : { request_ids: [request_id] },
            confirm_token: given("confirm_token"),
          });
          await findSite(asked.site_id, ports);
          const confirmed = confirm_token === undefined ? {} : { confirm: true, confirm_token };
          const answer = await ports.operate("undo_change", { ...asked, ...confirmed });
          const fields: Fields = isFields(answer) ? answer : {};
          const approval = fields["approval"];
          if (isFields(approval)) return leadTo(c, `/admin/approvals/${approval["id"]}`);
          return fields["needs_confirmation"] === true
            ? await previewPage(c, person, fields, form)
            : await donePage(c, person, fields);
        } catch (thrown) {
          return await refusedPage(c, person, worded(c, thrown));
        }
      },
      CHANGES,
      nothingTyped,
    ));
}

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

function Warnings({ of }: { readonly of: unknown }): Child {
  const all = textsOf(of);
  if (all.length === 0) return null;
  return (
    <Notice kind="warning">
      {all.map((one) => <p dir="auto">{`${seen(one)}.`}</p>)}
    </Notice>
  );
}

const SENT = ["site_id", "request_id", "set_id"] as const;

async function previewPage(
  c: Context,
  person: Person,
  { summary, changes, warnings, confirm_token, expires_at }: Fields,
  form: URLSearchParams,
): Promise<Response> {
  return await showPage(
    c,
    { title: "Take it back?", visitor: person, current: CHANGES, wide: true, times: true },
    <>
      <p dir="auto">{`${seen(String(summary ?? ""))}.`}</p>
      <Warnings of={warnings} />
      <Values changes={changes} now="Now" then="Put back" />
      <Form visitor={person} action={UNDO}>
        {SENT.map((name) => form.get(name) && <input type="hidden" name={name} value={form.get(name)!} />)}
        <input type="hidden" name="confirm_token" value={String(confirm_token ?? "")} />
        <p class="hint">
          Nothing was changed yet.
          {typeof expires_at === "string" && (
            <>
              What is shown here holds until <Time at={expires_at} />.
            </>
          )}
        </p>
        <Submit>Put it back</Submit>
      </Form>
      <p>
        <a href={CHANGES}>Leave it as it is</a>
      </p>
    </>,
  );
}

async function donePage(c: Context, person: Person, answer: Fields): Promise<Response> {
  const { undone, left_out, warnings, verified, request_id } = answer;
  const left = (Array.isArray(left_out) ? left_out : []).filter(isFields);
  const isProven = verified === true;
  return await showPage(
    c,
    { title: "Taken back", visitor: person, current: CHANGES },
    <>
      <Notice kind={isProven ? "done" : "warning"}>
        <p>
          {`Taken back: ${seen(textsOf(undone).join(", "))}. `}
          {isProven ? "The site shows it so." : "Look at the site, which did not show it so."}
        </p>
        {left.map(({ request_id, reason }) => (
          <p dir="auto">{`Left out: ${seen(String(request_id))}: ${seen(String(reason))}.`}</p>
        ))}
      </Notice>
      <Warnings of={warnings} />
      <p class="ways">
        {typeof request_id === "string" && (
          <a href={rowAddress(request_id)}>This change, which can be taken back as well</a>
        )}
        <a href={CHANGES}>Changes</a>
      </p>
    </>,
  );
}

async function refusedPage(
  c: Context,
  person: Person,
  { message, status }: { readonly message: string; readonly status: number },
): Promise<Response> {
  return await showPage(
    c,
    { title: "It was not taken back", visitor: person, current: CHANGES, status },
    <>
      <Notice kind="problem">
        <p dir="auto">{`${seen(message)}.`}</p>
      </Notice>
      <p>
        <a href={CHANGES}>Changes</a>
      </p>
    </>,
  );
}
