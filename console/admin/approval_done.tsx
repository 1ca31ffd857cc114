/** What came of a request: what was proven of it, what visitors get, and how it is taken back. */
import { formOf } from "../../core/one_line.ts";
import type { Child } from "hono/jsx";
import type { ShownApproval } from "../../admin/ports.ts";
import { LIMITS } from "../../core/model.ts";
import { isFields } from "../../core/values.ts";
import { seen } from "../../core/unseen.ts";
import { Notice } from "../notice.tsx";
import type { Person } from "../../identity/visitors.ts";
import { Form, Submit } from "../form.tsx";
import { time } from "./words.ts";
import { valueText } from "./approval_changes.tsx";
import { APPROVALS, fieldName, type Names, siteName, stateWord } from "./approval_words.ts";

const text = (value: unknown): string => seen(valueText(value) ?? "nothing");

/** Who decided, when, and with which words. */
function decision({ approval }: ShownApproval): Child {
  const { state, decided, decided_at, words, edited_to, items_left_out: out = [] } = approval;
  const by = decided === null ? "" : ` by ${seen(decided.by)}`;
  const at = decided_at === null ? "" : ` at ${time(decided_at)}`;
  const word = stateWord(approval);
  return (
    <>
      <p>
        {`${word[0]!.toUpperCase()}${word.slice(1)}${by}${at}${
          out.length === 0 ? "" : `, without ${formOf(out.length, "item")} ${out.join(", ")}`
        }.`}
      </p>
      {edited_to !== undefined && (
        <p>
          <a href={`${APPROVALS}/${edited_to}`}>The request with the edited texts</a>
        </p>
      )}
      {words !== null && <p dir="auto">{state === "rejected" ? `“${seen(words)}”` : `${seen(words)}.`}</p>}
    </>
  );
}

