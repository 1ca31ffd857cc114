/** The tables of docs/THREATS.md: every row names a test there is, or says that there is none. */
import assert from "node:assert/strict";

const ROOT = new URL("../../", import.meta.url);
/** The tests of held calls, of sites' own tools, of visitors' pages, of explained calls, of updates of the plugin, of approvals, of webhooks, of search mode, of drawn pages, of the master token, of parts of answers, of trials, of forms, of upstreams' words, of repositories, of tokens' senders, of refresh tokens, of files of branches, of what a process may open, of who can write the store, of figures and lines. */
const FILES = [
  ...["tests/companion/", "tests/tools/", "tests/people/", "tests/unit/doors/", "tests/guard/"],
  ...["tests/e2e/", "tests/unit/rules/", "tests/attacks/", "tests/unit/store/", "tests/unit/core/"],
]
  .flatMap((folder) => [...Deno.readDirSync(new URL(folder, ROOT))].map(({ name }) => folder + name)).filter((
    path,
  ) =>
    /\/(hold|held|proxied)_\w+_test\.ts$|\/(hold|held|live|view_live|explain_call|find|find_text|replace_text|updates|approvals\w*|policies|master|overview|mcp_card|search_mode|drawn_document|webhooks?_?\w*|answer_parts|try_pages|try_limits|undo_pages|console_posts|mcp_offers|upstream_text|repository|token_senders|oauth_tokens|static_ceiling|launch|sealed_origin|registers|put_back|keys|anchors|audit_proofs|stamped|kv|metrics|call_log|log_reader|readiness|telemetry)_test\.ts$/
      .test(path)
  );

/** Those of previews that go live, and of pull requests. */
const PREVIEWS = [
  ...["_test", "_refused_test", "_model_test"].map((name) => `tests/tools/static_publish${name}.ts`),
  ...[
    "tests/tools/static_propose_test.ts",
    "tests/unit/platforms/repo_egress_test.ts",
    "tests/tools/preview_branches_test.ts",
  ],
];

/** Those of plugins that write along with the gateway. */
const ALONG = [
  "tests/companion/elsewhere_test.ts",
  "tests/real/in_step_test.ts",
  "tests/real/plugin_states_test.ts",
];

/** Tests whose name is put together of an act and its arguments: act, arguments, rest of the name. */
const OF_ACTS = /^(\w+) (\{.*\}) (.+)$/;

Deno.test("every threat that is said to be stopped names a test that there is", async () => {
  const texts = await Promise.all(
    [...FILES, ...PREVIEWS, ...ALONG].map((file) => Deno.readTextFile(new URL(file, ROOT))),
  );
  const text = texts.join("\n");
  const page = await Deno.readTextFile(new URL("docs/THREATS.md", ROOT));
  const rows = page.split("\n").filter((line) => /^\| (?!-|What is at stake)/.test(line));
  assert.ok(rows.length >= 15, `${rows.length} rows`);
  for (const row of rows) {
    const test = /\| (none|`(.+)`) \|$/.exec(row);
    assert.ok(test, row);
    if (test[1] === "none") {
      assert.match(row, /\*\*Not /, row);
      continue;
    }
    const act = OF_ACTS.exec(test[2]!);
    const parts = act ? [`["${act[1]}", {`, `} ${act[3]}`] : [`"${test[2]}"`];
    for (const part of parts) assert.ok(text.includes(part), `${row}: no test has ${part}`);
  }
});
