/** The fields of a person: role, sites, ceiling and where he or she approves, each with what it permits; and what a form of them says. */
import type { Child } from "hono/jsx";
import { RISK_DEFAULT, type Site, type Tier, TIER_MAX, type User } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import { CEILINGS as PERMITTED } from "../../admin/ceilings.ts";
import { Area, Choices, Field } from "../form.tsx";
import { CEILINGS } from "./words.ts";

/** A person as a form says it; what the form does not have is left out. */
export interface UserForm {
  readonly email: string;
  readonly role?: string;
  readonly allowed_sites: readonly string[];
  readonly max_risk?: number;
  readonly approve_sites?: readonly string[];
}

/** The names of the fields that a form has for whoever fills it in; null for the master token. */
export const fieldsFor = (admin: User | null): readonly string[] =>
  admin === null
    ? ["email", "role", "allowed_sites", "max_risk", "approve_sites"]
    : ["email", "allowed_sites", "max_risk"];

const ALL = "*";
/** More sites than that are named, not ticked. */
const TICKED_MAX = 100;

/** What each role permits. */
export const ROLE_WORDS: Readonly<Record<User["role"], string>> = {
  member: "Has tokens, connected accounts and clients of his or her own, on the sites below.",
  admin: "Also manages those sites, and the members who may do no more than the admin.",
};

/** What a form says; for the master token all of it, for an admin what an admin's form has. */
export function userOf(form: URLSearchParams, isMaster: boolean): UserForm {
  const list = (name: string) => {
    const named = form.getAll(name).flatMap((one) => one.split("\n")).flatMap((one) => one.split(","))
      .map((one) => one.trim()).filter((one) => one !== "");
    return named.includes(ALL) ? [ALL] : [...new Set(named)];
  };
  const [role, risk] = [form.get("role"), form.get("max_risk")];
  return {
    email: form.get("email")?.trim() ?? "",
    ...role === null ? {} : { role },
    allowed_sites: list("allowed_sites"),
    ...risk === null ? {} : { max_risk: Number(risk) },
    ...isMaster || form.has("approve_sites") ? { approve_sites: list("approve_sites") } : {},
  };
}

/** What a form says differently from the person as he or she is. */
export function changesOf(user: User, form: UserForm): Partial<UserForm> {
  const now: Readonly<Record<string, unknown>> = { ...user, approve_sites: user.approve_sites ?? [] };
  const text = (value: unknown) => JSON.stringify(Array.isArray(value) ? value.toSorted() : value);
  return Object.fromEntries(Object.entries(form).filter(([name, value]) => text(value) !== text(now[name])));
}

/** What the fields are made of. */
export interface UserFieldsParts {
  /** Who fills them in; null for the master token. */
  readonly admin: User | null;
  /** The sites that may be given. */
  readonly sites: readonly Site[];
  readonly chosen: UserForm;
  readonly faults: Readonly<Record<string, string>>;
}

/** The fields; nothing can be chosen that whoever fills them in may not give. */
export function UserFields({ admin, sites, chosen, faults }: UserFieldsParts): Child {
  const fault = (name: string) => faults[name] && `${seen(faults[name])}.`;
  const most: Tier = admin?.max_risk ?? TIER_MAX;
  const risk = chosen.max_risk ?? Math.min(RISK_DEFAULT, most);
  return (
    <>
      <Field
        name="email"
        label="E-mail address"
        type="email"
        hint="By which he or she signs in. The gateway sends no mail."
        value={chosen.email}
        error={fault("email")}
        autocomplete="off"
        maxlength={200}
      />
      {admin === null && (
        <Choices
          name="role"
          legend="Role"
          one
          error={fault("role")}
          choices={(["member", "admin"] as const).map((role) => ({
            value: role,
            label: role,
            hint: ROLE_WORDS[role],
            checked: (chosen.role ?? "member") === role,
          }))}
        />
      )}
      <SitesField
        name="allowed_sites"
        legend="Sites"
        hint="On which his or her tokens and clients may work, whatever they ask for."
        every={(admin?.allowed_sites ?? [ALL]).includes(ALL) ? "every site, also those to come" : null}
        sites={sites}
        chosen={chosen.allowed_sites}
        error={fault("allowed_sites")}
      />
      <CeilingField most={most} risk={risk} error={fault("max_risk")} />
      {admin === null && (
        <SitesField
          name="approve_sites"
          legend="Approves on"
          hint="Sites on which he or she may say yes or no to what others' agents ask for. They have to be among the sites above."
          every="every site that he or she may use"
          sites={sites}
          chosen={chosen.approve_sites ?? []}
          error={fault("approve_sites")}
        />
      )}
    </>
  );
}

/** The ceilings up to that which may be given, each with what it permits. */
function CeilingField(
  { most, risk, error }: { readonly most: Tier; readonly risk: number; readonly error: string | undefined },
): Child {
  return (
    <Choices
      name="max_risk"
      legend="At most"
      hint="What none of his or her tokens and clients may go beyond. Each permits what those above it do, too."
      one
      error={error}
      choices={CEILINGS.slice(0, most + 1).map((label, tier) => ({
        value: String(tier),
        label,
        hint: PERMITTED[tier]![0]!,
        ...PERMITTED[tier]!.length > 1 && {
          more: { label: "What else it permits", text: PERMITTED[tier]!.slice(1).join(" ") },
        },
        checked: risk === tier,
      }))}
    />
  );
}

interface SitesFieldParts {
  readonly name: string;
  readonly legend: string;
  readonly hint: string;
  /** What all of them are called; null where they may not be given. */
  readonly every: string | null;
  readonly sites: readonly Site[];
  readonly chosen: readonly string[];
  readonly error: string | undefined;
}

/** Sites to tick; where they are too many for a page, their ids. */
function SitesField({ name, legend, hint, every, sites, chosen, error }: SitesFieldParts): Child {
  if (sites.length > TICKED_MAX) {
    return (
      <Area
        name={name}
        label={legend}
        hint={`${hint} Their ids, one a line${every === null ? "" : `; * for ${every}`}.`}
        value={chosen.join("\n")}
        error={error}
      />
    );
  }
  return (
    <Choices
      name={name}
      legend={legend}
      hint={sites.length === 0 ? `${hint} No site is registered yet.` : hint}
      error={error}
      choices={[
        ...every === null ? [] : [{ value: ALL, label: every, checked: chosen.includes(ALL) }],
        ...sites.map(({ id, name: called }) => ({
          value: id,
          label: `${seen(called)} (${id})`,
          checked: chosen.includes(id),
        })),
      ]}
    />
  );
}