/** Of a change set what became of each item. */
function itemLines({ items, summary }: Readonly<Record<string, unknown>>): Child {
  if (!Array.isArray(items) || items.length === 0) return null;
  return (
    <>
      {typeof summary === "string" && <p>{`${seen(summary)}.`}</p>}
      <ul>
        {items.filter(isFields).map(({ item, tool, site_id, state, reason, error }) => {
          const where = typeof site_id === "string" ? ` on ${site_id}` : "";
          const why = isFields(error) ? error["message"] : state === "left_out" ? undefined : reason;
          const said = why === undefined ? "" : `: ${text(why)}`;
          return (
            <li dir="auto">
              {`Item ${text(item)}, ${text(tool)}${where}: ${text(state).replaceAll("_", " ")}${said}`}
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** What was proven of what is stored. */
function verifiedLine({ verified, verified_reason, items }: Readonly<Record<string, unknown>>): Child {
  if (verified === false && Array.isArray(items)) {
    return <li>Not all of it was done as asked: what became of each item stands above.</li>;
  }
  if (verified === true) return <li>Verified: the site's own answer holds what was sent.</li>;
  if (verified === false) return <li>Not as asked: the site's own answer holds something else.</li>;
  return verified === null
    ? <li>{`Not verified: ${text(verified_reason ?? "there is no way to")}.`}</li>
    : null;
}

/** What visitors get, where that was looked at. */
function liveLines({ live, live_reason }: Readonly<Record<string, unknown>>): Child {
  if (!isFields(live)) {
    return live_reason === undefined ? null : <li>{`Not looked at as a visitor: ${text(live_reason)}.`}</li>;
  }
  const { as_expected, address, checked_at, differs } = live;
  const where = `${text(address)}${typeof checked_at === "string" ? ` at ${time(checked_at)}` : ""}`;
  if (as_expected === true) return <li>{`Live: visitors get it, seen at ${where}.`}</li>;
  const parts = Array.isArray(differs) ? differs.filter(isFields) : [];
  return (
    <>
      <li>
        {`${
          as_expected === false ? "Not live as expected" : "Not certain that it is live"
        }, seen at ${where}.`}
      </li>
      {parts.map(({ field, expected, seen: found }) => (
        <li>{`${fieldName(String(field))}: expected “${text(expected)}”, visitors get “${text(found)}”.`}</li>
      ))}
    </>
  );
}

/** Whether it goes back, and for who may the way to ask for it. */
function undoLines(
  { approval, undo, may_undo, answer }: ShownApproval,
  person: Person | null,
  names: Names,
): Child {
  if (approval.outcome !== "made") return null;
  if (undo === undefined) return <p>It cannot be taken back by the gateway.</p>;
  return undo.map((one) => {
    const on = undo.length > 1 ? ` on ${siteName(one.site_id, names)}` : "";
    if (one.undone_by !== null) {
      return <p>{`It was taken back${on} since, by request ${one.undone_by}.`}</p>;
    }
    if (!one.undoable) {
      return <p>{`It cannot be taken back${on}${one.why === null ? "" : `. ${seen(one.why)}`}`}</p>;
    }
    if (!may_undo || person === null) {
      return person?.user === null && isFields(answer) && approval.request_id !== null
        ? operatorsWay(on, `${undoneBy(answer, approval.request_id)} --site ${one.site_id}`)
        : (
          <p>{`It can be taken back${on}; who approves here, or the client that asked, may ask for that.`}</p>
        );
    }
    return (
      <Form visitor={person} action={`${APPROVALS}/${approval.id}/undo`} class="undo">
        <input type="hidden" name="site" value={one.site_id} />
        <p class="hint">{`You are shown what would stand there again before anything is done.`}</p>
        <Submit quiet>{`Take it back${on}`}</Submit>
      </Form>
    );
  });
}

/** What the command is given: the whole set, or the call. */
const undoneBy = ({ set_id }: Readonly<Record<string, unknown>>, request_id: string) =>
  typeof set_id === "string" ? `--set ${set_id}` : request_id;

/** Who holds the master token has no name to ask in, and a command instead. */
const operatorsWay = (on: string, what: string): Child => (
  <>
    <p>{`It can be taken back${on}. With the master token that is a command, which shows it first:`}</p>
    <code class="command">{`npx -y deno@2.9 task admin undo ${what}`}</code>
  </>
);

/** A call has a minute, and its doubt is judged in another; a set goes on for as long as it takes. */
const CUT_OFF_MS = 2 * LIMITS.CALL_DEADLINE_MS;

/** What is said of a call without an end. */
function underWay({ approval: { tool, decided_at } }: ShownApproval, now: number): string {
  const isLate = decided_at !== null && now - Date.parse(decided_at) > CUT_OFF_MS;
  return isLate && tool !== "prepare_changes"
    ? "It was cut off, and nobody knows whether it was done. Look at the site before it is asked for again."
    : "It is being carried out, or was cut off; look again in a minute.";
}

/** Where it is to be looked at; a link where it is an address of the web. */
function addressLine(url: string): Child {
  const scheme = URL.parse(url)?.protocol;
  if (scheme !== "https:" && scheme !== "http:") return <li>{`Its address: ${text(url)}`}</li>;
  return (
    <li>
      {"Its address: "}
      <a href={url} rel="noopener noreferrer" target="_blank">{seen(url)}</a>
    </li>
  );
}

/** All of it, of a request that waits no more. */
export function outcomeOf(shown: ShownApproval, person: Person | null, names: Names, now: number): Child {
  const { approval: { state, outcome, request_id }, answer, failed } = shown;
  const fields = isFields(answer) ? answer : {};
  const warnings = Array.isArray(fields["warnings"]) ? fields["warnings"] : [];
  const lines = [
    verifiedLine(fields),
    liveLines(fields),
    ...warnings.map((one) => <li dir="auto">{`Warning: ${text(one)}`}</li>),
    typeof fields["url"] === "string" ? addressLine(fields["url"]) : null,
    request_id === null ? null : <li>{`Request id: ${request_id}`}</li>,
  ].filter((line) => line !== null);
  const isDone = outcome === "made" && fields["verified"] !== false;
  const kind = state !== "approved" ? "note" : isDone ? "done" : "problem";
  return (
    <Notice kind={kind}>
      {decision(shown)}
      {itemLines(fields)}
      {isFields(failed) && <p>{`It failed: ${text(failed["message"])}.`}</p>}
      {state === "approved" && outcome === "unknown" && (
        <p>Nobody knows whether it was done. Look at the site before it is asked for again.</p>
      )}
      {state === "approved" && outcome === null && <p>{underWay(shown, now)}</p>}
      {lines.length > 0 && <ul>{lines}</ul>}
      {undoLines(shown, person, names)}
    </Notice>
  );
}
