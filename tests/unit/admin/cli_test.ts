/** The command line, run in this process against the admin API. */
import assert from "node:assert/strict";
import { CEILINGS } from "../../../admin/ceilings.ts";
import { commandsOf } from "../../../admin/commands.ts";
import { CONNECTORS } from "../../connectors.ts";
import { MASTER } from "./kit.ts";
import { openTerminal } from "./open_terminal.ts";
import { words } from "../../words.ts";

const COMMANDS = commandsOf(CONNECTORS);
const CREATE = ["token", "create", "--name", "writer", "--sites", "acme", "--tools", "get_post,create_draft"];
CREATE.push("--env", "dev");

Deno.test("token create shows the token and all that it may", async () => {
  const cli = await openTerminal();
  const { out, err } = await cli.good(...CREATE, "--max-risk", "1");
  assert.match(out, /^token +gate_dev_[\w-]{43}$/m);
  assert.match(out, /^allowed_tools +get_post,create_draft$/m);
  assert.match(out, /^max_risk +1$/m);
  assert.equal(err, "Keep the token now; it is not shown again.\n");
  assert.equal(cli.asked[0]!.url, "http://127.0.0.1:8000/admin/api/tokens");
});

Deno.test("a token of no user is a super-admin's only where that is asked for", async () => {
  const cli = await openTerminal();
  const made = async (...more: string[]) => JSON.parse((await cli.good(...CREATE, "--json", ...more)).out);
  assert.deepEqual([(await made()).super_admin, (await made("--super-admin")).super_admin], [false, true]);
  const says = "--super-admin and --owner exclude each other; a super-admin token belongs to no user";
  assert.equal(await cli.bad(...CREATE, "--super-admin", "--owner", "u1"), says);
});

Deno.test("the help of --max-risk says what each ceiling permits, for tokens and for users", async () => {
  const cli = await openTerminal();
  for (const command of [["token", "create"], ["user", "add"], ["user", "update"]]) {
    const { out } = await cli.good(...command, "--help");
    for (const sentence of CEILINGS.flat()) assert.ok(out.includes(sentence), sentence);
    assert.match(out, /^ {2}0 {2}Read what/m);
  }
});

Deno.test("a token is for production unless told otherwise", async () => {
  const cli = await openTerminal();
  const { out } = await cli.good(...words("token create --name writer --sites acme --tools get_post"));
  assert.match(out, /^env +prod$/m);
});

Deno.test("--json prints what a program can read, and nothing else", async () => {
  const cli = await openTerminal();
  const { out, err } = await cli.good(...CREATE, "--json");
  assert.equal(err, "");
  assert.match(JSON.parse(out).token, /^gate_dev_[\w-]{43}$/);
  assert.equal(JSON.parse((await cli.good("token", "list", "--json")).out).tokens.length, 1);
  assert.deepEqual(JSON.parse((await cli.good("project", "list", "--json")).out), { projects: [] });
});

Deno.test("tokens are listed in columns and revoked", async () => {
  const cli = await openTerminal();
  await cli.good(...CREATE, "--super-admin", "--skip-write-confirm");
  const { out } = await cli.good("token", "list");
  const [head, row] = out.split("\n");
  assert.match(
    head!,
    /^token_id +name +env +allowed_sites +allowed_tools +max_risk +owner_user_id +super_admin +last_used_at +expires_at +allowed_ips +old_until +revoked_at$/,
  );
  const [token_id] = row!.split(" ");
  assert.match(row!, /^\w{26} +writer +dev +acme +get_post,create_draft +1 +- +(true|yes) +- +- +- +- +-$/);
  assert.ok(!out.includes("gate_dev"));
  assert.match((await cli.good("token", "revoke", token_id!)).out, /^revoked_at +2026-/m);
  assert.equal(
    await cli.bad("token", "revoke", "t 9/../x"),
    'E_NOT_FOUND: No token "t 9/../x"; list the tokens to find it',
  );
});

