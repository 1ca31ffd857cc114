/** The page of consent: who asks, where the answer goes, and what may be granted, all of it to be narrowed. */
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { ShownClient } from "../identity/oauth/authorizing.ts";
import type { GrantPolicy } from "../core/model.ts";
import type { Choice, Offer, OfferedSite } from "../identity/oauth/choice.ts";
import { groupWords, inShownOrder, sensitiveOf } from "../identity/oauth/group_words.ts";
import { Choices, Form, Submit } from "./form.tsx";
import { grantWords } from "./admin/token_words.ts";
import { EnterButton, LookButton, SitePicker } from "./site_picker.tsx";
import { type Offered, type Picked, pickedWords } from "./site_picks.ts";
import { Notice } from "./notice.tsx";
import { showPage } from "./respond.tsx";
import type { Visitor } from "../identity/visitors.ts";

/** What the page shows. */
export interface ConsentView {
  readonly client: ShownClient;
  readonly email: string;
  readonly visitor: Visitor;
  readonly offer: Offer;
  readonly choice: Choice;
  /** The sites that are ticked, and which part of them is looked at. */
  readonly picked: Picked;
  /** What of sites can be ticked. */
  readonly offered: Offered;
  readonly now: number;
  /** The policy that this client has already; null where it was not let in. */
  readonly before: GrantPolicy | null;
  /** What is wrong, by field. */
  readonly missing: Readonly<Partial<Record<"sites" | "groups", string>>>;
  readonly problem: string | null;
  /** What the person was shown of the client, in short. */
  readonly seen: string;
  readonly action: string;
}

/** A request that leads nowhere, and why. */
export function faultPage(c: Context, status: number, why: string): Promise<Response> {
  return showPage(
    c,
    { title: "This request cannot be answered", visitor: null, status },
    <>
      <Notice kind="problem">
        <p>{`${why}.`}</p>
      </Notice>
      <p>Nothing was granted, and you were sent nowhere. Go back to the program that led you here.</p>
    </>,
  );
}

/** The question. */
export function consentPage(c: Context, status: number, view: ConsentView): Promise<Response> {
  const { client, email, visitor, problem, action, seen } = view;
  return showPage(
    c,
    { title: `Let “${client.name}” in?`, visitor, status, leadsTo: [client.leads_to] },
    <>
      {problem && (
        <Notice kind="problem">
          <p>{`${problem}.`}</p>
        </Notice>
      )}
      <Notice kind="note">
        <p>{whoAsks(client)}</p>
        <p>{whereTo(client)}</p>
      </Notice>
      {client.own_scheme && (
        <Notice kind="problem">
          <p>{anyProgram(client.own_scheme)}</p>
        </Notice>
      )}
      <p>
        It will call tools for{" "}
        {email}, with no more than you choose here. A change is shown first, and is made once what was shown
        is confirmed.
      </p>
      <Form visitor={visitor} action={action} class="grant">
        <EnterButton name="look" />
        <input type="hidden" name="seen" value={seen} />
        <Fields {...view} />
        <div class="deed">
          <p role="status" data-summary>{wordsOf(view)}</p>
          <p>
            <LookButton />
          </p>
          <Submit name="answer" value="allow">Allow</Submit>
          <Submit name="answer" value="deny" quiet>Deny</Submit>
        </div>
      </Form>
    </>,
  );
}

/** What would be granted, in words. */
function wordsOf({ offer, offered, choice, picked, now }: ConsentView): string {
  return grantWords({
    max_risk: choice.max_risk,
    sites: pickedWords(picked, offered.sites),
    tools: offer.groups.filter(({ name }) => choice.groups.includes(name)).flatMap(({ tools }) => tools),
    confirm_policy: choice.confirm_policy,
    ends_at: now + choice.days * DAY_MS,
  }, offer.groups);
}

const DAY_MS = 24 * 60 * 60_000;

