/** One request of an agent, as the person who decides is shown it: warnings first, then what would change, then yes or no. */
import type { Child } from "hono/jsx";
import { type Change, LIMITS, type Site } from "../../core/model.ts";
import { isFields } from "../../core/values.ts";
import type { ShownApproval } from "../../admin/ports.ts";
import type { Person } from "../../identity/visitors.ts";
import { Field, Form, Submit } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { Table } from "../table.tsx";
import { inWords, TextDiff, visible } from "../text_diff.tsx";
import { CEILINGS, time } from "./words.ts";

/** What the page shows. */
export interface ApprovalParts {
  readonly person: Person;
  readonly found: ShownApproval;
  readonly sites: readonly Site[];
  /** The e-mail address behind the token that asked, where there is a person. */
  readonly asker: string | null;
  /** Where this page is. */
  readonly path: string;
}

/** From this tier on visitors get it, so the site is named by hand. */
const LIVE_TIER = 3;

/** What has to be typed before it is carried out; null where nothing has to be. */
export function typedName({ preview }: ShownApproval, sites: readonly Site[]): string | null {
  return preview !== null && preview.tier >= LIVE_TIER ? sites[0]?.id ?? null : null;
}

/** The content of the page. */
export function ApprovalContent(parts: ApprovalParts): Child {
  const { approval, preview, refused } = parts.found;
  return (
    <>
      <Decided {...parts} />
      {approval.state === "pending" && refused && (
        <Notice kind="problem">
          <p>It cannot be carried out now: {visible(refused.message)}.</p>
        </Notice>
      )}
      {preview && preview.warnings.length > 0 && (
        <Notice kind="problem">
          <p>Before you decide:</p>
          <ul>{preview.warnings.map((one) => <li>{visible(one)}.</li>)}</ul>
        </Notice>
      )}
      <Facts {...parts} />
      {preview && <Changes changes={preview.changes} leftOut={preview.left_out} />}
      {preview && <p>{undoLine(preview.undoable, preview.undoable_reason)}</p>}
      {approval.state === "pending" && <Decision {...parts} />}
    </>
  );
}

const undoLine = (undoable: boolean, reason: string | undefined) =>
  undoable
    ? "It can be taken back afterwards."
    : `It cannot be taken back: ${visible(reason ?? "nothing is kept")}.`;

function Facts({ found: { approval, preview }, sites, asker }: ApprovalParts): Child {
  const { token_name, client_id, tool, tier, asked_at, expires_at } = approval;
  const client = client_id === null ? "" : `, the client ${visible(client_id)}`;
  const facts = [
    ["Who asks", `${visible(token_name)}${client}${asker === null ? "" : `, for ${visible(asker)}`}`],
    [
      sites.length > 1 ? "Sites" : "Site",
      sites.map(({ id, name }) => `${visible(name)} (${id})`).join(", ") || "none",
    ],
    ["Tool", tool],
    ["How far it goes", `tier ${preview?.tier ?? tier}: ${CEILINGS[preview?.tier ?? tier]}`],
    ["Asked", time(asked_at)],
    ["Can be decided until", time(expires_at)],
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Changes(
  { changes, leftOut }: { readonly changes: readonly Change[]; readonly leftOut: string | undefined },
): Child {
  const texts = changes.filter(isText);
  const fields = changes.filter((one) => !isText(one));
  return (
    <>
      <h2>What would change</h2>
      {texts.map(({ field, from, to }) => (
        <>
          <h3>{visible(field)}</h3>
          <TextDiff from={typeof from === "string" ? from : ""} to={typeof to === "string" ? to : ""} />
        </>
      ))}
      <Table
        caption="Fields"
        columns={["Field", "Now", "Then"]}
        rows={fields.map(({ field, from, to, origin }) => [
          visible(field),
          `${inWords(from)}${origin === undefined ? "" : ` (${visible(origin)})`}`,
          inWords(to),
        ])}
        empty={texts.length === 0 ? "Nothing that could be shown." : ""}
      />
      {leftOut && <p>Not shown: {visible(leftOut)}.</p>}
    </>
  );
}

/** A text on one side, and a text or nothing on the other. */
function isText({ from, to }: Change): boolean {
  const sides = [from, to];
  return sides.some((one) => typeof one === "string") &&
    sides.every((one) => typeof one === "string" || one === null || one === undefined);
}

function Decided({ found: { approval, answer, failed } }: ApprovalParts): Child {
  const { state, decided, decided_at, words } = approval;
  if (state === "pending") return null;
  const who = decided === null ? "" : ` by ${visible(decided.by)}`;
  const when = decided_at === null ? "" : ` at ${time(decided_at)}`;
  return (
    <Notice kind={state === "approved" && failed === undefined ? "done" : "note"}>
      <p>It was {state}{who}{when}{words === null ? "" : `: ${visible(words)}`}.</p>
      {state === "approved" && <p>{outcomeLine(answer, failed)}</p>}
    </Notice>
  );
}

/** What came of it, in a sentence. */
function outcomeLine(answer: unknown, failed: unknown): string {
  if (isFields(failed)) return `It failed: ${visible(String(failed["message"]))}.`;
  if (!isFields(answer)) {
    return "What was done is not known here any more; the site shows it, and so does the audit.";
  }
  const { verified, url, request_id, live } = answer;
  const proof = verified === true
    ? "It was done, and the site holds what was asked for"
    : "It was done; whether the site holds what was asked for could not be compared";
  const seen = isFields(live) && live["as_expected"] !== undefined
    ? live["as_expected"] === true ? ". Visitors get it" : ". Visitors may not get it yet"
    : "";
  const where = typeof url === "string" ? `. Its address: ${visible(url)}` : "";
  return `${proof}${seen}${where}. Request ${visible(String(request_id))}.`;
}

function Decision({ person, found, sites, path }: ApprovalParts): Child {
  const { approval: { not_yours }, preview } = found;
  if (not_yours !== null) {
    return (
      <Notice kind="note">
        <p>{visible(not_yours)}.</p>
      </Notice>
    );
  }
  const typed = typedName(found, sites);
  return (
    <>
      {preview && (
        <>
          <h2>Approve</h2>
          <p>It is carried out at once, as whoever asked, and as it is shown here or not at all.</p>
          <Form visitor={person} action={`${path}/approve`}>
            <input type="hidden" name="shown" value={preview.shown} />
            {typed !== null && (
              <Field
                name="typed"
                label="The site, typed"
                hint={`Visitors get this at once. Type ${typed} to say so.`}
                autocomplete="off"
                maxlength={63}
              />
            )}
            <Submit>Approve</Submit>
          </Form>
        </>
      )}
      <h2>Reject</h2>
      <Form visitor={person} action={`${path}/reject`}>
        <Field
          name="words"
          label="Why"
          hint="The agent reads it."
          required={false}
          maxlength={LIMITS.APPROVAL_WORDS_CHARACTERS}
        />
        <Submit quiet>Reject</Submit>
      </Form>
    </>
  );
}