Deno.test("a warning goes to the error stream", async () => {
  const cli = await openTerminal();
  const { err } = await cli.good(
    ...CREATE.map((word) => word === "get_post,create_draft" ? "x-y" : word),
    "--json",
  );
  assert.match(err, /^Warning: allowed_tools: no site offers "x-y" now/);
});

Deno.test("a site is added with a password from standard input", async () => {
  const cli = await openTerminal();
  await cli.good("project", "add", "client", "--name", "The Client");
  const { out } = await cli.good(
    ...words("site add beta --platform cms --base-url https://beta.test/ --project client"),
    ...["--flag", "allow_publish=true", "--flag", "allow_crm_write=false", "--cms-username", "bot"],
    ...words(`
      --cms-password-stdin --builders block,visual --default-builder block --seo enabled=true
    `),
    ...["--seo", "channel=plugin", "--repo", "acme/site", "--crm-location-id", "loc1"],
  );
  assert.deepEqual(cli.store.written, [{
    id: "beta",
    name: "beta",
    platform: "cms",
    base_url: "https://beta.test",
    project_id: "client",
    flags: { allow_publish: true, allow_crm_write: false },
    credentials: { cms: { username: "bot", application_password: "piped secret" } },
    available_builders: ["block", "visual"],
    default_builder: "block",
    seo: { enabled: true, channel: "plugin" },
    repo: "acme/site",
    crm_location_id: "loc1",
  }]);
  assert.match(out, /^flags +allow_publish$/m);
  assert.match(out, /^credentials +cms$/m);
  assert.ok(!out.includes("piped"));
});

Deno.test("secrets come from the environment too, several at once", async () => {
  const env = {
    MASTER_TOKEN: MASTER,
    SITE_CMS_PASSWORD: " aa bb ",
    SITE_CRM_TOKEN: "pit",
    SITE_BEHAVIOR_TOKEN: "jwt",
  };
  const cli = await openTerminal({}, env);
  const words = ["site", "update", "acme", "--cms-username", "bot", "--cms-password-env", "--crm-token-env"];
  await cli.good(...words, "--behavior-token-env");
  assert.deepEqual(cli.store.written, [{
    credentials: {
      cms: { username: "bot", application_password: "aa bb" },
      crm: { integration_token: "pit" },
      behavior: { export_token: "jwt" },
    },
  }]);
});

Deno.test("a secret is never taken from the command line", async () => {
  const cli = await openTerminal();
  for (
    const words of [["--cms-password", "hunter2"], ["--cms-password=hunter2"], ["--crm-token", "hunter2"]]
  ) {
    const said = await cli.bad("site", "update", "acme", ...words);
    assert.match(
      said,
      /^No option --(cms-password|crm-token)(=hunter2)?, did you mean .*secrets are never written/,
    );
    assert.ok(!said.includes("hunter2"), said);
  }
  const cases: [string[], string][] = [
    [["--cms-password-stdin"], "The cms credentials need --cms-username too"],
    [["--cms-username", "bot"], "The cms credentials need --cms-password-stdin or --cms-password-env too"],
    [["--crm-token-env"], "SITE_CRM_TOKEN is not set"],
    [["--crm-token-env", "--crm-token-stdin"], "Give --crm-token-stdin or --crm-token-env, not both"],
    [
      ["--crm-token-stdin", "--behavior-token-stdin"],
      "Standard input holds one secret; take the others from the environment",
    ],
  ];
  for (const [words, message] of cases) {
    assert.equal(await cli.bad("site", "update", "acme", ...words), message);
  }
  const empty = await openTerminal({ stdin: () => Promise.resolve(" \n") });
  assert.equal(await empty.bad("site", "update", "acme", "--crm-token-stdin"), "Standard input is empty");
  assert.deepEqual(cli.asked, []);
});

