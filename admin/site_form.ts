/** What a form asks for of a site, made of what its kind's connectors say, and how its texts become the body that every way in sends. */
import { hash } from "node:crypto";
import { type Flag, FLAGS, type Site, type User } from "../core/model.ts";
import { isFields } from "../core/values.ts";
import { type FormControl, formControls } from "../registry/field_schema.ts";
import type { Connectors } from "../registry/connectors.ts";

/** What each flag of a site permits: the help of the command line, the pages and docs/CONNECTING.md say it in these words. */
export const FLAG_WORDS: Readonly<Record<Flag, string>> = {
  allow_publish: "Posts and pages may be published, and what is live may be changed.",
  allow_seo_on_published:
    "SEO fields, structured data and redirects that visitors and search engines see may be changed.",
  allow_main_branch_push: "Changes may be pushed to the branch that the site is deployed from: they go live.",
  allow_full_repo_write:
    "Any file of the repository may be written, so what the build runs too; keys and workflows stay closed.",
  allow_storage_write: "Files may be saved in the site's storage folder, beside those that are there.",
  allow_topicmap_write: "Topics may be added and changed in the site's workspace for topics.",
  allow_crm_write: "Records of the site's CRM location may be changed, and messages sent to contacts.",
};

/** What each confirm policy asks for. */
export const POLICY_WORDS: Readonly<Record<Site["confirm_policy"], string>> = {
  flag: "A call with confirm: true is enough.",
  preview: "Every write is shown as a preview first, and is confirmed with the token of that preview.",
  human: "A person approves every write.",
};

/** One thing that is asked for. */
export interface AskedField {
  /** As the body's faults name it: `seo.channel`, `credentials.cms.username`. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly control: FormControl | { readonly form: "secret" | "person" };
  /** What each choice is called where that is more than its value. */
  readonly words?: Readonly<Record<string, string>>;
  readonly required?: boolean;
}

/** Fields under one heading. */
export interface AskedGroup {
  readonly title: string;
  readonly about?: string;
  readonly fields: readonly AskedField[];
  /** Whether it is folded away until something in it is set. */
  readonly folded: boolean;
}

/** Which form is made. */
export interface FormOrder {
  readonly connectors: Connectors;
  readonly platform: string;
  /** The site to be changed; null for one to be registered. */
  readonly site: Site | null;
  /** Whether flags and what writes need may be set. */
  readonly withFlags: boolean;
}

type Connector = Connectors["all"][number];
const FIRST = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const WORDS = (name: string) => FIRST(name.replaceAll("_", " "));

/** The groups of the form for a kind of site. */
export function askedOf(order: FormOrder): readonly AskedGroup[] {
  const { connectors, platform, site } = order;
  const own = connectors.ofKind(platform);
  const others = connectors.all.filter((one) => one !== own);
  const groups = [
    ownGroup(order, own),
    ...own ? [connectorGroup(order, own, false)] : [],
    ...order.withFlags ? [flagGroup, policyGroup] : [],
    ...others.map((one) => connectorGroup(order, one, true)),
  ];
  const texts = site === null ? null : textsOf(site, groups);
  const isSet = ({ fields }: AskedGroup) => fields.some(({ name }) => texts?.has(name) || holds(site, name));
  return groups.filter(({ fields }) => fields.length > 0)
    .map((group) => group.folded && isSet(group) ? { ...group, folded: false } : group);
}

/** Whether a site has the credential that a field is a part of. */
function holds(site: Site | null, name: string): boolean {
  const [first, kind] = name.split(".");
  return first === "credentials" && (site?.credentials as readonly string[] ?? []).includes(kind!);
}

function ownGroup({ site }: FormOrder, own: Connector | undefined): AskedGroup {
  const line = { form: "line" } as const;
  const id = {
    name: "id",
    label: "Id",
    hint: "What calls name the site by: a-z, 0-9 and -. It cannot be changed later.",
    control: line,
    required: true,
  };
  const address = {
    name: "base_url",
    label: "Address",
    hint: "Where visitors find it, such as https://example.com",
    control: line,
    required: own?.address === "required",
  };
  return {
    title: "The site",
    folded: false,
    fields: [
      ...site === null ? [id] : [],
      { name: "name", label: "Name", hint: "As people call it", control: line, required: true },
      ...own?.address === "none" ? [] : [address],
      { name: "project_id", label: "Project", control: line },
    ],
  };
}

