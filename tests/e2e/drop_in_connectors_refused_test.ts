/** Connectors that cannot be judged are refused at boot, all at once, each with its reason. */
import assert from "node:assert/strict";
import { connectorModule, CONNECTS, refused } from "./dropped.ts";

/** A fault, the connectors that make it, and what is said of them. */
interface Fault {
  readonly name: string;
  readonly files: Record<string, string>;
  readonly says: readonly string[];
}

const path = (name: string) => `platforms/${name}/connector.ts`;

/** A connector with these parts, and what is said of it. */
const spoiled = (name: string, parts: string, says: string, how?: "connector" | "described"): Fault => ({
  name,
  files: { [path(name)]: connectorModule(name, parts, how) },
  says: [`platforms/${name}: ${says}`],
});

/** The same of a part by itself. */
const misshapen = (name: string, parts: string, says: string): Fault => ({
  ...spoiled(name, parts, says),
  says: [`${path(name)}: ${says}`],
});

const setting = (name: string) =>
  `${CONNECTS}, settings: { ${name}: { default: null, meaning: "M", read: (text) => text } }`;
const field = (parts: string, name = "own_text") => `${CONNECTS}, siteFields: { ${name}: { ${parts} } }`;
const credential = (parts: string, kind = "own") =>
  `${CONNECTS}, credentials: { ${kind}: { fields: { token: { schema: z.string(), help: "h", ${parts} } } } }`;
const checks = (names: string, more = "") =>
  `${CONNECTS}, checks: [{ names: [${names}], ${more} run: () => [] }]`;

const ACCOUNT = `${CONNECTS}, scope: "account",
  account: { kind: "shared", user: () => null, refresh: () => null, refusal: () => new Error() }`;