Deno.test("sites are shown, listed, changed, and made to forget", async () => {
  const cli = await openTerminal();
  await cli.good(
    "site",
    "update",
    "acme",
    "--name",
    "Acme Inc",
    "--repo",
    "a/b",
    "--flag",
    "allow_publish=true",
  );
  assert.match(
    (await cli.good("site", "list")).out,
    /^acme +Acme Inc +cms +https:\/\/acme.test +- +allow_publish +-$/m,
  );
  const shown = (await cli.good("site", "show", "acme")).out;
  assert.match(shown, /^repo +a\/b$/m);
  assert.match(shown, /^seo +channel=rest$/m);
  await cli.good(...words("site update acme --unset repo --unset cms-credentials --unset project"));
  assert.deepEqual(cli.store.written.at(-1), { repo: null, credentials: { cms: null }, project_id: null });
  cli.env.SITE_CRM_TOKEN = "pit";
  await cli.good("site", "update", "acme", "--unset", "cms-credentials", "--crm-token-env");
  assert.deepEqual(cli.store.written.at(-1), {
    credentials: { crm: { integration_token: "pit" }, cms: null },
  });
  assert.match(
    await cli.bad("site", "update", "acme", "--crm-token-stdin"),
    /^E_BAD_INPUT: credentials.crm.integration_token/,
  );
  assert.match(
    await cli.bad("site", "update", "acme", "--unset", "rep"),
    /^--unset: cannot forget this, did you mean repo$/,
  );
  assert.equal(await cli.bad("site", "update", "acme"), "E_BAD_INPUT: The body: names nothing to change");
  assert.match(
    await cli.bad("site", "update", "acme", "--flag", "allow_publsh=true"),
    /did you mean allow_publish$/,
  );
  assert.equal(await cli.bad("site", "update", "acme", "--flag", "allow_publish"), "--flag needs name=value");
  assert.match(
    await cli.bad("site", "update", "acme", "--flag", "allow_publish=yes"),
    /expected true or false, not "yes"$/,
  );
  assert.equal(await cli.bad("site", "show", "acne"), 'E_NOT_FOUND: No site "acne", did you mean acme');
});

Deno.test("users are added, listed and changed", async () => {
  const cli = await openTerminal();
  const added = await cli.good(...words("user add a@acme.test --role member --sites acme --max-risk 2"));
  const [, user_id] = /^user_id +(\w{26})$/m.exec(added.out)!;
  await cli.good("user", "update", user_id!, "--sites", "", "--role", "admin", "--email", "b@acme.test");
  assert.match((await cli.good("user", "list")).out, /^\w{26} +b@acme.test +admin +- +2 +- +2026-/m);
  assert.match(
    await cli.bad(...CREATE, "--owner", user_id!),
    /^E_BAD_INPUT: allowed_sites: "acme" is beyond the owner/,
  );
});

Deno.test("words that make no command are told", async () => {
  const cli = await openTerminal();
  const cases: [string[], string][] = [
    [["tokn"], "No command tokn, did you mean token; see --help"],
    [["token", "lst"], "No command token lst, did you mean list; see --help"],
    [
      ["frobnicate", "x"],
      "No command frobnicate x, known are token, site, linkable, probe, previews, project, user, connection, client, tool-server, audit, changes, undo, erase, snapshots, freeze, unfreeze, approvals, webhooks, gateway, store, keys; see --help",
    ],
    [["token", "create", "--name", "x"], "--sites, --tools must be given; see token create --help"],
    [["token", "revoke"], "<token_id> must be given; see token revoke --help"],
    [["token", "list", "more"], "Too many words after token list; see token list --help"],
    [["token", "list", "--jsn"], "No option --jsn, did you mean --json"],
    [["token", "list", "-x"], "No option -x, known are --url, --json, --help"],
    [["token", "list", "--json=1"], "--json is a switch and takes no value"],
    [["token", "list", "--url"], "--url needs a value: --url <address>"],
    [["token", "list", "--url", "--json"], "--url needs a value: --url <address>"],
    [[...CREATE, "--name", "y"], "--name is given twice"],
    [[...CREATE, "--max-risk", "low"], "--max-risk needs a whole number"],
    [["token", "list", "--constructor"], "No option --constructor, known are --url, --json, --help"],
  ];
  for (const [words, message] of cases) assert.equal(await cli.bad(...words), message, words.join(" "));
});

