/** A token as its form has it, and what of a form stays where somebody changed the token meanwhile. */
import type { Token, User } from "../../core/model.ts";
import { isFields } from "../../core/values.ts";
import { SCOPE_SITES_MAX } from "../../admin/bodies.ts";
import { EVERY, picked } from "../site_picks.ts";
import { lostSites, RISK_MAX, type TokenForm, type TokenOffer } from "./token_form.tsx";

/**
 * A token as it is, as its form has it: a group is ticked where the token has all of its tools. What its person may not do
 * any more is left out: the token could not be saved with it.
 */
export function formOf(token: Token, offer: TokenOffer, owner: User | null = null): TokenForm {
  const { groups } = offer;
  const lost = lostSites(token, offer);
  const isEvery = token.allowed_sites.includes(EVERY);
  const isNarrowed = isEvery && owner !== null && !owner.allowed_sites.includes(EVERY);
  const everyTool = token.allowed_tools.includes(EVERY);
  const has = new Set(token.allowed_tools);
  const whole = everyTool ? [] : groups.filter(({ tools }) => tools.every((name) => has.has(name)));
  const inGroups = new Set(whole.flatMap(({ tools }) => tools));
  return {
    name: token.name,
    env: token.env,
    sites: picked(
      isNarrowed
        ? offer.sites.map(({ id }) => id).slice(0, SCOPE_SITES_MAX)
        : token.allowed_sites.filter((id) => !lost.includes(id)),
    ),
    everyTool,
    groups: whole.map(({ name }) => name),
    tool_names: everyTool ? "" : token.allowed_tools.filter((name) => !inGroups.has(name)).join(", "),
    max_risk: Math.min(token.max_risk, owner?.max_risk ?? RISK_MAX),
    confirm_policy: token.confirm_policy,
    confirm_proxied: token.confirm_proxied === true,
    listing: token.listing ?? "all",
    days: "",
    until: "",
    allowed_ips: token.allowed_ips?.join(", ") ?? "",
  };
}

/** What a token is, in short: another one once somebody has changed it. */
export const asOf = ({ created_at: _, ...token }: Token): string => JSON.stringify(token);

const isTexts = (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === "string");

/** The token that a form was made of, as the form says by `asOf`; as it is now, where that says none. */
export function tokenAsOf(text: string, now: Token): Token {
  try {
    const said: unknown = JSON.parse(text);
    const isToken = isFields(said) && isTexts(said["allowed_sites"]) && isTexts(said["allowed_tools"]) &&
      typeof said["name"] === "string" && typeof said["max_risk"] === "number";
    return isToken ? { created_at: now.created_at, ...said } as unknown as Token : now;
  } catch {
    return now;
  }
}

/** What each field of a form is called. */
const CALLED: Readonly<Partial<Record<keyof TokenForm, string>>> = {
  ...{ name: "its name", sites: "its sites", everyTool: "its tools", groups: "its tools" },
  ...{
    tool_names: "its tools",
    max_risk: "what it may never go beyond",
    confirm_policy: "what a change needs",
  },
  ...{
    confirm_proxied: "what is shown first",
    listing: "its list of tools",
    days: "its end",
    allowed_ips: "where it works from",
  },
};

/** A field's value, of a list whatever its order. */
function valueOf(form: TokenForm, name: keyof TokenForm): string {
  const value = name === "sites" ? form.sites.chosen : form[name];
  return JSON.stringify(Array.isArray(value) ? value.toSorted() : value);
}

/** What was filled in, with what somebody else changed meanwhile where it was not touched, and what that is called. */
export function mergedToken(
  mine: TokenForm,
  before: Token,
  now: Token,
  { offer, owner }: { readonly offer: TokenOffer; readonly owner: User | null },
): { readonly form: TokenForm; readonly changed: readonly string[] } {
  const [old, fresh] = [formOf(before, offer, owner), formOf(now, offer, owner)];
  const names = Object.keys(CALLED) as (keyof TokenForm)[];
  const other = names.filter((name) => valueOf(old, name) !== valueOf(fresh, name));
  const untouched = other.filter((name) => valueOf(mine, name) === valueOf(old, name));
  const taken = Object.fromEntries(untouched.map((name) => [name, fresh[name]])) as Partial<TokenForm>;
  const ended = before.expires_at === now.expires_at ? [] : [CALLED.days!];
  return {
    form: { ...mine, ...taken },
    changed: [...new Set([...other.map((name) => CALLED[name]!), ...ended])],
  };
}

/** Whether a form says what is set already, as where it is sent a second time. */
export const saysWhatIs = (form: TokenForm, now: TokenForm): boolean =>
  (Object.keys(CALLED) as (keyof TokenForm)[]).every((name) => valueOf(form, name) === valueOf(now, name));

/** What is said above the form then. */
export const meanwhileWords = (changed: readonly string[]): string =>
  `Somebody else changed this token meanwhile${
    changed.length === 0 ? "" : `: ${changed.join(", ")}`
  }. What you did not touch stands below as it is now; look at it, and save again`;
