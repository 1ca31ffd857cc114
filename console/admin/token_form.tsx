/** The fields of a token, and what a form of them says. */
import type { Child } from "hono/jsx";
import {
  CONFIRM_POLICIES,
  type ConfirmPolicy,
  RISK_DEFAULT,
  type Site,
  type Token,
  type User,
} from "../../core/model.ts";
import { Choices, Field, Select } from "../form.tsx";
import { CEILINGS } from "./words.ts";

/** What is wrong, by field; what belongs to none stands under "". */
export type TokenFaults = Readonly<Partial<Record<string, string>>>;

/** A token as a form says it; what was left empty is left out. */
export interface TokenForm {
  readonly name?: string;
  readonly env?: string;
  readonly allowed_sites: readonly string[];
  readonly allowed_tools: readonly string[];
  readonly max_risk?: number;
  readonly confirm_policy?: string;
}

const ALL = "*";
/** The highest ceiling there is. */
const RISK_MAX = CEILINGS.length - 1;
/** How a write is confirmed, in words. */
const POLICIES: Readonly<Record<ConfirmPolicy, string>> = {
  flag: "confirm: true is enough",
  preview: "a preview has to be confirmed",
  human: "a person has to approve it",
};

/** What a form says. */
export function tokenOf(form: URLSearchParams): TokenForm {
  const text = (name: string) => form.get(name)?.trim() || undefined;
  const risk = text("max_risk");
  const sites = form.getAll("allowed_sites");
  const named = (text("tool_names") ?? "").split(/[\s,]+/).filter((one) => one !== "");
  return {
    name: text("name"),
    env: text("env"),
    allowed_sites: sites.includes(ALL) ? [ALL] : sites,
    allowed_tools: form.get("allowed_tools") === ALL ? [ALL] : named,
    max_risk: risk === undefined ? undefined : Number(risk),
    confirm_policy: text("confirm_policy"),
  };
}

/** What a form lacks, in words for a person; null where nothing is. */
export function lackOf({ allowed_sites, allowed_tools }: TokenForm): TokenFaults | null {
  if (allowed_sites.length > 0 && allowed_tools.length > 0) return null;
  return {
    ...(allowed_sites.length === 0 && { allowed_sites: "Choose at least one site" }),
    ...(allowed_tools.length === 0 && { allowed_tools: "Name at least one tool, or choose every tool" }),
  };
}

/** What the fields are made of. */
export interface TokenFieldsParts {
  /** Whose it is to be; null for the master token, which may do everything. */
  readonly user: User | null;
  /** The sites that can be chosen. */
  readonly sites: readonly Site[];
  readonly chosen: TokenForm | undefined;
  readonly faults: TokenFaults;
  /** The token that is made to do less; left out for a new one. */
  readonly token?: Token;
}

/** The fields; nothing can be chosen that its owner, or the token as it stands, may not do. */
export function TokenFields({ user, sites, chosen, faults, token }: TokenFieldsParts): Child {
  const own = user?.max_risk ?? RISK_MAX;
  const most = Math.min(own, token?.max_risk ?? own);
  const strict = CONFIRM_POLICIES.slice(token ? CONFIRM_POLICIES.indexOf(token.confirm_policy) : 0);
  return (
    <>
      <Field
        name="name"
        label="Name"
        hint="What or who will use it"
        value={chosen?.name}
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
            { value: "prod", label: "real work", checked: chosen?.env !== "dev" },
            { value: "dev", label: "trying things out", checked: chosen?.env === "dev" },
          ]}
        />
      )}
      <ScopeFields user={user} sites={sites} chosen={chosen} faults={faults} token={token} />
      <Select
        name="max_risk"
        label="At most"
        hint="What it may never go beyond, whatever it is asked for"
        error={faults.max_risk}
        value={String(chosen?.max_risk ?? Math.min(RISK_DEFAULT, most))}
        options={CEILINGS.slice(0, most + 1).map((label, tier) => ({ value: String(tier), label }))}
      />
      <Select
        name="confirm_policy"
        label="Before a change is made"
        error={faults.confirm_policy}
        value={chosen?.confirm_policy ?? "preview"}
        options={strict.map((value) => ({ value, label: POLICIES[value] }))}
      />
    </>
  );
}

/** Which sites and tools it is for. */
function ScopeFields({ user, sites, chosen, faults, token }: TokenFieldsParts): Child {
  const has = (id: string) => chosen?.allowed_sites.includes(id) ?? false;
  const offered = sites.filter(({ id }) => token === undefined || isIn(id, token.allowed_sites));
  const allTools = chosen?.allowed_tools.includes(ALL) ?? true;
  return (
    <>
      <Choices
        name="allowed_sites"
        legend="Sites"
        hint={sites.length === 0 ? "You may use no site yet; ask whoever manages this gateway." : undefined}
        error={faults.allowed_sites}
        choices={[
          ...(token === undefined || token.allowed_sites.includes(ALL)
            ? (user?.allowed_sites ?? [ALL]).includes(ALL)
              ? [{ value: ALL, label: "every site, also those to come", checked: has(ALL) }]
              : []
            : []),
          ...offered.map(({ id, name }) => ({ value: id, label: `${name} (${id})`, checked: has(id) })),
        ]}
      />
      <Choices
        name="allowed_tools"
        legend="Tools"
        one
        error={faults.allowed_tools}
        choices={[
          ...(token === undefined || token.allowed_tools.includes(ALL)
            ? [{ value: ALL, label: "every tool within the ceiling below", checked: allTools }]
            : []),
          { value: "named", label: "only those named here:", checked: !allTools },
        ]}
      />
      <Field
        name="tool_names"
        label="Names of tools"
        hint="With commas between them, such as: list_sites, create_draft"
        value={allTools ? "" : chosen?.allowed_tools.join(", ")}
        required={false}
      />
    </>
  );
}

const isIn = (id: string, sites: readonly string[]) => sites.includes(ALL) || sites.includes(id);
