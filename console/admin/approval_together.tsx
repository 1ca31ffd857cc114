/** Several requests on one page, each as it would be done now, and one decision on them. */
import { counted } from "../../core/one_line.ts";
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { tierShown } from "../../admin/approvals.ts";
import type { ApprovalViews, ShownApproval } from "../../admin/ports.ts";
import { LIMITS } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import type { Person } from "../../identity/visitors.ts";
import { Area, Field, Form, Submit } from "../form.tsx";
import { Notice, Said } from "../notice.tsx";
import { showPage } from "../respond.tsx";
import { changesOf } from "./approval_changes.tsx";
import { outcomeOf } from "./approval_done.tsx";
import { drawingFor, factsOf, type OnePage, problemOf, warningsOf } from "./approval_page.tsx";
import { loadsOf, pictureSections, type Room, viewsRoom } from "./approval_views.tsx";
import type { Drawing } from "./approval_text.tsx";
import { APPROVALS, LIVE_TIER, type Names, titleOf, typedWord } from "./approval_words.ts";

/** Where they are. */
export const TOGETHER = `${APPROVALS}/together`;

/** Requests that are shown to somebody together. */
export interface Together {
  readonly all: readonly ShownApproval[];
  readonly names: Names;
  /** What each shows beside texts, by its id. */
  readonly views: Map<string, ApprovalViews | null>;
  readonly now: number;
  readonly problem?: OnePage["problem"];
  readonly words?: string;
  /** What was wrong with one that was to be decided, by its id. */
  readonly problems?: ReadonlyMap<string, string>;
  /** How many were decided just now. */
  readonly decided?: number;
}

/** The sites on which something of those goes live; each request by its id and the name of what was shown of it. */
export const liveSites = (all: readonly { readonly sites: readonly string[]; readonly shown: string }[]) => [
  ...new Set(all.filter(({ shown }) => tierShown(shown) >= LIVE_TIER).flatMap(({ sites }) => sites)),
];

/** One of them; `fits` says whether the decision can be on it. */
interface Section {
  readonly shown: ShownApproval;
  readonly fits: boolean;
  readonly content: Child;
}

function sectionOf(shown: ShownApproval, page: Together, on: Drawing, room: Room): Section {
  const { approval, preview, refused } = shown;
  const before = on.cut;
  const warnings = warningsOf(shown, on);
  const changes = preview && changesOf(preview, on);
  const cut = on.cut - before;
  const problem = page.problems?.get(approval.id);
  const fits = approval.state === "pending" && approval.not_yours === null && preview !== null &&
    refused === null && cut === 0;
  const path = `${APPROVALS}/${approval.id}`;
  const views = page.views.get(approval.id) ?? null;
  const content = (
    <section>
      <h2 dir="auto">{titleOf(approval, preview?.summary)}</h2>
      {problem && <Said problem={{ message: problem }} />}
      {approval.state === "pending" ? warnings : outcomeOf(shown, null, page.names, page.now)}
      {factsOf(shown, page.names, page.now)}
      {changes}
      {views && pictureSections(views, path, room)}
      {views && views.documents.length > 0 && <p>It is drawn as a page where it is opened by itself.</p>}
      {approval.state === "pending" && !fits && (
        <p class="error">
          {approval.not_yours !== null
            ? `${seen(approval.not_yours)}.`
            : cut > 0
            ? "Not all of it has room here, so the decision below is not on it."
            : "The decision below is not on it."}
        </p>
      )}
      <p>
        <a href={path} aria-label={`Open it by itself: ${seen(approval.summary)}`}>Open it by itself</a>
      </p>
    </section>
  );
  return { shown, fits, content };
}

const hiddenOf = (all: readonly Section[]): Child =>
  all.map(({ shown: { approval, preview } }) => (
    <>
      <input type="hidden" name="id" value={approval.id} />
      <input type="hidden" name="shown" value={preview!.shown} />
    </>
  ));

function decisionOf(person: Person, sections: readonly Section[], page: Together): Child {
  const fit = sections.filter(({ fits }) => fits);
  if (fit.length === 0) return <p>None of them can be decided here.</p>;
  const sites = liveSites(fit.map(({ shown: { approval, preview } }) => ({
    sites: approval.sites,
    shown: preview!.shown,
  })));
  const typed = typedWord(sites, page.names);
  const { problem } = page;
  const error = (field: "typed" | "words") => problem?.field === field ? problem.message : undefined;
  const count = counted(fit.length, "request");
  return (
    <>
      <h2 id="decide">{`Your decision on ${count}`}</h2>
      <Form visitor={person} action={`${TOGETHER}/approve`}>
        {hiddenOf(fit)}
        {typed && (
          <Field
            name="typed"
            label={`Type “${typed.word}” to approve`}
            hint={typed.also === typed.word
              ? "Something goes live at once."
              : `Or ${typed.also}. It goes live at once.`}
            error={error("typed")}
            autocomplete="off"
          />
        )}
        <Submit>{`Approve and carry out ${count}`}</Submit>
      </Form>
      <Form visitor={person} action={`${TOGETHER}/reject`}>
        {hiddenOf(fit)}
        <Area
          name="words"
          label="Why not"
          hint="The agent reads it."
          value={page.words}
          error={error("words")}
          maxlength={LIMITS.APPROVAL_WORDS_CHARACTERS}
        />
        <Submit quiet>{`Reject ${count}`}</Submit>
      </Form>
    </>
  );
}

/** The page. */
export async function togetherPage(c: Context, person: Person, page: Together): Promise<Response> {
  const on = drawingFor(c);
  const room = viewsRoom();
  const sections = page.all.map((shown) => sectionOf(shown, page, on, room));
  const { problem, decided } = page;
  const waits = page.all.some(({ approval }) => approval.state === "pending");
  return await showPage(
    c,
    {
      title: counted(page.all.length, "request"),
      visitor: person,
      current: APPROVALS,
      wide: true,
      loads: { pictures: [...page.views.values()].some((one) => loadsOf(one).pictures), frames: false },
      ...problem && { status: problem.status },
    },
    <>
      {problemOf(problem)}
      {decided !== undefined && (
        <Notice kind="note">
          <p>{`${decided} of ${page.all.length} are decided. What became of each stands below.`}</p>
        </Notice>
      )}
      {sections.map(({ content }) => content)}
      {waits && decisionOf(person, sections, page)}
      <p>
        <a href={APPROVALS}>All requests</a>
      </p>
    </>,
  );
}
