/** Editing the texts of a request: a form without scripts that loses nothing that was typed. */
import type { Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import { GatewayError } from "../../core/errors.ts";
import { PEOPLE_LIMITS } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import type { Person, Visitor } from "../../identity/visitors.ts";
import type { ApprovalReport, EditableText } from "../../admin/ports.ts";
import { Form, Submit } from "../form.tsx";
import { Said } from "../notice.tsx";
import { leadTo, showPage } from "../respond.tsx";
import { APPROVALS, fieldName } from "./approval_words.ts";
import { asPerson, type PagesParts, type Problem, signInAddress, worded } from "./frame.tsx";

/** Before the name of a text in the form. */
const TEXT = "text.";

const ANEW =
  "You have signed in anew since that page was made. Look at what you typed once more, and send it again";
const SIGNED_OUT =
  "You are signed out, and nothing was sent. What you typed stands below: sign in in another tab, " +
  "then come back and send it from here";

const pathOf = (c: Context) => `${APPROVALS}/${encodeURIComponent(c.req.param("id") ?? "")}`;

/** No form of ours has more; anybody may send one, and each text that is shown again costs more than it came with. */
const TEXTS_MAX = 50;

/** What somebody typed, by the name of each text. */
const typedIn = (form: URLSearchParams): readonly EditableText[] =>
  [...form].filter(([name]) => name.startsWith(TEXT)).slice(0, TEXTS_MAX)
    .map(([name, text]) => ({ name: name.slice(TEXT.length), text }));

/** Adds the routes under `/admin/approvals/<id>/edit`. */
export function editPages(app: Hono, parts: PagesParts): void {
  const { approvals } = parts.ports;
  const path = `${APPROVALS}/:id/edit`;

  app.get(path, (c) => asPerson(parts, c, (person) => editPage(parts, c, person)));

  app.post(path, async (c) => {
    const { visitors } = parts;
    const person = await visitors.signedIn(c.req.raw);
    const form = await visitors.fields(c, PEOPLE_LIMITS.TEXTS_FORM_BYTES);
    const typed = typedIn(form);
    if (person === null) {
      return await keptPage(c, await visitors.visit(c), { message: SIGNED_OUT, status: 401 }, typed);
    }
    if (!visitors.isOwn(form, person)) {
      return await editPage(parts, c, person, typed, { message: ANEW, status: 403 });
    }
    try {
      const texts = Object.fromEntries(typed.map(({ name, text }) => [name, text]));
      const made = await approvals.edit(person.caller, c.req.param("id") ?? "", texts);
      return leadTo(c, `${APPROVALS}/${made.id}`);
    } catch (thrown) {
      return await editPage(parts, c, person, typed, worded(c, thrown));
    }
  });
}

/** The texts as they were asked for, with what was typed in their place. */
async function editPage(
  { ports }: PagesParts,
  c: Context,
  person: Person,
  typed: readonly EditableText[] = [],
  problem?: Problem,
): Promise<Response> {
  try {
    const { approval, texts } = await ports.approvals.texts(
      person.caller,
      c.req.param("id") ?? "",
    );
    if (texts.length > 0) return await formPage(c, person, { approval, texts, typed, problem });
    const why = approval.not_yours ?? "Nothing of it can be edited here";
    if (typed.length === 0) throw new GatewayError("E_FORBIDDEN", why);
    return await keptPage(c, person, problem ?? { message: why, status: 403 }, typed);
  } catch (thrown) {
    if (typed.length === 0) throw thrown;
    return await keptPage(c, person, problem ?? worded(c, thrown), typed);
  }
}

const ROWS_MIN = 2;
const ROWS_MAX = 20;
const ROW_CHARACTERS = 60;

/** As many rows as a text needs, within limits. */
const rowsOf = (text: string): number => {
  const rows = text.split("\n").reduce((sum, line) => sum + 1 + Math.floor(line.length / ROW_CHARACTERS), 0);
  return Math.min(ROWS_MAX, Math.max(ROWS_MIN, rows));
};

/** A text to edit. A browser drops one line end behind the tag, so that there is one. */
const area = ({ name, text }: EditableText, isKept = false): Child => (
  <div class="field">
    <label for={TEXT + name}>{fieldName(name)}</label>
    <textarea id={TEXT + name} name={TEXT + name} rows={rowsOf(text)} readonly={isKept} dir="auto">
      {`\n${text}`}
    </textarea>
  </div>
);

interface Editing {
  readonly approval: ApprovalReport;
  readonly texts: readonly EditableText[];
  readonly typed: readonly EditableText[];
  readonly problem?: Problem | undefined;
}

async function formPage(
  c: Context,
  person: Person,
  { approval, texts, typed, problem }: Editing,
): Promise<Response> {
  const now = new Map(typed.map(({ name, text }) => [name, text]));
  return await showPage(
    c,
    {
      ...{ title: "Edit the texts", visitor: person, current: APPROVALS, wide: true },
      ...problem && { status: problem.status },
    },
    <>
      <Said problem={problem} />
      <p dir="auto">{`${seen(approval.summary)}.`}</p>
      <p>
        What you send is planned anew, and waits as a request of its own, in your name. The one that the agent
        made ends, and the agent is told so. Nothing is written by that.
      </p>
      <p class="hint">
        Signs that nobody sees do not show in these fields; they stand as numbers on the next page.
      </p>
      <Form visitor={person} action={`${pathOf(c)}/edit`}>
        {texts.map(({ name, text }) => area({ name, text: now.get(name) ?? text }))}
        <Submit>Ask for it with these texts</Submit>
      </Form>
      <p>
        <a href={pathOf(c)}>Back to the request</a>
      </p>
    </>,
  );
}

/** What somebody typed, where it cannot be taken now: it is not lost. */
async function keptPage(
  c: Context,
  visitor: Visitor,
  problem: Problem,
  typed: readonly EditableText[],
): Promise<Response> {
  const canSend = visitor.user === null;
  return await showPage(
    c,
    { ...{ title: "What you typed", visitor, wide: true }, status: problem.status },
    <>
      <Said problem={problem} />
      {canSend && (
        <p>
          <a href={signInAddress(pathOf(c))} target="_blank" rel="noopener">Sign in in another tab</a>
        </p>
      )}
      {canSend
        ? (
          <Form visitor={visitor} action={`${pathOf(c)}/edit`}>
            {typed.map((one) => area(one))}
            <Submit>Send it again</Submit>
          </Form>
        )
        : typed.map((one) => area(one, true))}
      <p>
        <a href={pathOf(c)}>Back to the request</a>
      </p>
    </>,
  );
}
