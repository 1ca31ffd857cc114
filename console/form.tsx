/** Forms: the proof that they are ours, fields with a label, a hint and their error beside them, buttons. */
import type { Child, PropsWithChildren } from "hono/jsx";
import { Tag } from "./parts.tsx";
import { CSRF_FIELD, type Visitor } from "../identity/visitors.ts";

/** What a form needs. */
export interface FormParts {
  readonly visitor: Visitor;
  readonly action: string;
  readonly class?: string;
  /** By which fields elsewhere on the page belong to it. */
  readonly id?: string;
  /** What console/passkeys.js does before it is sent, and where it asks for the options; without scripts it stays hidden. */
  readonly passkey?: { readonly does: "create" | "get"; readonly options: string };
}

/** A form that is sent with POST. */
export function Form({ visitor, action, passkey, children, ...rest }: PropsWithChildren<FormParts>): Child {
  return (
    <form
      method="post"
      action={action}
      class={rest.class}
      id={rest.id}
      hidden={passkey !== undefined}
      data-passkey={passkey?.does}
      data-options={passkey?.options}
    >
      <input type="hidden" name={CSRF_FIELD} value={visitor.csrf} />
      {passkey && <input type="hidden" name="response" value="" />}
      {children}
      {passkey && <p class="error" role="alert" data-problem hidden></p>}
    </form>
  );
}

/** What a field needs. */
export interface FieldParts {
  readonly name: string;
  readonly label: string;
  readonly type?: "text" | "email" | "password" | "number";
  readonly value?: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly autocomplete?: string;
  readonly required?: boolean;
  readonly maxlength?: number;
}

/** What stands above what is filled in or chosen: its name, a hint, and what was wrong with it. */
function Label({ name, label, hint, error }: Pick<FieldParts, "name" | "label" | "hint" | "error">): Child {
  return (
    <>
      <label for={name}>{label}</label>
      {hint && <p class="hint" id={`${name}-hint`}>{hint}</p>}
      {error && <p class="error" id={`${name}-error`}>{error}</p>}
    </>
  );
}

/** The ids of the hint and the fault that describe it. */
const describedBy = ({ name, hint, error }: Pick<FieldParts, "name" | "hint" | "error">): string =>
  [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(" ");

/** One line to fill in. */
export function Field(
  { name, label, type = "text", value, hint, error, autocomplete, required = true, maxlength }: FieldParts,
): Child {
  const described = describedBy({ name, hint, error });
  return (
    <div class="field">
      <Label name={name} label={label} hint={hint} error={error} />
      <input
        id={name}
        name={name}
        type={type}
        value={value}
        autocomplete={autocomplete}
        required={required}
        maxlength={maxlength}
        aria-describedby={described || undefined}
        aria-invalid={error ? "true" : undefined}
      />
    </div>
  );
}

/** Several lines to fill in. */
export function Area({ name, label, value, hint, error, maxlength }: Omit<FieldParts, "type">): Child {
  const described = describedBy({ name, hint, error });
  return (
    <div class="field">
      <Label name={name} label={label} hint={hint} error={error} />
      <textarea
        id={name}
        name={name}
        rows={3}
        maxlength={maxlength}
        aria-describedby={described || undefined}
        aria-invalid={error ? "true" : undefined}
      >
        {value}
      </textarea>
    </div>
  );
}

/** One of several that can be chosen. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
  /** A word before the hint. */
  readonly tag?: string;
  /** What is folded away under its own words. */
  readonly more?: { readonly label: string; readonly text: string };
  readonly checked?: boolean;
}

/** What a list of choices needs. */
export interface ChoicesParts {
  readonly name: string;
  readonly legend: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly choices: readonly Choice[];
  /** Whether one has to be chosen, not any number. */
  readonly one?: boolean;
}

/** Boxes to tick, or one of several to choose. */
export function Choices({ name, legend, hint, error, choices, one = false }: ChoicesParts): Child {
  const described = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(" ");
  return (
    <fieldset aria-describedby={described || undefined}>
      <legend>{legend}</legend>
      {hint && <p class="hint" id={`${name}-hint`}>{hint}</p>}
      {error && <p class="error" id={`${name}-error`}>{error}</p>}
      {choices.map(({ value, label, hint, tag, more, checked }, at) => (
        <div class="choice">
          <input
            id={`${name}-${at}`}
            name={name}
            value={value}
            type={one ? "radio" : "checkbox"}
            checked={checked}
            aria-describedby={hint && `${name}-${at}-hint`}
          />
          <div>
            <label for={`${name}-${at}`}>{label}</label>
            {hint && (
              <p class="hint" id={`${name}-${at}-hint`}>
                {tag && <Tag tone="wait">{tag}</Tag>}
                {tag ? ` ${hint}` : hint}
              </p>
            )}
            {more && (
              <details class="hint">
                <summary>{more.label}</summary>
                <p>{more.text}</p>
              </details>
            )}
          </div>
        </div>
      ))}
    </fieldset>
  );
}

/** What a list to choose one of needs. */
export interface SelectParts {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly value?: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

/** One of several, folded away. */
export function Select({ name, label, hint, error, value, options }: SelectParts): Child {
  const described = describedBy({ name, hint, error });
  return (
    <div class="field">
      <Label name={name} label={label} hint={hint} error={error} />
      <select
        id={name}
        name={name}
        aria-describedby={described || undefined}
        aria-invalid={error ? "true" : undefined}
      >
        {options.map((one) => <option value={one.value} selected={one.value === value}>{one.label}</option>)}
      </select>
    </div>
  );
}

/** The button that sends a form; `name` and `value` tell it from another of the same form. */
export function Submit(
  { children, quiet = false, ...rest }: PropsWithChildren<{
    readonly quiet?: boolean;
    readonly name?: string;
    readonly value?: string;
    /** What it is called where its text alone does not say what it acts on. */
    readonly label?: string;
  }>,
): Child {
  return (
    <button
      type="submit"
      class={quiet ? "quiet" : undefined}
      name={rest.name}
      value={rest.value}
      aria-label={rest.label}
    >
      {children}
    </button>
  );
}
