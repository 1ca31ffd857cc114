/** The form of a site: its groups of fields, what was filled in, and what was wrong beside it. */
import type { Child } from "hono/jsx";
import { Area, Choices, Field, Select } from "../form.tsx";
import type { AskedField, AskedGroup } from "../../admin/site_form.ts";

/** What the fields are shown with. */
export interface ShownFields {
  readonly groups: readonly AskedGroup[];
  readonly form: URLSearchParams;
  readonly faults: Readonly<Record<string, string>>;
  /** What a project may be chosen from; nothing where there are too many to list. */
  readonly projects: readonly { readonly id: string; readonly name: string }[];
  /** The kinds of credential that are set. */
  readonly held: readonly string[];
}

/** Every group under its heading; what can wait is folded away. */
export function SiteFields(shown: ShownFields): Child {
  return shown.groups.map((group) => {
    const isWrong = group.fields.some(({ name }) => shown.faults[name] !== undefined);
    const isFilled = group.fields.some(({ name }) => shown.form.getAll(name).some((one) => one !== ""));
    const fields = <GroupFields group={group} shown={shown} />;
    return group.folded
      ? (
        <details class="part" open={isWrong || isFilled}>
          <summary>{group.title}</summary>
          {fields}
        </details>
      )
      : (
        <section class="part">
          <h2>{group.title}</h2>
          {group.about && <p>{group.about}</p>}
          {fields}
        </section>
      );
  });
}

function GroupFields({ group, shown }: { readonly group: AskedGroup; readonly shown: ShownFields }): Child {
  const kinds = new Set(
    group.fields.filter(({ name }) => name.startsWith("credentials.")).map(({ name }) => name.split(".")[1]!),
  );
  return (
    <>
      {group.fields.map((field) => <OneField field={field} shown={shown} />)}
      {[...kinds].filter((kind) => shown.held.includes(kind)).map((kind) => (
        <Switch
          name="forget"
          value={kind}
          label={`Forget the ${kind} credentials`}
          isOn={shown.form.getAll("forget").includes(kind)}
        />
      ))}
    </>
  );
}

function OneField({ field, shown }: { readonly field: AskedField; readonly shown: ShownFields }): Child {
  const { name, label, hint, control, words = {}, required = false } = field;
  const { form, faults } = shown;
  const error = faults[name] && `${faults[name]}.`;
  const value = form.get(name) ?? "";
  const common = { name, label, error, ...hint === undefined ? {} : { hint } };
  if (name === "project_id" && shown.projects.length > 0) {
    const options = shown.projects.map(({ id, name }) => ({ value: id, label: `${name} (${id})` }));
    return <Select {...common} value={value} options={[{ value: "", label: "none" }, ...options]} />;
  }
  switch (control.form) {
    case "switch":
      return (
        <Switch name={name} value="true" label={label} hint={hint} error={error} isOn={value === "true"} />
      );
    case "lines":
      return <Area {...common} value={value} />;
    case "some":
      return (
        <Choices
          name={name}
          legend={label}
          {...hint === undefined ? {} : { hint }}
          error={error}
          choices={control.of.map((one) => ({
            value: one,
            label: one,
            checked: form.getAll(name).includes(one),
          }))}
        />
      );
    case "one": {
      const isSaid = Object.keys(words).length > 0;
      const options = control.of.map((one) => ({
        value: one,
        label: isSaid ? `${one}: ${words[one]}` : one,
      }));
      return (
        <Select
          {...common}
          value={value}
          options={isSaid || required ? options : [{ value: "", label: "not chosen" }, ...options]}
        />
      );
    }
    case "secret":
      return <Field {...common} type="password" required={false} autocomplete="new-password" />;
    default:
      return <Field {...common} value={value} required={required} autocomplete="off" />;
  }
}

/** A box to tick, with what it permits under it. */
function Switch(
  { name, value, label, hint, error, isOn }: {
    readonly name: string;
    readonly value: string;
    readonly label: string;
    readonly hint?: string | undefined;
    readonly error?: string | undefined;
    readonly isOn: boolean;
  },
): Child {
  const id = `${name}-${value}`;
  return (
    <div class="choice">
      <input
        id={id}
        name={name}
        value={value}
        type="checkbox"
        checked={isOn}
        aria-describedby={hint && `${id}-hint`}
      />
      <div>
        <label for={id}>{label}</label>
        {hint && <p class="hint" id={`${id}-hint`}>{hint}</p>}
        {error && <p class="error">{error}</p>}
      </div>
    </div>
  );
}
