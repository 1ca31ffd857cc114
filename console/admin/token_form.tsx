/** The fields of a token, what a form of them says, and what that grants in words. */
import type { Child } from "hono/jsx";
import {
  CONFIRM_POLICIES,
  RISK_DEFAULT,
  type Token,
  TOKEN_LISTINGS,
  type TokenListing,
  type User,
} from "../../core/model.ts";
import { SCOPE_SITES_MAX } from "../../admin/bodies.ts";
import { groupWords, inShownOrder, sensitiveOf } from "../../identity/oauth/group_words.ts";
import { Choices, Field, Select } from "../form.tsx";
import { Tag } from "../parts.tsx";
import { SitePicker } from "../site_picker.tsx";
import { EVERY, type Offered, type Picked, picked, pickedIn, pickedWords } from "../site_picks.ts";
import { DAYS_AT_FIRST, EndFields, endOf } from "./token_end.tsx";
import { grantWords, POLICIES, type ToolGroup } from "./token_words.ts";
import { CEILINGS } from "./words.ts";

/** What is wrong, by field; what belongs to none stands under "". */
export type TokenFaults = Readonly<Partial<Record<string, string>>>;

/** A token as its form has it. */
export interface TokenForm {
  readonly name: string;
  readonly env: string;
  readonly sites: Picked;
  /** Whether it is for every tool, also those to come. */
  readonly everyTool: boolean;
  readonly groups: readonly string[];
  readonly tool_names: string;
  readonly max_risk: number | undefined;
  readonly confirm_policy: string;
  /** Whether what sites' own tools write is shown first. */
  readonly confirm_proxied: boolean;
  readonly listing: string;
  /** For how many days, "never", or "" for as it is. */
  readonly days: string;
  /** The last day on which it works, rather than for some days; "" for none. */
  readonly until: string;
  /** The addresses and networks that it works from; "" for anywhere. */
  readonly allowed_ips: string;
}

/** What can be granted. */
export interface TokenOffer extends Offered {
  readonly groups: readonly ToolGroup[];
}

/** The highest ceiling there is. */
export const RISK_MAX = CEILINGS.length - 1;
const LISTINGS: Readonly<Record<TokenListing, string>> = {
  all: "all of its tools",
  own: "its tools without those that come from sites",
  search: "a few, which find the others: for clients that cannot hold many",
};

/** Names in a text, with commas, blanks or lines between them. */
const namesIn = (text: string) =>
  text.replaceAll("\n", " ").replaceAll("\r", " ").replaceAll("\t", " ").replaceAll(",", " ").split(" ")
    .filter((one) => one !== "");

/** What a form says. */
export function tokenIn(form: URLSearchParams, offer: TokenOffer): TokenForm {
  const text = (name: string) => form.get(name)?.trim() ?? "";
  const risk = text("max_risk");
  return {
    name: text("name"),
    env: text("env"),
    sites: pickedIn(form, "allowed_sites", offer),
    everyTool: form.get("allowed_tools") === EVERY,
    groups: form.getAll("groups"),
    tool_names: text("tool_names"),
    max_risk: risk === "" ? undefined : Number(risk),
    confirm_policy: text("confirm_policy"),
    confirm_proxied: form.get("confirm_proxied") === "true",
    listing: text("listing"),
    days: text("days"),
    until: text("until"),
    allowed_ips: text("allowed_ips"),
  };
}

/** A form before anybody has filled it in: no site, and the groups that are not sensitive. */
export function newToken({ groups, sites }: TokenOffer): TokenForm {
  return {
    name: "",
    env: "prod",
    sites: picked(sites.length === 1 ? [sites[0]!.id] : []),
    everyTool: false,
    groups: groups.filter(({ name }) => sensitiveOf(name) === null).map(({ name }) => name),
    tool_names: "",
    max_risk: undefined,
    confirm_policy: "preview",
    confirm_proxied: false,
    listing: "all",
    days: DAYS_AT_FIRST,
    until: "",
    allowed_ips: "",
  };
}

/** The sites of a token that are none any more, or not its person's: no box could be shown for them. */
export const lostSites = ({ allowed_sites }: Token, { sites }: TokenOffer): readonly string[] =>
  allowed_sites.filter((id) => id !== EVERY && !sites.some((one) => one.id === id));

/** The tools of the groups that are ticked, and those that are named; null for every tool. */
export function toolsOf({ everyTool, groups, tool_names }: TokenForm, offer: TokenOffer): string[] | null {
  if (everyTool) return null;
  const ticked = offer.groups.filter(({ name }) => groups.includes(name)).flatMap(({ tools }) => tools);
  return [...new Set([...ticked, ...namesIn(tool_names)])];
}

/** What is chosen of sites. */
const sitesOf = ({ sites: { chosen } }: TokenForm) => chosen.includes(EVERY) ? [EVERY] : chosen;

