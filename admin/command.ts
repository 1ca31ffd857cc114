/** What a command of the command line is, how its words are read, and how it explains itself. */
import { parseArgs } from "node:util";
import type { AdminClient } from "./client.ts";
import { hint } from "../core/faults.ts";
import { CommandError, type Terminal } from "./terminal.ts";

/** One `--option`. A value is shown as `value` in the help; without one the option is a switch. */
export interface Option {
  readonly help: string;
  readonly value?: string;
  readonly many?: true;
  readonly required?: true;
  /** Its heading in the help; without a heading the command comes before all headings. */
  readonly group?: string;
}
export type Options = Readonly<Record<string, Option>>;

/** What was written after the command's words. */
export interface Words {
  /** The argument before the options, "" where the command takes none. */
  readonly subject: string;
  /** The word behind it, undefined where none was given. */
  readonly second: string | undefined;
  text(option: string): string | undefined;
  all(option: string): readonly string[];
  on(option: string): boolean;
  /** Comma separated; undefined when the option is absent. */
  list(option: string): string[] | undefined;
  /** Throws a CommandError when it is no whole number. */
  whole(option: string): number | undefined;
}

/** What was given of those options, as the parameters of the API that they are: `names` has the parameter of each. */
export const parametersOf = (
  words: Pick<Words, "text">,
  names: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(names).flatMap(([option, name]) => {
      const value = words.text(option);
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** A command under way. */
export interface Call {
  readonly words: Words;
  readonly api: AdminClient;
  readonly terminal: Terminal;
  readonly json: boolean;
  /** Prints the result as JSON, or what `human` makes of it. */
  show<T>(result: T, human: (result: T) => string): void;
}

/** A word behind the command's own. */
export interface Subject {
  readonly name: string;
  readonly help: string;
  readonly optional?: true;
}

/** A command: a word or two, perhaps a subject, options. */
export interface Command {
  readonly words: readonly [group: string, ...verb: string[]];
  readonly subject?: Subject;
  /** A word behind the subject. */
  readonly second?: Subject;
  readonly summary: string;
  readonly options: Options;
  /** It works on this machine's files and asks no gateway, so that it needs no MASTER_TOKEN. */
  readonly local?: true;
  /** Told at the end of its help. */
  readonly notes?: string;
  /** Answers the exit code; nothing is 0. */
  run(call: Call): Promise<number | void>;
}

/** Options of every command. */
export const COMMON: Options = {
  url: { value: "address", help: "the gateway (else GATEWAY_URL, or HOST and PORT of this machine)" },
  json: { help: "print JSON" },
  help: { help: "explain the command" },
};

/** Reads the words after a command's own. Throws a CommandError that never repeats a value. */
export function readWords(command: Command, args: readonly string[]): Words {
  const options: Options = { ...command.options, ...COMMON };
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    options: Object.fromEntries(
      Object.entries(options).map(([name, option]) => [name, { type: option.value ? "string" : "boolean" }]),
    ),
  });
  const values = new Map<string, string[]>();
  const subjects: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") subjects.push(token.value);
    if (token.kind === "option") {
      const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
      if (option === undefined || !token.rawName.startsWith("--")) throw unknown(token.rawName, options);
      values.set(token.name, [...values.get(token.name) ?? [], valueOf(token, option)]);
      if (!option.many && values.get(token.name)!.length > 1) {
        throw new CommandError(`--${token.name} is given twice`);
      }
    }
  }
  return wordsOf(subjectsOf(command, subjects), values);
}

/** Throws a CommandError naming each option that the command cannot do without. */
export function refuseMissing(command: Command, words: Words): void {
  const missing = Object.entries(command.options)
    .filter(([name, option]) => option.required && words.text(name) === undefined).map(([name]) =>
      `--${name}`
    );
  if (missing.length > 0) throw new CommandError(`${missing.join(", ")} must be given; ${seeHelp(command)}`);
  for (
    const [subject, given] of [[command.subject, words.subject], [command.second, words.second]] as const
  ) {
    if (!subject || subject.optional || given) continue;
    throw new CommandError(`<${subject.name}> must be given; ${seeHelp(command)}`);
  }
}

function seeHelp(command: Command): string {
  return `see ${command.words.join(" ")} --help`;
}