const flagGroup: AskedGroup = {
  title: "What may be done there",
  about: "Without any of these, agents read and make drafts; nothing that they do is seen by visitors.",
  folded: false,
  fields: FLAGS.map((flag) => ({
    name: `flags.${flag}`,
    label: flag,
    hint: FLAG_WORDS[flag],
    control: { form: "switch" },
  })),
};

const policyGroup: AskedGroup = {
  title: "What a write needs",
  folded: false,
  fields: [
    {
      name: "confirm_policy",
      label: "The least that a write needs",
      control: { form: "one", of: Object.keys(POLICY_WORDS) },
      words: POLICY_WORDS,
    },
    {
      name: "confirm_proxied",
      label: "Show what its own tools write first",
      hint:
        "Messages and records of the CRM, and what a site's own tools change, are shown before they are sent.",
      control: { form: "switch" },
    },
    {
      name: "four_eyes",
      label: "Four eyes",
      hint: "Who approves must be another person than the one whose client asked.",
      control: { form: "switch" },
    },
  ],
};

/** What one connector has asked: its site fields, and the credentials that people know. */
function connectorGroup({ platform, site }: FormOrder, one: Connector, folded: boolean): AskedGroup {
  const { siteFields = {}, credentials = {}, pairing, product } = one;
  const fields = Object.entries(siteFields).flatMap(([name, field]): AskedField[] => {
    const isAsked = field.asked === undefined || (field.asked as readonly string[]).includes(platform);
    if (!isAsked) return [];
    const label = field.label ?? WORDS(name);
    const hint = field.help && `${FIRST(field.help)}${field.help.endsWith(".") ? "" : "."}`;
    return formControls(field).map(([part, control], at) => ({
      name: part === "" ? name : `${name}.${part}`,
      label: part === "" ? label : `${label}: ${part}`,
      control: field.user ? { form: "person" } : control,
      ...field.user ? { hint: "The e-mail address of a person here who has connected the account." } : {},
      ...hint && !field.user && at === 0 ? { hint } : {},
      ...part !== "" && control.form === "one" ? { required: true } : {},
    }));
  });
  const secrets = Object.entries(credentials).flatMap(([kind, spec]): AskedField[] => {
    const fits = spec.kinds === undefined || (spec.kinds as readonly string[]).includes(platform);
    if (!fits || kind === pairing?.credential) return [];
    const isSet = holds(site, `credentials.${kind}`);
    return Object.entries(spec.fields).map(([part, { help, variable }]) => ({
      name: `credentials.${kind}.${part}`,
      label: FIRST(help),
      control: { form: variable === undefined ? "line" : "secret" },
      ...isSet ? { hint: "It is set, and shown to nobody. Leave it empty to keep it." } : {},
    }));
  });
  const isOfKind = Object.values(siteFields).some(({ asked }) =>
    (asked as readonly string[] | undefined)?.includes(platform)
  );
  return { title: FIRST(product), folded: folded && !isOfKind, fields: [...fields, ...secrets] };
}

const DEEP = (site: Site, name: string): unknown =>
  name.split(".").reduce<unknown>((value, key) => isFields(value) ? value[key] : undefined, site);

/** A site as the form shows it; credentials are never in it. */
export function textsOf(site: Site, groups: readonly AskedGroup[]): URLSearchParams {
  const texts = new URLSearchParams();
  for (const { name, control } of groups.flatMap(({ fields }) => fields)) {
    if (name.startsWith("credentials.")) continue;
    const value = DEEP(site, name) ?? null;
    const all = Array.isArray(value) ? value.map(String) : value === null ? [] : [String(value)];
    if (control.form === "switch") {
      if (value === true) texts.append(name, "true");
    } else if (control.form === "lines") all.length > 0 && texts.append(name, all.join("\n"));
    else for (const one of all) texts.append(name, one);
  }
  return texts;
}

