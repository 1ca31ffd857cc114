/** What came of a trial: what it would change, what it answered, why it was refused; and the same call from elsewhere. */
import { formOf } from "../../core/one_line.ts";
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { rowFor } from "../../admin/audit_row.ts";
import type { Trial, TrialAnswer } from "../../admin/ports.ts";
import { GatewayError } from "../../core/errors.ts";
import { seen } from "../../core/unseen.ts";
import type { Person } from "../../identity/visitors.ts";
import { Form, Submit } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { Section, Tag, Time } from "../parts.tsx";
import { showPage } from "../respond.tsx";
import { FactList, Table } from "../table.tsx";
import { changesOf } from "./approval_changes.tsx";
import { type Drawing, drawing, fitting, marked, wholeText } from "./approval_text.tsx";
import { fieldName } from "./approval_words.ts";
import { rowAddress } from "./audit_parts.tsx";
import { CHANGES, TRY, UndoWay } from "./change_parts.tsx";
import type { PagesParts } from "./frame.tsx";

/** The room of the answer, and of the calls from elsewhere, in bytes. */
const ANSWER_BYTES = 36 * 1024;
const CALL_BYTES = 4 * 1024;

const room = (bytes: number): Drawing => ({ ...drawing("inline", false), room: bytes });

/** The page of one. */
export async function trialPage(
  c: Context,
  person: Person,
  parts: PagesParts,
  trial: Trial,
): Promise<Response> {
  const on = room(ANSWER_BYTES);
  return await showPage(
    c,
    {
      ...{ title: titleOf(trial), visitor: person, wide: true, times: true },
      current: isUndo(trial) ? CHANGES : TRY,
    },
    <>
      <p>
        <code>{seen(trial.tool)}</code>
        {` on ${trial.site_id} `}
        <StateTag trial={trial} />
      </p>
      <State trial={trial} person={person} on={on} />
      <Elsewhere trial={trial} baseUrl={parts.ports.baseUrl} />
      {trial.state === "done" && trial.writes && (
        await wayBack(trial, person, parts)
      )}
      <p class="ways">
        {trial.request_id !== null && <a href={rowAddress(trial.request_id)}>Its row in the audit</a>}
        {isUndo(trial) ? <a href={CHANGES}>Changes</a> : <WaysToTry trial={trial} />}
      </p>
    </>,
  );
}

/** Whether it takes back what was changed: that is asked for where changes are, not where tools are tried. */
const isUndo = ({ tool }: Pick<Trial, "tool">) => tool === "undo_change";

function titleOf({ tool, title, state, refusal }: Trial): string {
  if (!isUndo({ tool })) return `Try: ${seen(title)}`;
  if (state === "done") return "Taken back";
  if (state !== "refused") return "Take it back?";
  if (refusal?.outcome === "unknown") return "It is not known whether it was taken back";
  return refusal?.outcome === "made"
    ? "It was taken back, and then something failed"
    : "It was not taken back";
}

function WaysToTry({ trial: { id, site_id } }: { readonly trial: Trial }): Child {
  return (
    <>
      <a href={`${TRY}?${new URLSearchParams({ from: id })}`}>Change the arguments</a>
      <a href={`${TRY}?${new URLSearchParams({ site: site_id })}`}>Another tool</a>
    </>
  );
}

const STATES: Readonly<Record<Trial["state"], readonly [string, "good" | "bad" | "wait"]>> = {
  previewed: ["waits for you", "wait"],
  unseen: ["waits for you", "wait"],
  approval: ["waits for a person", "wait"],
  done: ["done", "good"],
  refused: ["not done", "bad"],
};

function StateTag({ trial: { state } }: { readonly trial: Trial }): Child {
  const [words, tone] = STATES[state];
  return <Tag tone={tone}>{words}</Tag>;
}

/** What is drawn of a trial. */
interface StateParts {
  readonly trial: Trial;
  readonly person: Person;
  readonly on: Drawing;
}

function State({ trial, person, on }: StateParts): Child {
  const { state, refusal, answer, replayed, unproven = false } = trial;
  if (state === "refused" && refusal !== undefined) {
    return (
      <Notice kind="problem">
        <p dir="auto">{`${seen(refusal.message)}.`}</p>
        <p>
          <code>{refusal.code}</code>
          {OUTCOMES[refusal.outcome ?? ""] ?? ""}
        </p>
      </Notice>
    );
  }
  if (state === "done" && answer !== undefined) {
    return (
      <>
        {trial.writes && (
          <Notice kind={unproven ? "warning" : "done"}>
            <p>
              {replayed
                ? "It was carried out before; this is what it answered then, and nothing was done once more."
                : unproven
                ? "It was sent."
                : "It was carried out."}
              {unproven && " Not all of it is as it was asked for: see below, and look at the site."}
            </p>
          </Notice>
        )}
        <Answer answer={answer} on={on} />
      </>
    );
  }
  return <Waiting trial={trial} person={person} on={on} />;
}

const OUTCOMES: Readonly<Record<string, string>> = {
  none: " Nothing was changed.",
  made: " The change was made all the same.",
  unknown: " Whether the change was made is not known: look at the site before you try again.",
};

/** The button that says yes to what is shown. */
function Yes(
  { trial, person, label }: Omit<StateParts, "on"> & { readonly label: string },
): Child {
  return (
    <Form visitor={person} action={`${TRY}/${trial.id}/confirm`}>
      <input type="hidden" name="confirm_token" value={trial.preview?.confirm_token ?? ""} />
      <Submit>{label}</Submit>
    </Form>
  );
}

