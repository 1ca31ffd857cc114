/** The command line on the audit: tail, verify, export. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import { auditRow } from "./kit.ts";
import { openTerminal } from "./open_terminal.ts";
import { words } from "../../words.ts";
import { folder } from "../../folder.ts";
import { newToken } from "../store/kit.ts";

Deno.test("audit tail shows the last rows, oldest first", async () => {
  const cli = await openTerminal();
  for (let n = 0; n < 30; n++) {
    cli.store.rows.push(auditRow({ id: `r${String(n).padStart(2, "0")}`, tool: `tool_${n}` }));
  }
  cli.store.rows.push(auditRow({ id: "r97", status: "error", error: "E_UPSTREAM", duration_ms: 12.6 }));
  cli.store.rows.push(auditRow({ id: "r98", status: "started", duration_ms: null, site_id: null }));
  cli.store.rows.push(
    auditRow({ id: "r99", tool: "evil\u001b[2J\u202e", status: "denied", error: "E_SCOPE_DENIED" }),
  );
  const lines = (await cli.good("audit", "tail")).out.trimEnd().split("\n");
  assert.equal(lines.length, 20);
  assert.match(lines[0]!, /^2026-11-21T09:00:00.000Z {2}ok +tool_13 {2}acme {2}writer {2}3 ms {2}id r13$/);
  assert.match(lines[17]!, /error +get_post {2}acme {2}writer {2}E_UPSTREAM {2}13 ms {2}id r97$/);
  assert.match(lines[18]!, /started +get_post {2}- {2}writer {2}outcome unknown {2}id r98$/);
  assert.match(lines[19]!, /denied +evil\\u\{1b\}\[2J\\u\{202e\} {2}acme/);
  const one = await cli.good(...words("audit tail --tool tool_7 --site acme --status ok --token t1 --json"));
  assert.equal(JSON.parse(one.out).id, "r07");
  cli.store.rows.push(auditRow({ id: "of-client", client_id: "c1", owner_user_id: "ann" }));
  const byClient = await cli.good(...words("audit tail --client c1 --user ann --json"));
  assert.equal(JSON.parse(byClient.out).id, "of-client");
  cli.store.rows.push(
    auditRow({ id: "of-file", arguments: { files: [{ path: "a.md" }, { path: "b.md" }] } }),
  );
  assert.equal(JSON.parse((await cli.good(...words("audit tail --path b.md --json"))).out).id, "of-file");
  assert.equal((await cli.good("audit", "tail", "--limit", "3")).out.split("\n").length, 4);
  assert.match(
    await cli.bad("audit", "tail", "--status", "failed"),
    /^E_BAD_INPUT: status: expected one of started/,
  );
  assert.equal(await cli.bad("audit", "tail", "--limit", "few"), "--limit needs a whole number");
});

Deno.test("audit tail says what an operator did something to", async () => {
  const cli = await openTerminal();
  const what = { name: "builder-mcp-list-media", sites: ["acme", "bolt"], page: null, note: "a\u202eb" };
  const admin = { door: "admin", site_id: null, token_name: "master token" } as const;
  cli.store.rows.push(auditRow({ ...admin, id: "r1", tool: "tool.approve", arguments: what }));
  cli.store.rows.push(auditRow({ ...admin, id: "r2", tool: "x", arguments: { all: "y".repeat(999) } }));
  cli.store.rows.push(auditRow({ ...admin, id: "r3", tool: "audit.read", arguments: null }));
  const [first, second, third] = (await cli.good("audit", "tail")).out.split("\n");
  assert.match(
    first!,
    / tool\.approve {2}- {2}master token {2}name=builder-mcp-list-media sites=\["acme","bolt"\] note=a\\u\{202e\}b {2}3 ms {2}id r1$/,
  );
  assert.match(second!, /master token {2}all=y{156}… {2}3 ms {2}id r2$/);
  assert.match(third!, /audit\.read {2}- {2}master token {2}3 ms {2}id r3$/);
});

Deno.test("audit tail goes on to the next page where one is short", async () => {
  const cli = await openTerminal();
  for (let n = 0; n < 3; n++) cli.store.rows.push(auditRow({ id: `r${n}` }));
  const { list } = cli.store.audit;
  cli.store.audit.list = (query, page) => list(query, { ...page, limit: 1 });
  assert.equal((await cli.good("audit", "tail", "--limit", "3")).out.split("\n").length, 4);
});

Deno.test("audit tail says beside what scripts read that nothing matches, and what was looked for", async () => {
  const cli = await openTerminal();
  const said = async (...args: string[]) => {
    const { code, out, err } = await cli.run("audit", "tail", ...args);
    assert.deepEqual([code, out], [0, ""]);
    return err;
  };
  assert.equal(await said(), "The audit has no rows.\n");
  cli.store.rows.push(auditRow({ id: "r1" }));
  assert.equal(
    await said("--token", "writer", "--tool", "get_pst"),
    'No row of the audit matches token_id "writer" and tool "get_pst".\n',
  );
  assert.equal(await said("--unknown"), "No write is in doubt or under way.\n");
  assert.equal(
    await said("--unknown", "--site", "bolt"),
    'No write is in doubt or under way that matches site_id "bolt".\n',
  );
});

Deno.test("audit tail --follow shows new rows and outcomes once", async () => {
  const late = "2026-11-21T09:00:30.000Z";
  const steps: (() => void)[] = [];
  const cli = await openTerminal({
    wait: () => {
      steps.shift()?.();
      return Promise.resolve(steps.length > 0);
    },
  });
  const { rows } = cli.store;
  rows.push(
    auditRow({ id: "r0" }),
    auditRow({ id: "r1" }),
    auditRow({ id: "r2", status: "started", duration_ms: null }),
  );
  steps.push(
    () => rows.push(auditRow({ id: "r3", at: late })),
    () => rows.splice(2, 1, auditRow({ id: "r2" })),
    () => {},
    () => {},
  );
  const { out } = await cli.good("audit", "tail", "--follow", "--limit", "2", "--json");
  const seen = out.trimEnd().split("\n").map((line) => JSON.parse(line)).map((row) =>
    `${row.id} ${row.status}`
  );
  assert.deepEqual(seen, ["r1 ok", "r2 started", "r3 ok", "r2 ok"]);
});

Deno.test("audit tail --follow begins on an empty log too", async () => {
  let waits = 0;
  const cli = await openTerminal({
    wait: () => {
      if (waits++ === 0) cli.store.rows.push(auditRow({ id: "r1" }));
      return Promise.resolve(waits < 3);
    },
  });
  assert.equal((await cli.good("audit", "tail", "--follow")).out.split("\n").length, 2);
});

Deno.test("audit verify says whole or broken, with the exit code", async () => {
  const cli = await openTerminal();
  assert.equal((await cli.good("audit", "verify")).out, "Whole: 0 rows in 1 segment of 1 writer.\n");
  const faults = ["writer w1: segment 4 does not follow segment 3"];
  const place = "the database postgres://gateway@127.0.0.1:5432/gateway";
  cli.store.audit.verify = () =>
    Promise.resolve({ ok: false, writers: 1, segments: 4, rows: 9, faults, place });
  const { code, out } = await cli.run("audit", "verify");
  assert.equal(code, 1);
  assert.equal(
    out,
    `Broken: 9 rows in 4 segments of 1 writer in ${place}.\n  ${faults[0]}\n` +
      "See what else of the store is damaged: deno task admin store check\n" +
      "Put back a copy from before it: deno task admin store restore\n",
  );
});

Deno.test("audit anchor prints what audit verify --anchor compares with, from its file or from the log", async () => {
  await using dir = await folder();
  const cli = await openTerminal();
  const { out } = await cli.good("audit", "anchor");
  assert.deepEqual(Object.keys(JSON.parse(out)), ["kind", "store", "at", "heads", "registers", "key", "mac"]);
  const file = `${dir.path}/anchors`;
  await Deno.writeTextFile(
    file,
    `a line\n${JSON.stringify({ event: "audit_anchor", anchor: JSON.parse(out) })}\n`,
  );
  const said = (await cli.good("audit", "verify", "--anchor", file)).out;
  assert.match(said, /^Whole: .*, and nothing of the anchor of 2026-\S+ is missing\.\n$/);
  await cli.store.tokens.create(newToken());
  await Deno.writeTextFile(file, (await cli.good("audit", "anchor")).out);
  assert.equal((await cli.run("audit", "verify", "--anchor", file)).code, 0);
  await Deno.writeTextFile(file, `${JSON.stringify({ ...JSON.parse(out), store: "01OTHER" })}\n`);
  assert.match(
    await cli.bad("audit", "verify", "--anchor", file),
    /anchor: it is of another store \("01OTHER"\), and this one is ".*"; give an anchor of this store$/,
  );
  await Deno.writeTextFile(file, "nothing\n");
  assert.match(
    await cli.bad("audit", "verify", "--anchor", file),
    /holds no anchor; name a file that audit anchor printed$/,
  );
  assert.match(
    await cli.bad("audit", "verify", "--anchor", `${file}x`),
    /cannot be read; name a file that audit anchor/,
  );
  assert.equal(
    await cli.bad("audit", "verify", "--anchor", file, "--after", "x"),
    "--anchor goes without --after",
  );
});

Deno.test("audit verify shows on a terminal how far it is and how it goes on, and a gateway that breaks off is told", async () => {
  const told: string[] = [];
  const cli = await openTerminal({ status: (text) => void told.push(text) });
  const after = "01M7YZMHG0DWM46117ERAS7X6V";
  cli.store.audit.verify = (options) => {
    options?.told?.(1000, "id-of-1000");
    return Promise.resolve({
      ok: true,
      writers: 1,
      segments: 1500,
      rows: 9,
      faults: [],
      after: options?.after,
    });
  };
  const { out } = await cli.good("audit", "verify", "--after", after);
  assert.equal(
    out,
    `Whole: 9 rows in 1500 segments of 1 writer, behind segment ${after}; what is before it was not looked at.\n`,
  );
  assert.deepEqual(told, ["1000 segments verified; if this is interrupted, go on with --after id-of-1000"]);
  assert.match(
    await cli.bad("audit", "verify", "--after", "no id!"),
    /^E_BAD_INPUT: after: expected the id of a segment/,
  );
  cli.store.audit.verify = (options) => {
    options?.told?.(1000, "id-of-1000");
    return Promise.reject(new Error("the store is gone"));
  };
  assert.equal(await cli.bad("audit", "verify"), "The gateway broke off before the audit was verified");
  const none = new GatewayError("E_BAD_INPUT", "after: the audit ends before that");
  cli.store.audit.verify = () => Promise.reject(none);
  assert.equal(await cli.bad("audit", "verify"), "E_BAD_INPUT: after: the audit ends before that");
});

Deno.test("audit export writes the lines as they come", async () => {
  const cli = await openTerminal();
  cli.store.rows.push(auditRow({ id: "r0", tool: "é" }), auditRow({ id: "r1", site_id: "beta" }));
  const { out } = await cli.good("audit", "export", "--site", "acme");
  assert.equal(JSON.parse(out).tool, "é");
  assert.match(await cli.bad("audit", "export", "--from", "x"), /^E_BAD_INPUT: from: expected a time/);
  cli.store.audit.export = async function* () {
    yield await Promise.resolve("{}");
    throw new Error("broken");
  };
  const broken = await cli.run("audit", "export");
  assert.deepEqual(broken, {
    code: 1,
    out: "{}\n",
    err: "The export broke off; what was written is not whole\n",
  });
});

Deno.test("audit tail --unknown shows what is in doubt and what is open, each once, oldest first", async () => {
  const cli = await openTerminal();
  const at = (minute: number) => `2026-11-21T09:0${minute}:00.000Z`;
  cli.store.rows.push(
    auditRow({ id: "r1", at: at(1), status: "started", duration_ms: null, outcome: "unknown" }),
    auditRow({ id: "r2", at: at(2), outcome: "made" }),
    auditRow({ id: "r3", at: at(3), status: "started", duration_ms: null }),
    auditRow({ id: "r4", at: at(2), status: "error", error: "E_UPSTREAM", outcome: "unknown" }),
  );
  const { out } = await cli.good("audit", "tail", "--unknown");
  const doubts = out.trimEnd().split("\n").map((line) => / outcome unknown .*id (r\d)$/.exec(line)?.[1]);
  assert.deepEqual(doubts, ["r1", "r4", "r3"]);
  assert.equal((await cli.good("audit", "tail", "--outcome", "made", "--json")).out.split("\n").length, 2);
  assert.equal(await cli.bad("audit", "tail", "--unknown", "--follow"), "--unknown goes without --follow");
  assert.match(
    await cli.bad("audit", "tail", "--outcome", "lost"),
    /^E_BAD_INPUT: outcome: expected one of none/,
  );
});

Deno.test("audit resolve sends what was found and shows the row; it needs both the finding and how it was found", async () => {
  const cli = await openTerminal({
    fetch: async (request) => {
      assert.match(request.url, /\/admin\/api\/audit\/r1\/resolve$/);
      const said = await request.json() as { found: "made"; note: string };
      const resolution = { ...said, at: "", door: "admin", by: "master token" } as const;
      const result = auditRow({
        id: "r1",
        status: "error",
        error: "E_UPSTREAM",
        outcome: said.found,
        resolution,
      });
      return Response.json({ ok: true, result });
    },
  });
  const { out } = await cli.good("audit", "resolve", "r1", "--found", "made", "--note", "it is post 7");
  assert.match(out, /E_UPSTREAM {2}found: made \(it is post 7\)/);
  assert.match(await cli.bad("audit", "resolve", "r1", "--found", "made"), /--note must be given/);
});

Deno.test("audit tail says of an item of a change set which one it is", async () => {
  const cli = await openTerminal();
  cli.store.rows.push(
    auditRow({ id: "r1", tool: "prepare_changes", site_id: null, set_id: "SET" }),
    auditRow({ id: "r2", tool: "create_draft", set_id: "SET", item: 2 }),
  );
  const [own, item] = (await cli.good("audit", "tail")).out.trimEnd().split("\n");
  assert.match(own!, / prepare_changes {2}set SET {2}- {2}writer/);
  assert.match(item!, / create_draft {2}item 2 of set SET {2}acme {2}writer/);
});