/** What was filled in of a field, without blanks around and empty lines. */
export function filledIn(form: URLSearchParams, { name, control }: AskedField): readonly string[] {
  const isLines = control.form === "lines";
  const all = form.getAll(name).flatMap((one) => isLines ? one.replaceAll(",", "\n").split("\n") : [one]);
  return all.map((one) => control.form === "secret" ? one : one.trim()).filter((one) => one !== "");
}

const isSame = (one: readonly string[], other: readonly string[]) =>
  JSON.stringify(one) === JSON.stringify(other);

/** The body that the form asks for: what differs from `before`, and every credential that was given. */
export function bodyOf(
  groups: readonly AskedGroup[],
  form: URLSearchParams,
  before: URLSearchParams,
): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const field of groups.flatMap(({ fields }) => fields)) {
    const given = filledIn(form, field);
    const isSecret = field.name.startsWith("credentials.");
    const isKept = isSecret ? given.length === 0 : isSame(given, filledIn(before, field));
    // A box that is not ticked is not sent; of anything else that says nothing is to be changed.
    if (!form.has(field.name) && field.control.form !== "switch" && field.control.form !== "some") continue;
    // What a new site must have is said to be missing by who checks it.
    if (isKept && (isSecret || !field.required || before.has(field.name))) continue;
    put(body, field.name.split("."), valueOf(field, given));
  }
  for (const name of form.getAll("forget")) put(body, ["credentials", name], null);
  return body;
}

function valueOf({ control, required }: AskedField, given: readonly string[]): unknown {
  switch (control.form) {
    case "switch":
      return given.length > 0;
    case "lines":
    case "some":
      return given;
    default:
      return given[0] ?? (required ? "" : null);
  }
}

function put(body: Record<string, unknown>, [first, ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) return void (body[first!] = value);
  const inner = isFields(body[first!]) ? body[first!] as Record<string, unknown> : {};
  body[first!] = inner;
  put(inner, rest, value);
}

/** Alike for a record that nobody changed in between. */
export const revisionOf = (record: Site | User): string =>
  hash("sha256", JSON.stringify(record), "base64url").slice(0, 22);

/** A field that somebody else changed while the form was open. */
export interface Meanwhile {
  readonly field: AskedField;
  readonly was: readonly string[];
  readonly now: readonly string[];
  /** What the form has there, where that is neither; it is kept in the form. */
  readonly mine: readonly string[] | null;
}

/** What changed meanwhile, and the form with it: what was not touched in it takes the new value. */
export function mergedForm(
  groups: readonly AskedGroup[],
  form: URLSearchParams,
  was: URLSearchParams,
  now: URLSearchParams,
): { readonly form: URLSearchParams; readonly meanwhile: readonly Meanwhile[] } {
  const merged = new URLSearchParams(form);
  const meanwhile: Meanwhile[] = [];
  for (const field of groups.flatMap(({ fields }) => fields)) {
    if (field.name.startsWith("credentials.")) continue;
    const [mine, old, fresh] = [form, was, now].map((one) => filledIn(one, field)) as [
      readonly string[],
      readonly string[],
      readonly string[],
    ];
    if (isSame(old, fresh)) continue;
    const isTouched = !isSame(mine, old) && !isSame(mine, fresh);
    meanwhile.push({ field, was: old, now: fresh, mine: isTouched ? mine : null });
    if (isTouched) continue;
    merged.delete(field.name);
    for (const one of now.getAll(field.name)) merged.append(field.name, one);
  }
  return { form: merged, meanwhile };
}

/**
 * What is wrong with each field, by its name, of the sentences of a refusal; one that names none of them stands with the one
 * before it, the first under the empty name.
 */
export function faultsOf(
  sentences: readonly string[],
  names: readonly string[],
): Readonly<Record<string, string>> {
  const faults: Record<string, string> = {};
  let last = "";
  for (const part of sentences) {
    const name = names.find((one) =>
      [": ", " is required", "["].some((after) => part.startsWith(`${one}${after}`))
    );
    const said = name === undefined ? part : FIRST(part.slice(name.length).replace(": ", "").trim());
    if (name !== undefined || last === "") last = name ?? "";
    faults[last] = faults[last] === undefined ? said : `${faults[last]}; ${said}`;
  }
  return faults;
}
