/** The options about sites, as an operator reads them in the help. */
import assert from "node:assert/strict";
import { commandHelp } from "../../../admin/command.ts";
import { siteCommands } from "../../../admin/commands_sites.ts";
import { knownOf } from "../../../admin/site_options.ts";
import { OWN_OPTIONS } from "../../../registry/field_schema.ts";
import { CONNECTORS } from "../../connectors.ts";

const COMMANDS = siteCommands(CONNECTORS);
const help = (verb: string) => commandHelp(COMMANDS.find(({ words }) => words[1] === verb)!);

/** The lines below a heading, up to the next blank one. */
const below = (text: string, heading: string) =>
  text.split("\n\n").find((part) => part.startsWith(`${heading}\n`)) ?? assert.fail(`${heading}\n${text}`);

Deno.test("the options of a site stand by product, each with what it takes or means", () => {
  for (const verb of ["add", "update"]) {
    const text = help(verb);
    const wordpress = below(text, "WordPress, the platform of cms sites");
    assert.match(
      wordpress,
      /--cms-username <name> +the account the gateway uses; needs --cms-password-stdin or --cms-password-env$/m,
    );
    assert.match(wordpress, /--cms-password-env +read the application password from SITE_CMS_PASSWORD$/m);
    assert.match(wordpress, /--seo <enabled=true\|false or channel=rest\|plugin> .*\(may be repeated\)$/m);
    const github = below(text, "GitHub, the platform of static sites");
    assert.match(github, /--repo <text> +a repository as owner\/repo, without \.git$/m);
    assert.match(below(text, "Cloudflare Pages"), /--hosting-project <text> +a project name/);
    assert.match(below(text, "Every command"), /--json/);
    assert.doesNotMatch(text, / sets [a-z_]+$/m, "no option only repeats its name");
  }
});

Deno.test("which kinds of site have an address is told with the option", () => {
  assert.match(help("add"), /--base-url .*; a cms site needs one; a crm site has none$/m);
});

Deno.test("what can be forgotten is told, secrets by their kinds", () => {
  assert.match(help("update"), /--unset .*crm-credentials/);
  assert.doesNotMatch(help("add"), /--unset/);
});

Deno.test("the options that no connector may name are those of site add and site update themselves", () => {
  const known = knownOf(CONNECTORS);
  const those = COMMANDS.filter(({ words }) => ["add", "update"].includes(words[1]!));
  const all = those.flatMap(({ options }) => Object.entries(options)).filter(([, { group }]) => !group);
  assert.deepEqual(
    [...new Set([...all.map(([name]) => name), "url", "json", "help"])].sort(),
    [...OWN_OPTIONS].sort(),
  );
  assert.equal(known.fields.length, CONNECTORS.siteFields.size);
});
