/** The fields of a person: role, sites, ceiling and where he or she approves, each with what it permits; and what a form of them says. */
import type { Child } from "hono/jsx";
import { RISK_DEFAULT, type Tier, TIER_MAX, type User } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import { CEILINGS as PERMITTED } from "../../admin/ceilings.ts";
import { Choices, Field } from "../form.tsx";
import { SitePicker } from "../site_picker.tsx";
import { EVERY, type Offered, type Picked, picked, pickedIn } from "../site_picks.ts";
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

/** The names of the fields in which sites are ticked. */
export const SITES_FIELDS = ["allowed_sites", "approve_sites"] as const;

/** What each role permits. */
export const ROLE_WORDS: Readonly<Record<User["role"], string>> = {
  member: "Has tokens, connected accounts and clients of his or her own, on the sites below.",
  admin: "Also manages those sites, and the members who may do no more than the admin.",
};

/** What a form says; for the master token all of it, for an admin what an admin's form has. */
export function userOf(form: URLSearchParams, isMaster: boolean, offer: Offered): UserForm {
  const list = (name: string) => {
    const { chosen } = pickedIn(form, name, offer);
    return chosen.includes(EVERY) ? [EVERY] : chosen;
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

/** Which part of the lists of sites a form looks at, and what is ticked there. */
export const picksOf = (form: URLSearchParams, offer: Offered): Readonly<Record<string, Picked>> =>
  Object.fromEntries(SITES_FIELDS.map((name) => [name, pickedIn(form, name, offer)]));

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
  readonly offer: Offered;
  /** Which part of them is looked at; the first where it is left out. */
  readonly picks?: Readonly<Record<string, Picked>> | undefined;
  readonly chosen: UserForm;
  readonly faults: Readonly<Record<string, string>>;
}

/** The fields; nothing can be chosen that whoever fills them in may not give. */
export function UserFields({ admin, offer, picks, chosen, faults }: UserFieldsParts): Child {
  const fault = (name: string) => faults[name] && `${seen(faults[name])}.`;
  const most: Tier = admin?.max_risk ?? TIER_MAX;
  const risk = chosen.max_risk ?? Math.min(RISK_DEFAULT, most);
  const none = offer.sites.length === 0 ? " No site is registered yet." : "";
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
      <SitePicker
        {...offer}
        name="allowed_sites"
        legend="Sites"
        hint={`On which his or her tokens and clients may work, whatever they ask for.${none}`}
        every={(admin?.allowed_sites ?? [EVERY]).includes(EVERY) ? "every site, also those to come" : null}
        picked={picks?.allowed_sites ?? picked(chosen.allowed_sites)}
        error={fault("allowed_sites")}
      />
      <CeilingField most={most} risk={risk} error={fault("max_risk")} />
      {admin === null && (
        <SitePicker
          {...offer}
          name="approve_sites"
          legend="Approves on"
          hint="Sites on which he or she may say yes or no to what others' agents ask for. They have to be among the sites above."
          every="every site that he or she may use"
          picked={picks?.approve_sites ?? picked(chosen.approve_sites ?? [])}
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