function Waiting({ trial, person, on }: StateParts): Child {
  const { preview } = trial;
  if (preview === undefined) {
    return (
      <>
        <Notice kind="warning">
          <p>
            Nothing was sent yet. This tool is the site's own, and the site cannot show what it would do: it
            writes at once. What you send stands below.
          </p>
        </Notice>
        <Yes trial={trial} person={person} label="Send it" />
      </>
    );
  }
  return (
    <>
      <Notice kind="note">
        <p>Nothing was changed yet.</p>
        <p dir="auto">{`${seen(preview.summary)}.`}</p>
      </Notice>
      {preview.warnings.length > 0 && (
        <Notice kind="warning">{preview.warnings.map((one) => <p dir="auto">{`${seen(one)}.`}</p>)}</Notice>
      )}
      <Section id="changes" title="What it would change">
        {changesOf(preview, on)}
        {on.cut > 0 && (
          <p>
            {`${on.cut.toLocaleString("en")} more ${
              formOf(on.cut, "character is", "characters are")
            } not shown.`}
          </p>
        )}
        {!preview.undoable && (
          <p>
            {`It cannot be taken back${preview.undoable_reason ? `: ${seen(preview.undoable_reason)}` : ""}.`}
          </p>
        )}
      </Section>
      <WaysOn trial={trial} person={person} expires_at={preview.expires_at} />
    </>
  );
}

/** How a preview becomes a change: by a press, or by a person who approves. */
function WaysOn(
  { trial, person, expires_at }: Omit<StateParts, "on"> & { readonly expires_at: string },
): Child {
  const { state, approval_id, ends_at } = trial;
  if (state === "approval" && approval_id !== undefined) {
    return (
      <Notice kind="note">
        <p>
          A person has to approve it, until <Time at={ends_at} /> and while you stay signed in:{" "}
          <a href={`/admin/approvals/${encodeURIComponent(approval_id)}`}>go to the request</a>
        </p>
      </Notice>
    );
  }
  return (
    <>
      <p class="hint">
        What is shown here holds until{" "}
        <Time at={expires_at < ends_at ? expires_at : ends_at} />. It is carried out once, however often you
        press.
      </p>
      <Yes trial={trial} person={person} label={isUndo(trial) ? "Put it back" : "Carry it out"} />
    </>
  );
}

function Answer({ answer, on }: { readonly answer: TrialAnswer; readonly on: Drawing }): Child {
  const cell = (text: string) => <span dir="auto">{marked(fitting(text, on))}</span>;
  const { facts, tables, text, characters } = answer;
  return (
    <Section id="answer" title="What it answered">
      {facts.length > 0 && <FactList facts={facts.map(([name, value]) => [fieldName(name), cell(value)])} />}
      {tables.map(({ name, columns, rows, count }) => (
        <Table
          caption={`${fieldName(name) || "What was found"}: ${
            count > rows.length ? `the first ${rows.length} of ${count}` : count
          }`}
          columns={columns.map(fieldName)}
          rows={rows.map((row) => row.map(cell))}
          empty=""
        />
      ))}
      <details class="part" open={facts.length === 0 && tables.length === 0}>
        <summary>The answer as it came</summary>
        {wholeText(text, on)}
        {characters > text.length || on.cut > 0
          ? (
            <p class="hint">
              {`It has ${characters.toLocaleString("en")} characters; this is its beginning.`}
            </p>
          )
          : null}
      </details>
    </Section>
  );
}

/** The same call over both doors, without a token. */
function Elsewhere({ trial, baseUrl }: { readonly trial: Trial; readonly baseUrl: string }): Child {
  const args = { ...trial.arguments, site_id: trial.site_id };
  const quoted = JSON.stringify(args).replaceAll("'", "'\\''");
  const url = `${baseUrl}/api/v1/tools/${encodeURIComponent(trial.tool)}`;
  const curl = `curl -X POST '${url}' \\\n  -H "Authorization: Bearer $TOKEN" \\\n` +
    `  -H 'Content-Type: application/json' \\\n  -d '${quoted}'`;
  const params = { name: trial.tool, arguments: args };
  const mcp = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, null, 2);
  const shown = (text: string) => {
    const on = room(CALL_BYTES);
    const part = marked(fitting(text, on));
    return (
      <>
        <code class="command lines">{part}</code>
        {on.cut > 0 && <p class="hint">It goes on: it is too long to stand here.</p>}
      </>
    );
  };
  return (
    <details class="part" open={trial.state === "unseen"}>
      <summary>The same call from elsewhere</summary>
      <p class="hint">
        <code>$TOKEN</code> is a token of yours,{" "}
        <a href="/admin/tokens">made there</a>. One press chooses the whole text.
        {trial.preview !== undefined &&
          " It answers a preview; sent again with confirm and the confirm_token of that, it is carried out."}
      </p>
      <h2>With curl</h2>
      {shown(curl)}
      <h2>Over MCP</h2>
      {shown(mcp)}
    </details>
  );
}

/** The way back of what was changed; null where its row is not there. */
async function wayBack(trial: Trial, person: Person, { ports }: PagesParts): Promise<Child> {
  if (trial.request_id === null) return null;
  try {
    const row = await rowFor(ports.store, person.caller, trial.request_id);
    if (row.outcome !== "made" && row.outcome !== "unknown") return null;
    return (
      <Section id="undo" title="The way back">
        <UndoWay row={row} change={await ports.changeOf(row)} person={person} />
      </Section>
    );
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.code === "E_NOT_FOUND") return null;
    throw thrown;
  }
}