const FAULTS: readonly Fault[] = [
  spoiled(
    "no_origins",
    "policy: () => null, connect: () => ({})",
    "a connector that connects must say its origins",
  ),
  spoiled(
    "no_policy",
    "origins: () => [], connect: () => ({})",
    "a connector that connects must have a policy",
  ),
  spoiled(
    "no_connect",
    "links: { own: () => {} }",
    "links: nothing asks for it without connect",
    "described",
  ),
  spoiled(
    "idle_parts",
    'deployment: { kind: "cms", link: "own", source: () => null }, borrows: ["wordpress"]',
    "borrows, deployment: nothing asks for it without connect",
    "described",
  ),
  spoiled(
    "idle_days",
    "allowance: 10, daily: { source: () => null, take: () => null }",
    "allowance, daily: nothing asks for it without connect",
    "described",
  ),
  misshapen("no_allowance", `${CONNECTS}, allowance: 0`, "allowance: Too small: expected number to be >=1"),
  misshapen("half_daily", `${CONNECTS}, daily: { source: () => null }`, "daily.take: expected a function"),
  spoiled("no_account", `${CONNECTS}, scope: "account"`, "scope account needs account"),
  spoiled(
    "lost_account",
    `${CONNECTS}, account: { kind: "own", user: () => null, refresh: () => null, refusal: () => new Error() }`,
    "account is for scope account, not site",
  ),
  {
    name: "two connectors whose connections are kept under one name",
    files: Object.fromEntries(
      ["first_account", "second_account"].map((name) => [path(name), connectorModule(name, ACCOUNT)]),
    ),
    says: ['platforms/second_account: the account "shared" is that of "first_account" too'],
  },
  spoiled("your_setting", setting("REPO_APP_ID"), 'the variable "REPO_APP_ID" is that of "github" too'),
  spoiled("own_setting", setting("MASTER_TOKEN"), 'the variable "MASTER_TOKEN" is the gateway\'s own'),
  spoiled("host_setting", setting("DENO_DEPLOY"), 'the variable "DENO_DEPLOY" is the gateway\'s own'),
  spoiled(
    "refused_default",
    `${CONNECTS}, settings: { ODD_BASE: { default: "x", meaning: "M", read() { throw new Error("not an address"); } } }`,
    'the setting "ODD_BASE" refuses its own default (not an address)',
  ),
  spoiled(
    "strange_default",
    `${CONNECTS}, settings: { ODD_NUMBER: { default: "1", meaning: "M", read: Number } }`,
    'the setting "ODD_NUMBER" is not read as a text',
  ),
  misshapen("small_setting", setting("small"), "settings.small: expected capitals, 0-9 and _"),
  spoiled(
    "your_field",
    field("schema: z.string()", "repo"),
    'the site field "repo" is that of "github" too',
  ),
  ...["id", "platform", "created_at", "credentials", "integrations"].map((own) =>
    spoiled(
      `shadows_${own}`,
      field("schema: z.string()", own),
      `the site field "${own}" cannot be used: every site has one of its own`,
    )
  ),
  spoiled(
    "throwing_field",
    field('schema: z.string().transform(() => { throw new Error("boom"); })'),
    'the site field "own_text" cannot be used: its schema throws (boom)',
  ),
  spoiled(
    "waiting_field",
    field("schema: z.string().refine(() => Promise.resolve(true))", "slow_text"),
    'the site field "slow_text" cannot be used: its schema throws (Encountered Promise during synchronous parse. Use .parseAsync() instead.)',
  ),
  spoiled(
    "refused_initial",
    field('schema: z.string().max(1), initial: "long"', "first_text"),
    'the site field "first_text" cannot be used: its schema refuses its initial value',
  ),
  misshapen(
    "no_schema",
    field('schema: "text"', "bare_text"),
    "siteFields.bare_text.schema: expected a Zod schema",
  ),
  spoiled(
    "your_credential",
    credential('option: "fax"', "cms"),
    'the credential "cms" is that of "wordpress" too',
  ),
  spoiled(
    "strange_kind",
    `${CONNECTS}, credentials: { fax: { kinds: ["gopher"], fields: { a: { schema: z.string(), help: "h", option: "fax-a" } } } }`,
    'the credential "fax" names the unknown kind "gopher"',
  ),
  spoiled(
    "strange_field",
    `${CONNECTS}, credentials: { fax: { of: "repo", fields: { a: { schema: z.string(), help: "h", option: "fax-a" } } } }`,
    'the credential "fax" is of "repo", which is no site field of it',
  ),
  spoiled(
    "your_option",
    credential('option: "repo-branch"'),
    'the option "repo-branch" is that of "github" too',
  ),
  spoiled(
    "own_option",
    field('schema: z.string(), option: "platform"', "odd_text"),
    'the option "platform" is the command line\'s own',
  ),
  spoiled(
    "your_variable",
    credential('option: "pager", variable: "SITE_CMS_PASSWORD"', "pager"),
    'the variable "SITE_CMS_PASSWORD" is that of "wordpress" too',
  ),
  spoiled(
    "your_link",
    `${CONNECTS}, links: { repo: () => {} }`,
    'the link "repo" is that of "github" too',
  ),
  spoiled("your_kind", `${CONNECTS}, kinds: ["cms"]`, 'the kind "cms" is that of "wordpress" too'),
  spoiled("own_kind", `${CONNECTS}, kinds: ["gopher_a", "gopher_a"]`, 'the kind "gopher_a" is named twice'),
  spoiled(
    "your_flag",
    `${CONNECTS}, present: () => ({ repo: false })`,
    'the integration "repo" is that of "github" too',
  ),
  spoiled(
    "lost_lender",
    `${CONNECTS}, borrows: ["nobody"]`,
    'borrows "nobody", which no connector is called',
  ),
  spoiled(
    "mute_lender",
    `${CONNECTS}, borrows: ["github"]`,
    'borrows "github", which signs nothing for others',
  ),
  spoiled(
    "quiet_lender",
    `${CONNECTS}, borrows: ["duda"]`,
    'borrows "duda", which signs nothing for others',
  ),
  spoiled(
    "lost_borrower",
    `${CONNECTS}, lends: { wordpress: () => [] }`,
    'lends to "wordpress", which does not borrow from it',
  ),
  misshapen(
    "open_lender",
    `${CONNECTS}, lends: { wordpress: "https://a.example" }`,
    "lends.wordpress: expected a function",
  ),
  spoiled("strange_checks", checks('"fax"', 'kinds: ["gopher"],'), 'checks name the unknown kind "gopher"'),
  spoiled(
    "your_check",
    checks('"repo_linked", "topicmap_link"'),
    'the check "topicmap_link" is that of "topic_map" too',
  ),
  spoiled("twice_checked", checks('"beep", "beep"'), 'the check "beep" is named twice'),
  spoiled(
    "strange_deployment",
    `${CONNECTS}, links: { beam: () => {} }, deployment: { kind: "gopher", link: "beam", source: () => null }`,
    'deployment names the unknown kind "gopher"',
  ),
  spoiled(
    "lost_deployment",
    `${CONNECTS}, deployment: { kind: "static", link: "telex", source: () => null }`,
    'deployment names the link "telex", which it does not offer',
  ),
  spoiled("lost_address", `${CONNECTS}, address: "required"`, "address: nothing asks for it without kinds"),
  spoiled(
    "lost_capability",
    `${CONNECTS}, provides: [provide({ capability: "fax", noun: "Faxes" }, () => ({}))], ping: () => ({})`,
    "provides, ping: nothing asks for it without kinds",
  ),
  misshapen("unknown_part", `${CONNECTS}, polcy: () => null`, "polcy: unknown, did you mean policy"),
  misshapen("strange_scope", `${CONNECTS}, scope: "sites"`, "scope: "),
  misshapen("strange_parts", `${CONNECTS}, kinds: "cms", checks: {}`, "kinds: "),
  {
    name: "a default export that is no connector",
    files: { [path("empty")]: "export default 7;\n", [path("lacking")]: "export const a = 1;\n" },
    says: ["empty", "lacking"].map((name) =>
      `${path(name)}: must export default connector({ name: "${name}", … })`
    ),
  },
  {
    name: "a connector of another folder",
    files: { [path("mine")]: connectorModule("yours", CONNECTS) },
    says: [`${path("mine")}: name "yours" is not the folder's`],
  },
  {
    name: "a connector that cannot be imported",
    files: {
      [path("broken")]: "export default connector(;\n",
      [path("thrown")]: 'throw new Error("later");\n',
    },
    says: [`${path("broken")}: cannot be imported (`, `${path("thrown")}: cannot be imported (later)`],
  },
  {
    name: "two faults of one connector at once",
    files: { [path("double")]: connectorModule("double", 'connect: () => ({}), borrows: ["nobody"]') },
    says: [
      "platforms/double: a connector that connects must say its origins",
      "platforms/double: a connector that connects must have a policy",
      'platforms/double: borrows "nobody", which no connector is called',
    ],
  },
];

function assertSays({ message }: Error, says: readonly string[]): void {
  for (const one of says) assert.ok(message.includes(`\n  ${one}`), `${one}\nis not said by\n${message}`);
}

for (const { name, files, says } of FAULTS) {
  Deno.test(`boot refuses ${name.replaceAll("_", " ")}`, async () => {
    const refusal = await refused(files);
    assertSays(refusal, says);
    assert.ok(!/\n\s+at /.test(refusal.message), "no stack trace");
  });
}

Deno.test("boot refuses everything that is wrong with connectors at once, a line each", async () => {
  const refusal = await refused(Object.assign({}, ...FAULTS.map((fault) => fault.files)));
  for (const fault of refusal.faults) assert.match(fault, /^platforms\/\w+(\/connector\.ts)?: \S/);
  assert.equal(new Set(refusal.faults).size, refusal.faults.length);
  assert.equal(refusal.message.split("\n").length, refusal.faults.length + 1);
});