/** The body that makes or changes the token; what was left empty, and what is as it was, is left out. */
export function bodyOf(form: TokenForm, offer: TokenOffer, now: number, token?: Token) {
  const { name, env, max_risk, confirm_policy, confirm_proxied, listing } = form;
  const ends = endOf(form, now);
  return {
    name: name || undefined,
    env: env || undefined,
    allowed_sites: sitesOf(form),
    allowed_tools: toolsOf(form, offer) ?? [EVERY],
    max_risk,
    confirm_policy: confirm_policy || undefined,
    confirm_proxied: confirm_proxied === (token?.confirm_proxied ?? false) ? undefined : confirm_proxied,
    listing: listing || undefined,
    expires_at: typeof ends === "number" ? new Date(ends).toISOString() : ends,
    allowed_ips: placesOf(form, token),
  };
}

/** Where it works from; null for anywhere, undefined for as it is. */
function placesOf({ allowed_ips }: TokenForm, token: Token | undefined): string[] | null | undefined {
  const [places, before] = [namesIn(allowed_ips), token?.allowed_ips ?? []];
  if (places.length === before.length && places.every((one) => before.includes(one))) return undefined;
  return places.length === 0 ? null : places;
}

/** What a form lacks, in words for a person; null where nothing is. */
export function lackOf(form: TokenForm, offer: TokenOffer): TokenFaults | null {
  const [sites, tools] = [sitesOf(form), toolsOf(form, offer)];
  const isDay = form.until === "" || !isNaN(Date.parse(form.until));
  if (sites.length > 0 && tools?.length !== 0 && isDay) return null;
  return {
    ...(!isDay && { expires_at: "Choose the last day from the calendar, such as 2026-12-04" }),
    ...(sites.length === 0 && { allowed_sites: "Choose at least one site" }),
    ...(tools?.length === 0 && {
      allowed_tools: "Name at least one tool, or choose every tool, or tick a group",
    }),
  };
}

/** What the form grants, in words. */
export function tokenWords(
  form: TokenForm,
  { offer, user, token, now }: Pick<TokenFieldsParts, "offer" | "user" | "token"> & { readonly now: number },
): string {
  const ends = endOf(form, now);
  const before = token?.expires_at === undefined ? null : Date.parse(token.expires_at);
  return grantWords({
    max_risk: form.max_risk ?? riskAtFirst(user),
    sites: form.sites.chosen.includes(EVERY)
      ? user === null || token?.owner_user_id === null ? "every site, also those to come" : EVERY_OWN
      : pickedWords(form.sites, offer.sites),
    tools: toolsOf(form, offer),
    confirm_policy: form.confirm_policy,
    confirm_proxied: form.confirm_proxied,
    ends_at: ends === undefined ? before : ends,
  }, offer.groups);
}

const EVERY_OWN = "every site that its person may use, also those to come";
const riskAtFirst = (user: User | null) => Math.min(RISK_DEFAULT, user?.max_risk ?? RISK_MAX);

/** What the fields are made of. */
export interface TokenFieldsParts {
  /** Who fills them in; null for the master token, which may do everything. */
  readonly user: User | null;
  /** The person whose token it is, where it is known and not who fills them in. */
  readonly owner?: User | null;
  readonly offer: TokenOffer;
  readonly form: TokenForm;
  readonly faults: TokenFaults;
  /** The token that is changed; left out for a new one. */
  readonly token?: Token;
}

/** The fields; nothing can be chosen that its owner, or for a person the token as it is, may not do. */
export function TokenFields(parts: TokenFieldsParts): Child {
  const { user, form, faults, token } = parts;
  return (
    <>
      <Field
        name="name"
        label="Name"
        hint="What or who will use it"
        value={form.name}
        error={faults.name}
        maxlength={100}
      />
      {token === undefined && (
        <Choices
          name="env"
          legend="It is for"
          one
          error={faults.env}
          choices={[
            { value: "prod", label: "real work", checked: form.env !== "dev" },
            { value: "dev", label: "trying things out", checked: form.env === "dev" },
          ]}
        />
      )}
      <SitesOf {...parts} />
      <ToolsOf {...parts} />
      <CeilingOf {...parts} />
      <Select
        name="confirm_policy"
        label="Before a change is made"
        error={faults.confirm_policy}
        value={form.confirm_policy}
        options={CONFIRM_POLICIES.slice(
          token && user !== null ? CONFIRM_POLICIES.indexOf(token.confirm_policy) : 0,
        ).map((value) => ({ value, label: POLICIES[value] }))}
      />
      <OwnWrites {...parts} />
      <EndFields {...parts} />
      <Field
        name="allowed_ips"
        label="Works from"
        hint={`Addresses and networks, with commas between them, such as: 203.0.113.7, 2001:db8::/48. Left empty, it works from anywhere.${
          token?.allowed_ips && user !== null ? " Some can be taken away, and none added." : ""
        }`}
        error={faults.allowed_ips}
        value={form.allowed_ips}
        required={false}
      />
      <Select
        name="listing"
        label="What its list of tools shows"
        error={faults.listing}
        value={form.listing}
        options={TOKEN_LISTINGS.map((value) => ({ value, label: LISTINGS[value] }))}
      />
    </>
  );
}

