/** The command probe, run in this process against the admin API. */
import assert from "node:assert/strict";
import { MASTER } from "./kit.ts";
import { openTerminal } from "./open_terminal.ts";

Deno.test("probe says how each service's answers compare, keeps the file, and ends with 1 where one differs", async () => {
  const check = {
    missing: [],
    other_types: [],
    not_seen: [],
    empty: [],
    new_names: [],
    types: { id: ["string"] },
  };
  const upstream = {
    connector: "letters",
    service: "list",
    what: "Letters API",
    state: "asked",
    costs: null,
    versions: ["v3"],
    problem: null,
  };
  const report = {
    site_id: "acme",
    agrees: false,
    upstreams: [
      {
        ...upstream,
        reads: [
          { read: "lists", state: "agrees", problem: null, check },
          { read: "tags", state: "agrees", problem: null, check: { ...check, empty: ["tags"] } },
          {
            read: "issues",
            state: "differs",
            problem: null,
            check: {
              ...check,
              missing: ["issues[].id"],
              other_types: [{ at: "issues[].size", read: ["number", "null"], came: ["string"] }],
              not_seen: ["issues[].note"],
              empty: ["issues[].tags"],
              new_names: [{ at: "issues[]", name: "red\u001b[31m", types: ["string"] }],
            },
          },
          {
            read: "people",
            state: "refused",
            problem: { code: "E_UPSTREAM", status: 403, message: "Letters answered 403" },
            check: null,
          },
        ],
      },
      {
        ...upstream,
        connector: "dear",
        what: "Dear API",
        state: "left_out",
        costs: "one of ten",
        versions: [],
        reads: [],
      },
      { ...upstream, what: "Ads", state: "not_linked", reads: [] },
    ],
    without_probe: [{ connector: "web", product: "The open web" }],
    file: { format: "site-operations-probe/1" },
  };
  const asked: unknown[] = [];
  const kept: string[][] = [];
  const keep = (...one: [string, string]) => (kept.push(one), Promise.resolve("data/probes/x.json"));
  const cli = await openTerminal({ keep }, { MASTER_TOKEN: MASTER }, {
    probe: ({ site, costly }) => (asked.push([site.id, costly]), Promise.resolve(report as never)),
  });
  const { code, out } = await cli.run("probe", "acme", "--with", "dear");
  assert.deepEqual([code, asked], [1, [["acme", ["dear"]]]]);
  assert.deepEqual(out.split("\n"), [
    "Letters API v3",
    "  lists: agrees",
    "  tags: agrees, but for what was empty",
    "    Without an entry, so nothing in it was compared: tags",
    "  issues: DIFFERS",
    "    Missing: issues[].id, which the client cannot do without",
    "    Another type: issues[].size came as string, and the client reads number or null",
    "    Not in this answer, and read where they are: issues[].note",
    "    Without an entry, so nothing in it was compared: issues[].tags",
    '    New, and only for information: "red\\u001b[31m" in issues[] (string)',
    "  people: refused",
    "    Refused with E_UPSTREAM (403): Letters answered 403",
    "Dear API",
    "  Not asked: it costs one of ten; ask with --with dear",
    "Not linked to the site: Ads.",
    "Without a probe: The open web.",
    "Names are missing or have another type, so calls may fail or answer wrongly: send the file to the gateway's authors.",
    "Written to data/probes/x.json, to be sent on: names that the gateway knows, types and codes, and no data of the site. Read it before you send it.",
    "",
  ]);
  assert.deepEqual(kept, [["probes", `${JSON.stringify(report.file, null, 2)}\n`]]);
  const printed = JSON.parse((await cli.run("probe", "acme", "--json")).out);
  assert.deepEqual([printed.site_id, printed.written_to, asked[1]], ["acme", "data/probes/x.json", [
    "acme",
    [],
  ]]);
  assert.equal(await cli.bad("probe"), "<site> must be given; see probe --help");
  assert.equal(await cli.bad("probe", "acm"), 'E_NOT_FOUND: No site "acm", did you mean acme');
  const full = await openTerminal({ keep: () => Promise.reject(new Error("the disk is full")) }, {
    MASTER_TOKEN: MASTER,
  }, {
    probe: () => Promise.resolve({ ...report, agrees: true } as never),
  });
  const failed = await full.run("probe", "acme");
  assert.deepEqual([failed.code, failed.err], [
    1,
    "The file could not be written into data/probes/: the disk is full\n",
  ]);
  assert.match(failed.out, /^Letters API v3$/m, "what was asked is shown all the same");
});
