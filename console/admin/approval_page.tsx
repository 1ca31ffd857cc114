/** One request: what is asked in the words of a person, what it would do now, and the decision. */
import { formOf } from "../../core/one_line.ts";
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { FactList } from "../table.tsx";
import { tierShown } from "../../admin/approvals.ts";
import type { ApprovalViews, ShownApproval } from "../../admin/ports.ts";
import { LIMITS } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import type { Person } from "../../identity/visitors.ts";
import { Area, Field, Form, Submit } from "../form.tsx";
import { Notice, Said } from "../notice.tsx";
import { showPage } from "../respond.tsx";
import { argumentsOf, changesOf } from "./approval_changes.tsx";
import { outcomeOf } from "./approval_done.tsx";
import { boxesField, choosingOf, isMixed, leftOutLine, withoutForm, YES_FORM } from "./approval_items.tsx";
import { type Drawing, drawing, fitting } from "./approval_text.tsx";
import { loadsOf, viewsSections } from "./approval_views.tsx";
import {
  APPROVALS,
  askerOf,
  fieldName,
  lasting,
  LIVE_TIER,
  type Names,
  siteNames,
  titleOf,
  typedWord,
  VISITORS,
} from "./approval_words.ts";
import { CEILINGS, time } from "./words.ts";

/** A request that is shown to somebody. */
export interface OnePage {
  readonly shown: ShownApproval;
  readonly names: Names;
  /** What it shows beside texts. */
  readonly views: ApprovalViews | null;
  readonly now: number;
  /** Whether it is of a change set. */
  readonly isSet: boolean;
  /** What was wrong with what the form sent. */
  readonly problem?: {
    readonly message: string;
    readonly status: number;
    readonly field?: "typed" | "words";
  };
  /** What was filled in. */
  readonly words?: string;
  /** Items of a set whose boxes are not ticked. */
  readonly without?: readonly number[];
}

/** What a person should know first; each is a sentence of a site or a plan. */
export function warningsOf(
  { preview, refused, changed_since_asked }: ShownApproval,
  on: Drawing,
): Child {
  const warnings = (preview?.warnings ?? []).map((one) => fitting(one, on)).filter((one) => one !== "");
  if (warnings.length === 0 && refused === null && !changed_since_asked) return null;
  return (
    <Notice kind="warning">
      {refused && <p>{`It cannot be carried out now: ${seen(refused.message)}.`}</p>}
      {changed_since_asked && (
        <p>
          What stands there was changed since the agent asked. Below is what approving would do to it as it is
          now.
        </p>
      )}
      {warnings.length > 0 && (
        <>
          <p>Before you decide:</p>
          <ul>{warnings.map((one) => <li dir="auto">{seen(one)}</li>)}</ul>
        </>
      )}
    </Notice>
  );
}

/** Who asks for what, where, since when. */
export function factsOf({ approval, preview }: ShownApproval, names: Names, now: number): Child {
  const tier = preview?.tier ?? approval.tier;
  const facts: [string, Child][] = [
    [approval.sites.length === 1 ? "Site" : "Sites", siteNames(approval, names, 50)],
    ...approval.state === "pending" ? [["What visitors get", VISITORS[tier]] as [string, Child]] : [],
    ["Asked by", askerOf(approval, names)],
    ...approval.editors === undefined ? [] : [["Edited by", editorsOf(approval)] as [string, Child]],
    ...approval.client_id === null ? [] : [["Client", seen(approval.client_id)] as [string, Child]],
    ["Tier", `${tier}: ${CEILINGS[tier]}`],
    ["Asked", `${lasting(now - Date.parse(approval.asked_at))} ago, ${time(approval.asked_at)}`],
    ...approval.state === "pending" ? [["Waits until", time(approval.expires_at)] as [string, Child]] : [],
    ...preview === null ? [] : [["Taking it back", undoWords(preview)] as [string, Child]],
  ];
  return <FactList facts={facts} />;
}

/** Who has edited it, and where it stood before. */
const editorsOf = ({ editors = [], edited_from }: ShownApproval["approval"]): Child => (
  <>
    {`${editors.map(({ by }) => seen(by)).join(", ")}, in the place of `}
    <a href={`${APPROVALS}/${edited_from ?? ""}`}>what was asked for</a>
  </>
);

const undoWords = ({ undoable, undoable_reason }: NonNullable<ShownApproval["preview"]>) =>
  undoable
    ? "possible, as long as nobody changes it again"
    : `not possible: ${seen(undoable_reason ?? "it makes something new")}`;

/** The other ways to look at the same request, and the way down to the decision. */
function ways(path: string, { view, whole, cut }: Drawing, canDecide: boolean): Child {
  const to = (query: Record<string, string>) => `${path}?${new URLSearchParams(query)}`;
  const more = { ...whole ? { whole: "1" } : {} };
  return (
    <>
      {cut > 0 && (
        <p class="error">
          {`${cut.toLocaleString("en")} ${formOf(cut, "character has", "characters have")} no room here. `}
          <a href={to({ view, whole: "1" })}>Show all of it</a>, to read it before you approve.
        </p>
      )}
      <p class="ways">
        {canDecide && <a href="#decide">To the decision</a>}
        {view === "side"
          ? <a href={to({ view: "inline", ...more })}>Show texts in one, with marks</a>
          : <a href={to({ view: "side", ...more })}>Show texts side by side</a>}
        {cut === 0 && (whole
          ? <a href={to({ view })}>Show only what differs</a>
          : <a href={to({ view, whole: "1" })}>Show whole texts</a>)}
      </p>
    </>
  );
}