function valueOf(token: { rawName: string; value?: string; inlineValue?: boolean }, option: Option): string {
  if (!option.value) {
    if (token.value === undefined) return "";
    throw new CommandError(`${token.rawName} is a switch and takes no value`);
  }
  if (token.value === undefined || (!token.inlineValue && token.value.startsWith("--"))) {
    throw new CommandError(`${token.rawName} needs a value: ${token.rawName} <${option.value}>`);
  }
  return token.value;
}

function unknown(rawName: string, options: Options): CommandError {
  const name = rawName.replace(/^-+/, "").slice(0, 60);
  const known = Object.keys(options).map((option) => `--${option}`);
  const secret = /password|secret|token|credential/.test(name) &&
    known.some((option) => option.endsWith("-stdin"));
  const why = secret ? "; secrets are never written on the command line, where others can read them" : "";
  return new CommandError(`No option ${rawName.slice(0, 60)}, ${hint(`--${name}`, known)}${why}`);
}

function subjectsOf(command: Command, subjects: readonly string[]): readonly string[] {
  const most = [command.subject, command.second].filter((one) => one !== undefined).length;
  if (subjects.length <= most) return subjects;
  throw new CommandError(`Too many words after ${command.words.join(" ")}; ${seeHelp(command)}`);
}

function wordsOf(
  [subject = "", second]: readonly string[],
  values: ReadonlyMap<string, readonly string[]>,
): Words {
  const text = (option: string) => values.get(option)?.at(-1);
  return {
    subject,
    second,
    text,
    all: (option) => values.get(option) ?? [],
    on: (option) => values.has(option),
    list: (option) => text(option)?.split(",").map((item) => item.trim()).filter((item) => item !== ""),
    whole: (option) => {
      const value = text(option);
      if (value === undefined) return undefined;
      if (/^\d{1,9}$/.test(value)) return Number(value);
      throw new CommandError(`--${option} needs a whole number`);
    },
  };
}

const shownSubject = (one: Subject | undefined): string =>
  !one ? "" : one.optional ? `[${one.name}]` : `<${one.name}>`;

/** The help of one command: its own options, those under a heading, those of every command. */
export function commandHelp(command: Command): string {
  const own = Object.entries(command.options);
  const titles = new Set(own.flatMap(([, { group }]) => group ?? []));
  const groups = [...titles].map((title) => [title, own.filter(([, { group }]) => group === title)] as const);
  const first = own.filter(([, { group }]) => group === undefined);
  const common = Object.entries(COMMON);
  const left = ([name, { value }]: readonly [string, Option]) => value ? `--${name} <${value}>` : `--${name}`;
  const [subject, second] = [shownSubject(command.subject), shownSubject(command.second)];
  const width = Math.max(
    subject.length,
    second.length,
    ...[...own, ...common].map((one) => left(one).length),
  );
  const row = (one: readonly [string, Option]) => {
    const [, { help, required, many }] = one;
    const more = [required && "required", many && "may be repeated"].filter(Boolean).join(", ");
    return `  ${left(one).padEnd(width)}  ${help}${more ? ` (${more})` : ""}`;
  };
  const usage = [
    "deno task admin",
    ...command.words,
    ...[subject, second].filter((one) => one !== ""),
    "[options]",
  ];
  return [
    `${command.summary}\n`,
    `  ${usage.join(" ")}\n`,
    ...(command.subject ? [`  ${subject.padEnd(width)}  ${command.subject.help}`] : []),
    ...(command.second ? [`  ${second.padEnd(width)}  ${command.second.help}`] : []),
    ...first.map(row),
    ...groups.flatMap(([title, options]) => [`\n${title}`, ...options.map(row)]),
    ...(groups.length > 0 ? ["\nEvery command"] : []),
    ...common.map(row),
    ...(command.notes ? [`\n${command.notes}`] : []),
  ].join("\n") + "\n";
}

/** The help of several commands: a line each. */
export function overview(commands: readonly Command[]): string {
  const left = commands.map(({ words, subject, second }) =>
    [...words, shownSubject(subject), shownSubject(second)].filter((one) => one !== "").join(" ")
  );
  const width = Math.max(...left.map((text) => text.length));
  return [
    "Manages a running gateway.\n",
    "  deno task admin <command> [options]\n",
    ...commands.map((command, at) => `  ${left[at]!.padEnd(width)}  ${command.summary}`),
    "\nEvery command has --help, --json and --url. MASTER_TOKEN is read from the environment, or from",
    "data/secrets.json where dev or demo made it.",
  ].join("\n") + "\n";
}