Deno.test("every command explains itself", async () => {
  const cli = await openTerminal({}, {});
  const all = await cli.good("--help");
  for (const command of COMMANDS) {
    const name = command.words.join(" ");
    const taken = [command.subject, command.second].flatMap((one) =>
      !one ? [] : one.optional ? ` [${one.name}]` : ` <${one.name}>`
    );
    assert.ok(all.out.includes(`  ${name}${taken.join("")}  `), name);
    const { out } = await cli.good(...command.words, "--help");
    assert.ok(out.startsWith(command.summary) && out.includes(`deno task admin ${name}`));
    for (const option of [...Object.keys(command.options), "url", "json"]) {
      assert.ok(out.includes(`--${option}`), option);
    }
  }
  const tokens = (await cli.good("token", "--help")).out;
  assert.ok(tokens.includes("token revoke <token_id>") && !tokens.includes("site add"));
  for (const words of [[], ["token"]]) {
    const { code, out, err } = await cli.run(...words);
    assert.deepEqual([code, out], [1, ""]);
    assert.ok(err.includes("token create"));
  }
  assert.match((await cli.good("site", "add", "--help")).out, /never written on the command line/);
});

Deno.test("site update says which credentials went with the address", async () => {
  const cli = await openTerminal();
  const update = cli.store.sites.update;
  cli.store.sites.update = async (id, patch) => ({ ...(await update(id, patch))!, dropped: ["cms"] });
  const { err } = await cli.good("site", "update", "acme", "--base-url", "https://new.test");
  assert.match(
    err,
    /credentials\.cms: dropped, as they belong to https:\/\/acme\.test; send them again/m,
  );
});

Deno.test("linkable shows each kind with the line that links each thing, and what could not be listed", async () => {
  const entry = (id: string, more: object = {}) => ({
    id,
    name: `Shop ${id}`,
    within: "Agency",
    note: null,
    linked: false,
    set: { analytics_property_id: id },
    command: `deno task admin site update acme --analytics-property-id ${id}`,
    ...more,
  });
  const list = {
    kind: "analytics",
    what: "Google Analytics properties",
    field: "analytics_property_id",
    linked_to: "7",
    entries: [entry("7", { linked: true }), entry("8", { name: "Red\u001b[31m" })],
    complete: true,
    problem: null,
    notes: ["one is left out"],
  };
  const none = { ...list, what: "Clarity projects", linked_to: null, entries: [], notes: [] };
  const problem = { code: "E_NOT_SUPPORTED", message: "Set the id" };
  const kinds = [list, { ...none, problem }, { ...none, what: "Ad accounts" }];
  const cli = await openTerminal({}, { MASTER_TOKEN: MASTER }, {
    linkable: ({ site }) => Promise.resolve({ site_id: site.id, kinds }),
  });
  const { out } = await cli.good("linkable", "acme");
  assert.deepEqual(out.split("\n").map((line) => line.replaceAll(/ {2,}/g, "  ")), [
    "Google Analytics properties: analytics_property_id, now 7",
    "linked  id  name  within  link it with",
    "now  7  Shop 7  Agency  deno task admin site update acme --analytics-property-id 7",
    "-  8  Red\\u{1b}[31m  Agency  deno task admin site update acme --analytics-property-id 8",
    "Note: one is left out",
    "",
    "Clarity projects: analytics_property_id, now -",
    "Not listed: Set the id",
    "",
    "Ad accounts: analytics_property_id, now -",
    "None.",
    "",
  ]);
  const { site_id, kinds: printed } = JSON.parse((await cli.good("linkable", "acme", "--json")).out);
  assert.deepEqual([site_id, printed[0].entries[1].id], ["acme", "8"]);
  assert.equal(await cli.bad("linkable"), "<site> must be given; see linkable --help");
  assert.equal(await cli.bad("linkable", "acm"), 'E_NOT_FOUND: No site "acm", did you mean acme');
});