/** On the page of a request: the way to its texts, or that those of a set are asked for anew. */
function editLine(path: string, texts: readonly string[] | undefined, isSet: boolean): Child {
  if (texts !== undefined) {
    return (
      <p>
        <a href={`${path}/edit`}>Edit the texts</a>
        {` (${
          texts.map((name) => fieldName(name).toLowerCase()).join(", ")
        }). That asks for it anew, in your name.`}
      </p>
    );
  }
  return isSet && (
    <p class="hint">
      Texts of a set are not edited here: leave the item out, and have it asked for anew.
    </p>
  );
}

/** The form of a yes, and that of a no; who may not decide is told why. */
function decisionOf(person: Person, page: OnePage, cut: number): Child {
  const { shown: { approval, preview, refused }, names, problem, words } = page;
  if (approval.state !== "pending") return null;
  if (approval.not_yours !== null) return null;
  const path = `${APPROVALS}/${approval.id}`;
  const typed = preview && tierShown(preview.shown) >= LIVE_TIER ? typedWord(approval.sites, names) : null;
  const error = (field: "typed" | "words") => problem?.field === field ? problem.message : undefined;
  const choosing = choosingOf(page.shown, page.without ?? []);
  const isPartly = choosing !== null && isMixed(preview?.shown ?? "");
  return (
    <>
      <h2 id="decide">Your decision</h2>
      {preview && refused === null && cut === 0 && (
        <Form visitor={person} action={`${path}/approve`} id={YES_FORM}>
          <input type="hidden" name="shown" value={preview.shown} />
          {boxesField(choosing)}
          {choosing && <p>Items whose box is not ticked above are left out, and not done.</p>}
          {typed && (
            <Field
              name="typed"
              label={`Type “${typed.word}” to approve`}
              hint={[
                typed.also === typed.word ? "" : `Or ${typed.also}. `,
                "It goes live at once.",
                isPartly ? " If all that goes live is left out, type nothing." : "",
              ].join("")}
              error={error("typed")}
              autocomplete="off"
              required={!isPartly}
            />
          )}
          <Submit>Approve and carry out</Submit>
        </Form>
      )}
      {cut > 0 && <p>You can approve it where all of it is shown.</p>}
      {editLine(path, page.shown.texts, page.isSet)}
      <Form visitor={person} action={`${path}/reject`}>
        <Area
          name="words"
          label="Why not"
          hint="The agent reads it."
          value={words}
          error={error("words")}
          maxlength={LIMITS.APPROVAL_WORDS_CHARACTERS}
        />
        <Submit quiet>Reject</Submit>
      </Form>
    </>
  );
}

/** How the person wants to look at texts. */
export const drawingFor = (c: Context): Drawing =>
  drawing(c.req.query("view") === "side" ? "side" : "inline", c.req.query("whole") === "1");

/** What a decision was refused for, where it is of no field of its form. */
export const problemOf = (problem: OnePage["problem"]): Child =>
  problem && problem.field === undefined && <Said problem={problem} />;

/** Said first to who may only look, unless the page says so already. */
const notYours = ({ state, not_yours }: ShownApproval["approval"], problem: OnePage["problem"]): Child =>
  state === "pending" && not_yours !== null && problem?.message !== not_yours && (
    <Notice kind="note">
      <p>{`You can read this, and not decide on it. ${seen(not_yours)}.`}</p>
    </Notice>
  );

/** The page. */
export async function onePage(c: Context, person: Person, page: OnePage): Promise<Response> {
  const { shown, names, views, now, problem } = page;
  const { approval, preview } = shown;
  const path = `${APPROVALS}/${approval.id}`;
  const on = drawingFor(c);
  const isSaid = problem !== undefined && problem.message === shown.refused?.message;
  const warnings = warningsOf(isSaid ? { ...shown, refused: null } : shown, on);
  const changes = preview && changesOf(preview, on, choosingOf(shown, page.without ?? []));
  const cut = on.cut;
  const args = shown.arguments &&
    argumentsOf(approval, shown.arguments, on);
  return await showPage(
    c,
    {
      title: titleOf(approval, preview?.summary),
      visitor: person,
      current: APPROVALS,
      wide: true,
      loads: loadsOf(views),
      ...problem && { status: problem.status },
    },
    <>
      {problemOf(problem)}
      {notYours(approval, problem)}
      {approval.state === "pending" ? warnings : outcomeOf(shown, person, names, now)}
      {factsOf(shown, names, now)}
      {withoutForm(`${APPROVALS}/${approval.id}`, shown, page.isSet)}
      {leftOutLine(`${APPROVALS}/${approval.id}`, shown)}
      {preview && (
        <>
          <h2>{preview.tier >= LIVE_TIER ? "What visitors see differently" : "What changes"}</h2>
          {ways(path, { ...on, cut }, approval.not_yours === null)}
          {changes}
        </>
      )}
      {viewsSections(views, { path, names, isMade: approval.state === "approved", c })}
      {args}
      {decisionOf(person, page, cut)}
      <p>
        <a href={APPROVALS}>All requests</a>
      </p>
    </>,
  );
}
