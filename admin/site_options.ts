/** The options of `site add` and `site update`: a site's own, and those for what connectors name. */
import { FLAGS } from "../core/model.ts";
import type { Connectors } from "../registry/connectors.ts";
import { type OptionForm, optionForm, optionOf } from "../registry/field_schema.ts";
import type { Option, Options } from "./command.ts";
import type { Fields } from "./terminal.ts";

/** A part of a credential, and where it comes from: a secret from standard input or a variable, else an option. */
export interface Part {
  readonly kind: string;
  readonly field: string;
  readonly option: string;
  readonly help: string;
  readonly variable?: string;
}

/** A field of a site, and the option that sets it. */
export interface Field {
  readonly name: string;
  readonly option: string;
  readonly form: OptionForm;
}

/** What the connectors bring to the options. */
export interface Known {
  readonly kinds: readonly string[];
  readonly parts: readonly Part[];
  readonly fields: readonly Field[];
  readonly options: Options;
  /** What `--unset` forgets, and the change that does it. */
  readonly unsettable: Readonly<Record<string, Fields>>;
  /** The same in words. */
  readonly forgettable: string;
}

type Connector = Connectors["all"][number];

/** Everything that the connectors make of the options. */
export function knownOf(connectors: Connectors): Known {
  const { all, kinds, siteFields, credentials } = connectors;
  const emptied = [...siteFields].filter(([, { initial }]) => initial === undefined);
  const secrets = [...credentials.keys()].map((kind) => `${kind}-credentials`);
  return {
    kinds,
    parts: all.flatMap(partsOf),
    fields: [...siteFields].map(([name, field]) => ({
      name,
      option: optionOf(name, field),
      form: optionForm(field),
    })),
    options: { ...ownOptions(connectors), ...Object.fromEntries(all.flatMap(optionsOf)) },
    unsettable: {
      "base-url": { base_url: null },
      project: { project_id: null },
      ...Object.fromEntries(emptied.map(([name, field]) => [optionOf(name, field), { [name]: null }])),
      ...Object.fromEntries(
        [...credentials.keys()].map((kind) => [`${kind}-credentials`, { credentials: { [kind]: null } }]),
      ),
    },
    forgettable: `the value of an option (project, base-url, …), or ${secrets.join(", ")}`,
  };
}

function ownOptions(connectors: Connectors): Options {
  const that = (address: "required" | "none") =>
    connectors.kinds.filter((kind) => connectors.ofKind(kind)?.address === address);
  const has = [
    ...that("required").map((kind) => `; a ${kind} site needs one`),
    ...that("none").map((kind) => `; a ${kind} site has none`),
  ];
  return {
    name: { value: "name", help: "as people call it" },
    "base-url": { value: "address", help: `https address (http on loopback only)${has.join("")}` },
    project: { value: "id", help: "the project it belongs to" },
    flag: { value: "name=true|false", many: true, help: `set by a super-admin: ${FLAGS.join(", ")}` },
    "confirm-policy": {
      value: "flag|preview|human",
      help: "the least its writes need beside confirm: true; preview where it may publish",
    },
    "confirm-proxied": {
      value: "true|false",
      help: "whether what its own tools would write is shown before it is sent",
    },
    "four-eyes": {
      value: "true|false",
      help:
        "whether who approves must be another person than the one whose client asked, and no master token",
    },
  };
}

function partsOf({ credentials = {} }: Connector): Part[] {
  return Object.entries(credentials).flatMap(([kind, { fields }]) =>
    Object.entries(fields).map(([field, { option, help, variable }]) => ({
      kind,
      field,
      option,
      help,
      variable,
    }))
  );
}

/** The options of one connector, under its product's name and the kinds of site that are its own. */
function optionsOf(one: Connector): [string, Option][] {
  const product = `${one.product.charAt(0).toUpperCase()}${one.product.slice(1)}`;
  const group = one.kinds ? `${product}, the platform of ${one.kinds.join(" and ")} sites` : product;
  const parts = partsOf(one);
  const fields = Object.entries(one.siteFields ?? {}).map(([name, field]): [string, Option] => {
    const { value = "text", help = `sets ${name}` } = field;
    const many = optionForm(field) === "pairs" ? { many: true as const } : {};
    return [optionOf(name, field), { value, help, group, ...many }];
  });
  return [...parts.flatMap((part) => partOptions(part, parts, group)), ...fields];
}

const sources = (option: string) => [`${option}-stdin`, `${option}-env`] as const;

function partOptions({ kind, option, help, variable }: Part, parts: readonly Part[], group: string) {
  const made: [string, Option][] = [];
  if (variable !== undefined) {
    const [stdin, env] = sources(option);
    made.push([stdin, { help: `read the ${help} from standard input`, group }]);
    made.push([env, { help: `read the ${help} from ${variable}`, group }]);
    return made;
  }
  const others = parts.filter((one) => one.kind === kind && one.option !== option)
    .map((one) => `--${one.variable === undefined ? one.option : sources(one.option).join(" or --")}`);
  const needs = others.length === 0 ? "" : `; needs ${others.join(" and ")}`;
  made.push([option, { value: "name", help: `${help}${needs}`, group }]);
  return made;
}
