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
import { grantWords, POLICIES, type ToolGroup } from "./token_words.ts";
import { CEILINGS, time } from "./words.ts";

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
  readonly listing: string;
  /** For how many days, "never", or "" for as it is. */
  readonly days: string;
}

/** What can be granted. */
export interface TokenOffer extends Offered {
  readonly groups: readonly ToolGroup[];
}

const DAY_MS = 24 * 60 * 60_000;
const DAYS = ["1", "7", "30", "90", "365"];
const DAYS_AT_FIRST = "90";
const NEVER = "never";
/** The highest ceiling there is. */
const RISK_MAX = CEILINGS.length - 1;
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
    listing: text("listing"),
    days: text("days"),
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
    listing: "all",
    days: DAYS_AT_FIRST,
  };
}

/** A token as it is, as its form has it: a group is ticked where the token has all of its tools. */
export function formOf(token: Token, { groups }: TokenOffer): TokenForm {
  const everyTool = token.allowed_tools.includes(EVERY);
  const has = new Set(token.allowed_tools);
  const whole = everyTool ? [] : groups.filter(({ tools }) => tools.every((name) => has.has(name)));
  const inGroups = new Set(whole.flatMap(({ tools }) => tools));
  return {
    name: token.name,
    env: token.env,
    sites: picked(token.allowed_sites),
    everyTool,
    groups: whole.map(({ name }) => name),
    tool_names: everyTool ? "" : token.allowed_tools.filter((name) => !inGroups.has(name)).join(", "),
    max_risk: token.max_risk,
    confirm_policy: token.confirm_policy,
    listing: token.listing ?? "all",
    days: "",
  };
}

/** The tools of the groups that are ticked, and those that are named; null for every tool. */
export function toolsOf({ everyTool, groups, tool_names }: TokenForm, offer: TokenOffer): string[] | null {
  if (everyTool) return null;
  const ticked = offer.groups.filter(({ name }) => groups.includes(name)).flatMap(({ tools }) => tools);
  return [...new Set([...ticked, ...namesIn(tool_names)])];
}

/** What is chosen of sites. */
const sitesOf = ({ sites: { chosen } }: TokenForm) => chosen.includes(EVERY) ? [EVERY] : chosen;

/** When it ends, as of now: null for never, undefined for as it is. */
function endOf({ days }: TokenForm, now: number): number | null | undefined {
  if (days === NEVER) return null;
  return DAYS.includes(days) ? now + Number(days) * DAY_MS : undefined;
}

/** The body that makes the token; what was left empty is left out. */
export function bodyOf(form: TokenForm, offer: TokenOffer, now: number) {
  const { name, env, max_risk, confirm_policy, listing } = form;
  const ends = endOf(form, now);
  return {
    name: name || undefined,
    env: env || undefined,
    allowed_sites: sitesOf(form),
    allowed_tools: toolsOf(form, offer) ?? [EVERY],
    max_risk,
    confirm_policy: confirm_policy || undefined,
    listing: listing || undefined,
    expires_at: typeof ends === "number" ? new Date(ends).toISOString() : ends,
  };
}

/** What a form lacks, in words for a person; null where nothing is. */
export function lackOf(form: TokenForm, offer: TokenOffer): TokenFaults | null {
  const [sites, tools] = [sitesOf(form), toolsOf(form, offer)];
  if (sites.length > 0 && tools?.length !== 0) return null;
  return {
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
      ? user === null || token?.owner_user_id === null ? "every site, also those to come," : `${EVERY_OWN},`
      : pickedWords(form.sites, offer.sites),
    tools: toolsOf(form, offer),
    confirm_policy: form.confirm_policy,
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
      <EndOf {...parts} />
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
      hint={offer.sites.length === 0 ? none : only}
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
      value={String(form.max_risk ?? riskAtFirst(owner ?? user))}
      options={CEILINGS.slice(0, most + 1).map((label, tier) => ({ value: String(tier), label }))}
    />
  );
}

function EndOf({ user, form, faults, token }: TokenFieldsParts): Child {
  const asIs = token && {
    value: "",
    label: token.expires_at === undefined
      ? "as it is: until it is revoked"
      : `as it is: ${time(token.expires_at)}`,
  };
  const mayLast = token === undefined || user === null;
  return (
    <Select
      name="days"
      label="It ends"
      hint={token && user !== null ? "Its end can come sooner, not later." : undefined}
      error={faults.expires_at}
      value={form.days}
      options={[
        ...asIs ? [asIs] : [],
        ...DAYS.map((days) => ({ value: days, label: days === "1" ? "in one day" : `in ${days} days` })),
        ...mayLast ? [{ value: NEVER, label: "only when it is revoked" }] : [],
      ]}
    />
  );
}