function SitesOf({ user, owner, offer, form, faults, token }: TokenFieldsParts): Child {
  const whose = owner ?? user;
  const mayAll = (whose?.allowed_sites ?? [EVERY]).includes(EVERY) &&
    (user === null || token === undefined || token.allowed_sites.includes(EVERY));
  const none = user === null
    ? "No site is registered yet. Add one first."
    : "You may use no site yet; ask whoever manages this gateway.";
  const lost = token === undefined ? 0 : lostSites(token, offer).length;
  const gone = lost === 0
    ? ""
    : ` It has ${lost} more that ${
      lost === 1 ? "is" : "are"
    } not there any more, or not its person's; saving takes ${lost === 1 ? "it" : "them"} away.`;
  const only = token !== undefined && user !== null
    ? "Those that the token has now. It can lose some, and gets no others."
    : whose !== null && !whose.allowed_sites.includes(EVERY)
    ? `Those that ${owner ? "its person" : "you"} may use, and no others.`
    : undefined;
  return (
    <SitePicker
      {...offer}
      name="allowed_sites"
      legend="Sites"
      hint={`${offer.sites.length === 0 ? none : only ?? ""}${gone}`.trim() || undefined}
      error={faults.allowed_sites}
      every={mayAll ? "every site, also those to come" : null}
      picked={form.sites}
      most={SCOPE_SITES_MAX}
    />
  );
}

function ToolsOf({ user, offer, form, faults, token }: TokenFieldsParts): Child {
  const error = faults.allowed_tools;
  const mayAll = user === null || token === undefined || token.allowed_tools.includes(EVERY);
  const has = new Set(token?.allowed_tools);
  const groups = mayAll
    ? offer.groups
    : offer.groups.filter(({ tools }) => tools.every((one) => has.has(one)));
  const ticked = (one: string) => form.groups.includes(one);
  return (
    <fieldset class="tools" aria-describedby={error ? "allowed_tools-error" : undefined}>
      <legend>Tools</legend>
      {error && <p class="error" id="allowed_tools-error">{error}</p>}
      {mayAll && (
        <div class="choice every">
          <input id="every-tool" type="radio" name="allowed_tools" value={EVERY} checked={form.everyTool} />
          <label for="every-tool">
            every tool within the ceiling below, also those to come
            <span class="hint">Sensitive ones included: customers, messages, payments, ads.</span>
          </label>
        </div>
      )}
      <div class="choice">
        <input id="named-tools" type="radio" name="allowed_tools" value="named" checked={!form.everyTool} />
        <label for="named-tools">
          only those chosen here
          <span class="hint">A tool that is added to a group later is not among them.</span>
        </label>
      </div>
      <div class="picks">
        {inShownOrder(groups).map(({ name, tools }) => (
          <div class="choice">
            <input id={`group-${name}`} type="checkbox" name="groups" value={name} checked={ticked(name)} />
            <div>
              <label for={`group-${name}`}>{groupWords(name)}</label>
              {sensitiveOf(name) && (
                <p class="hint">
                  <Tag tone="wait">sensitive</Tag>
                  {` ${sensitiveOf(name)}`}
                </p>
              )}
              <details class="hint">
                <summary>{tools.length === 1 ? "Show its tool" : `Show its ${tools.length} tools`}</summary>
                <p>{tools.join(", ")}</p>
              </details>
            </div>
          </div>
        ))}
        <Field
          name="tool_names"
          label="Tools by name"
          hint="Beside the groups, with commas between them, such as: list_sites, create_draft"
          value={form.tool_names}
          required={false}
        />
      </div>
    </fieldset>
  );
}

/** Whether what sites' own tools write is shown first; a person cannot take that away from a token. */
function OwnWrites({ user, form, token }: TokenFieldsParts): Child {
  const label = "Show first what sites' own tools would write";
  if (user !== null && token?.confirm_proxied === true) {
    return (
      <>
        <input type="hidden" name="confirm_proxied" value="true" />
        <p class="hint">{`${label}: the token does, and goes on so.`}</p>
      </>
    );
  }
  const hint = "Such as a message to a customer, which a CRM's own tool otherwise sends at once.";
  return (
    <Choices
      name="confirm_proxied"
      legend="Sites' own tools"
      choices={[{ value: "true", label, hint, checked: form.confirm_proxied }]}
    />
  );
}

/** The ceilings that can be chosen, and why no higher one. */
function CeilingOf({ user, owner, form, faults, token }: TokenFieldsParts): Child {
  const own = Math.min((owner ?? user)?.max_risk ?? RISK_MAX, RISK_MAX);
  const most = user === null ? own : Math.min(own, token?.max_risk ?? own);
  const why = most === RISK_MAX
    ? ""
    : token !== undefined && user !== null && token.max_risk === most
    ? " The token has no higher one, and gets none."
    : ` ${owner ? "Its person" : "You"} may go up to “${CEILINGS[most]}”: whoever manages people gives more.`;
  return (
    <Select
      name="max_risk"
      label="At most"
      hint={`What it may never go beyond, whatever it is asked for.${why}`}
      error={faults.max_risk}
      value={String(Math.min(form.max_risk ?? riskAtFirst(owner ?? user), most))}
      options={CEILINGS.slice(0, most + 1).map((label, tier) => ({ value: String(tier), label }))}
    />
  );
}