function Fields({ offer, offered, picked, choice, missing, before }: ConsentView): Child {
  return (
    <>
      <SitePicker
        {...offered}
        name="sites"
        legend="On these sites"
        hint={offer.sites.length === 0 ? "You may use no site, so there is nothing to grant." : undefined}
        error={missing.sites}
        every={null}
        picked={picked}
      />
      <Choices
        name="groups"
        legend="With the tools of these groups"
        error={missing.groups}
        choices={inShownOrder(offer.groups).map(({ name, tools }) => ({
          value: name,
          label: groupWords(name),
          ...sensitiveOf(name) !== null && { tag: "sensitive", hint: sensitiveOf(name)! },
          more: {
            label: tools.length === 1 ? "Show its tool" : `Show its ${tools.length} tools`,
            text: tools.join(", "),
          },
          checked: choice.groups.includes(name),
        }))}
      />
      <Choices
        name="max_risk"
        legend="At most"
        one
        choices={offer.ceilings.map(({ risk, meaning }) => ({
          value: String(risk),
          label: meaning,
          checked: risk === choice.max_risk,
        }))}
      />
      <Confirming offer={offer} choice={choice} before={before} />
      <Choices
        name="days"
        legend="For"
        one
        choices={offer.days.map((days) => ({
          value: String(days),
          label: days === 1 ? "one day" : `${days} days`,
          checked: days === choice.days,
        }))}
      />
    </>
  );
}

/** Whether a person approves each change. */
function Confirming({ offer, choice, before }: Pick<ConsentView, "offer" | "choice" | "before">): Child {
  return (
    <Choices
      name="confirm_policy"
      legend="Who confirms a change"
      hint={whoConfirms(offer, before)}
      choices={[{
        value: "human",
        label: "A person approves each change",
        checked: choice.confirm_policy === "human",
      }]}
    />
  );
}

const MEANING =
  "Ticked, each change waits on a page of this gateway until somebody has looked at it. Unticked, the program " +
  "itself confirms what it was shown.";

/** What the box means here: who the person is, where it is so whatever is ticked, and what the client has already. */
function whoConfirms({ sites }: Offer, before: GrantPolicy | null): string {
  const yours = sites.filter(({ approves }) => approves);
  const who = sites.length > 0 && yours.length === sites.length
    ? "You may approve on all of these sites."
    : yours.length > 0
    ? `You may approve on ${names(yours)}; elsewhere it is somebody who has that right.`
    : "You have no right to approve; the operator gives it.";
  const held = sites.filter(({ human }) => human);
  return [
    MEANING,
    who,
    ...held.length === 0 ? [] : [`On ${names(held)} a person approves each change in any case.`],
    ...before === "human" ? ["So far a person approves each change of this program."] : [],
  ].join(" ");
}

const SITES_NAMED = 5;

function names(sites: readonly OfferedSite[]): string {
  const more = sites.length - SITES_NAMED;
  const shown = sites.slice(0, SITES_NAMED).map(({ name }) => name).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** Who asks, as far as it is known. */
function whoAsks({ name, proven_host }: ShownClient): string {
  return proven_host === null
    ? `A program that calls itself “${name}” asks. Nobody has verified that name.`
    : `A program that ${proven_host} describes as “${name}” asks.`;
}

/** What nobody can know of an answer that is handed to a scheme. */
const anyProgram = ({ scheme, program }: NonNullable<ShownClient["own_scheme"]>) =>
  `Warning: any program on that machine can register itself for ${scheme}, not ${program} alone. Whichever program ` +
  "gets your answer can call tools with what you choose below. If you did not start this yourself, choose Deny.";

function whereTo({ loopback, own_scheme, redirect_host }: ShownClient): string {
  if (own_scheme) {
    return `Your answer goes to the program that opens ${own_scheme.scheme} addresses on the machine you are at: ` +
      `allow it only if you just connected from ${own_scheme.program} there.`;
  }
  return loopback
    ? `Your answer goes to a program on the machine you are at (${redirect_host}): allow it only if you just started one.`
    : `Your answer goes to ${redirect_host}: allow it only if you know that address.`;
}
