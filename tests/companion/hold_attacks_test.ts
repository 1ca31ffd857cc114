/** Held calls of tools that try to get past the hold, that meet others, or that are cut off. */
import assert from "node:assert/strict";
import { became, type Held, heldSuite, newId, told } from "./hold_kit.ts";
import type { Answer, Json } from "./site.ts";

const onEach = heldSuite();

const KEPT = [200, null, "committed"];
const refused = (reason: string) => [409, reason, "rolled_back"];
const NOT_ALLOWED = refused("not_allowed");

/** Act, arguments, labels that it must be refused for; the post is live, and only drafts are allowed. */
const REFUSED: readonly [act: string, args: Json, over: string[]][] = [
  ["raw_commit", {}, ["live"]],
  ["prepared_commit", {}, ["live"]],
  ["wp_commit", {}, ["other", "live"]],
  ["raw_write", {}, ["live"]],
  ["ddl", {}, ["other", "live"]],
  ["truncate", {}, ["other", "live"]],
  ["shutdown", { levels: 1 }, ["live"]],
  ["shutdown", { levels: 2 }, ["live"]],
  ["shutdown_raw", { levels: 1 }, ["live"]],
  ["shutdown_hook", {}, ["live"]],
  ["cron", {}, ["schedule", "live"]],
  ["http", { url: "http://example.test/x?y=z", method: "POST" }, ["outbound"]],
  ["mail", {}, ["mail"]],
];

for (const [act, args, over] of REFUSED) {
  onEach(`${act} ${JSON.stringify(args)} is refused and leaves nothing`, async (site) => {
    const id = await site.wp.published("posts");
    const answer = await site.leavesNothing(() => site.hold(act, { id, ...args }, "draft"));
    assert.deepEqual(became(answer), NOT_ALLOWED);
    assert.deepEqual((answer.body["data"] as Json)["over"], over);
  });
}

/** Acts that write after the end, when nothing can be written any more; their call itself does nothing. */
const LATE: readonly [act: string, args: Json][] = [
  ["shutdown", { levels: 9 }],
  ["shutdown_raw", { levels: 9 }],
  ["destructor", {}],
];

for (const [act, args] of LATE) {
  onEach(`${act} ${JSON.stringify(args)} writes too late to write anything`, async (site) => {
    const id = await site.wp.published("posts");
    const answer = await site.leavesNothing(() => site.hold(act, { id, ...args }, "draft"));
    assert.deepEqual(became(answer), KEPT);
  });
}

onEach(
  "a table made past WordPress is refused by the server, or told and taken back",
  async (site, engine) => {
    const id = await site.wp.published("posts");
    const answer = await site.leavesNothing(() => site.dry("raw_ddl", { id }));
    const said = told(answer).answer!.body["said"];
    assert.deepEqual(
      [said, told(answer).labels.includes("other")],
      engine === "innodb" ? [false, false] : [true, true],
    );
  },
);

onEach(
  "a connection of the tool's own is shut out by the file's lock, or reported as an escape",
  async (site, engine) => {
    const id = await site.wp.published("posts");
    const answer = await site.hold("own_connection", { id }, "draft");
    if (engine === "sqlite") {
      assert.deepEqual([became(answer), answer.body], [KEPT, { said: false }]);
    } else {
      assert.deepEqual(became(answer), [409, "site_ops_hold_escaped", "escaped"]);
      assert.equal(await site.title(id), "Raw", "what was written there cannot be taken back");
    }
  },
);

onEach("a connection put in the place of WordPress's own is written to by nobody", async (site, engine) => {
  const id = await site.wp.published("posts");
  const acts = engine === "innodb" ? ["swapped_connection", "killed_connection"] : ["swapped_connection"];
  for (const act of acts) {
    const answer = await site.leavesNothing(() => site.hold(act, { id }, "draft"));
    assert.equal(answer.status, 409, act);
  }
});

onEach("a watch over files that the tool takes off is reported as an escape", async (site) => {
  const answer = await site.hold("unwatched_file", { name: "unwatched.txt" }, "draft");
  assert.deepEqual(became(answer), [409, "site_ops_hold_escaped", "escaped"]);
});

onEach("files are put back, unless they are allowed", async (site) => {
  const file = (word: string) => ({ name: `${word}.txt`, text: word });
  for (const word of ["kept", "gone", "moved"]) await site.plain("file", file(word));
  const dry = await site.leavesNothing(() => site.dry("files"));
  assert.deepEqual([...new Set(told(dry).labels)], ["files"]);
  assert.equal(told(dry).effects.length, 7);
  assert.deepEqual(became(await site.hold("files", {}, "draft", "; files=1")), KEPT);
  const { files } = await site.state();
  const below = Object.keys(files).filter((path) => /uploads\/(a|gone|there|moved)/.test(path));
  assert.deepEqual(below.map((path) => path.split("/uploads/")[1]), ["a", "a/b", "a/b/c.txt", "there.txt"]);
});

onEach("transactions of the tool are parts of the held one", async (site) => {
  const [id, other] = [
    await site.wp.draft("admin", { title: "One" }),
    await site.wp.draft("admin", { title: "Two" }),
  ];
  assert.deepEqual(became(await site.hold("nested", { id, other }, "draft", `; of=${id}`)), KEPT);
  assert.deepEqual([await site.title(id), await site.title(other)], ["Changed", "Two"]);
});

onEach(
  "tables of the tool server itself are its own where the header names them, else other",
  async (site) => {
    await site.sql(
      "CREATE TABLE wp_acts_log ( id bigint(20) unsigned NOT NULL AUTO_INCREMENT, line text, PRIMARY KEY (id) )",
    );
    const id = await site.wp.draft("admin");
    const no = await site.leavesNothing(() => site.hold("own", { id }, "draft"));
    assert.deepEqual([became(no), (no.body["data"] as Json)["over"]], [NOT_ALLOWED, ["other"]]);
    assert.deepEqual(became(await site.hold("own", { id }, "draft", "; own=acts_log")), KEPT);
    const option = { name: "active_plugins", value: [] };
    const code = await site.leavesNothing(() => site.hold("option", option, "draft", "; own=active_plugins"));
    assert.deepEqual(became(code), NOT_ALLOWED);
  },
);

onEach("secrets are not told", async (site) => {
  const tokens = { name: "some_api_token", value: "abcdef" };
  const nested = { name: "some_settings", value: { api_key: "abcdef", color: "red" } };
  const mail = { name: "some_mailer", value: { smtp: { user: "red", pass: "abcdef", smtp_pwd: "abcdef" } } };
  const short = { name: "mailer_pwd", value: "abcdef" };
  for (const args of [tokens, nested, mail, short]) {
    const answer = await site.leavesNothing(() => site.dry("option", args));
    const text = JSON.stringify(told(answer).effects);
    assert.ok(!text.includes("abcdef"), text);
  }
  const plain = { name: "some_compass", value: { passenger: "abcdef", passive: "abcdef" } };
  assert.match(JSON.stringify(told(await site.dry("option", plain)).effects), /passenger.*abcdef/);
  const user = await site.leavesNothing(() => site.dry("user"));
  assert.match(JSON.stringify(told(user).effects), /User new/);
  assert.ok(!/secret-of-new|\$P\$|\$wp\$/.test(JSON.stringify(told(user).effects)));
});

/** A folder through which a test and an act speak. */
async function folder(): Promise<{ path: string; started(): Promise<number>; go(): Promise<void> }> {
  const path = await Deno.makeTempDir({ prefix: "hold-" });
  const watcher = Deno.watchFs(path);
  return {
    path,
    async started() {
      for await (const { kind } of watcher) {
        const text = kind === "access" ? await Deno.readTextFile(`${path}/started`).catch(() => "") : "";
        if (text.endsWith("\n")) break;
      }
      return Number(await Deno.readTextFile(`${path}/started`));
    },
    go: () => Deno.writeTextFile(`${path}/go`, ""),
  };
}

async function meeting(
  site: Held,
  args: Json,
  meanwhile: (id: number, process: number) => Promise<unknown>,
): Promise<[id: number, answer: Answer | null]> {
  const id = await site.wp.draft("admin", { title: "Before" });
  const between = await folder();
  const call = site.hold("waits", { id, folder: between.path, ...args }, "draft").catch(() => null);
  const process = await between.started();
  await meanwhile(id, process);
  await between.go();
  const answer = await call;
  await Deno.remove(between.path, { recursive: true });
  return [id, answer];
}

onEach("a person who writes between the tool's read and write is not overwritten", async (site, engine) => {
  const person = (id: number) => {
    const saved = site.wp.rest("ed", "POST", `/posts/${id}`, { title: "A person's" });
    // The whole file is locked on SQLite: the person waits until the call has ended.
    return engine === "sqlite" ? Promise.resolve(waiting.push(saved)) : saved;
  };
  const waiting: Promise<unknown>[] = [];
  const [id, answer] = await meeting(site, {}, person);
  await Promise.all(waiting);
  assert.deepEqual(became(answer!), engine === "sqlite" ? KEPT : refused("meanwhile"));
  assert.equal(await site.title(id), "A person's");
});

onEach("a call whose process is killed leaves nothing", async (site, engine) => {
  const kill = (_id: number, process: number) => Promise.resolve(Deno.kill(process, "SIGKILL"));
  const [id, answer] = await meeting(site, { writes_first: true }, kill);
  assert.equal(answer, null);
  assert.equal(await site.title(id), "Before");
  // The server goes on with its other processes, and so does the hold.
  assert.deepEqual(became(await site.hold("title", { id }, "draft")), KEPT, engine);
});

onEach("while a call runs its receipt says so", async (site) => {
  const held = newId();
  const id = await site.wp.draft("admin", { title: "Before" });
  const between = await folder();
  const args = { id, folder: between.path };
  const call = site.ask("waits", args, `hold; id=${held}; allow=draft`);
  await between.started();
  const receipt = await site.wp.signed("admin", site.key, "GET", `/holds/${held}`);
  assert.deepEqual(receipt.body, { id: held, outcome: "running" });
  await between.go();
  assert.deepEqual(became(await call), KEPT);
  await Deno.remove(between.path, { recursive: true });
  const after = await site.wp.signed("admin", site.key, "GET", `/holds/${held}`);
  assert.equal(after.body["outcome"], "committed");
});

/** Sends until no other held call is in the way. */
async function untilFree(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 503) return answer;
  }
}

onEach("twelve calls at once that add to one list are all kept", async (site) => {
  const add = (value: number) => untilFree(() => site.hold("add", { name: "acts_list", value }, "settings"));
  const answers = await Promise.all(Array.from({ length: 12 }, (_, value) => add(value)));
  assert.deepEqual(answers.map(became), answers.map(() => KEPT));
  const { options } = await site.wp.peek({ ask: ["acts_list"] });
  assert.deepEqual((options["acts_list"] as number[]).toSorted((a, b) => a - b), [...Array(12).keys()]);
});

onEach("the same id twice at once is one call", async (site) => {
  const held = `hold; id=${newId()}; allow=settings`;
  const send = () => site.ask("add", { name: "acts_twice", value: 1 }, held);
  const answers = await Promise.all([send(), send(), send()]);
  assert.deepEqual(answers.filter(({ status }) => status === 200).length, 1);
  const { options } = await site.wp.peek({ ask: ["acts_twice"] });
  assert.deepEqual(options["acts_twice"], [1]);
});

onEach("rows that a foreign key removes with another are found", async (site) => {
  await site.sql("CREATE TABLE wp_acts_parent ( id int NOT NULL, PRIMARY KEY (id) )");
  await site.sql(
    "CREATE TABLE wp_acts_child ( id int NOT NULL, parent int, PRIMARY KEY (id), FOREIGN KEY (parent) REFERENCES wp_acts_parent (id) ON DELETE CASCADE )",
  );
  for (const row of ["parent ( id ) VALUES ( 1 )", "child ( id, parent ) VALUES ( 7, 1 )"]) {
    await site.sql(`INSERT INTO wp_acts_${row}`);
  }
  const sql = "DELETE FROM wp_acts_parent WHERE id = 1";
  const answer = await site.leavesNothing(() => site.dry("sql", { sql }));
  const gone = told(answer).effects.map(({ table, key, change }) => [table, key, change]);
  assert.deepEqual(gone, [["acts_child", "7", "removed"], ["acts_parent", "1", "removed"]]);
}, ["innodb"]);

onEach(
  "a revision that WordPress removes for a newer one needs no permission, one that a tool removes does",
  async (site) => {
    const id = await site.wp.draft("admin");
    await site.wp.peek({ options: { acts_revisions: 2 } });
    for (const title of ["One", "Two", "Three"]) await site.plain("title", { id, title });
    const answer = await site.hold("title", { id, title: "Four" }, "draft", `; of=${id}`);
    assert.deepEqual(became(answer), KEPT);
    const { body } = await site.wp.rest("admin", "GET", `/posts/${id}/revisions`);
    const deleted = await site.leavesNothing(() => site.hold("delete", { id: body[0]!["id"] }, "draft"));
    assert.deepEqual([became(deleted), (deleted.body["data"] as Json)["over"]], [NOT_ALLOWED, ["delete"]]);
    assert.equal(body.length, 2);
  },
);

onEach("reads over HTTP are let through where the header says so, and nothing else is", async (site) => {
  const url = "http://example.test/";
  const said = async (method: string, more: string) =>
    told(await site.dry("http", { url, method }, more)).answer?.body["said"];
  // The sandbox itself is offline, and says so in its own words.
  const got = [
    await said("GET", "; http=get"),
    await said("POST", "; http=get"),
    await said("GET", "; http=none"),
  ];
  assert.deepEqual(got, ["http_request_blocked", "site_ops_held", "site_ops_held"]);
  const hold = await site.hold("http", { url, method: "GET" }, "draft", "; http=get");
  assert.deepEqual(became(hold), KEPT);
});

onEach("what the site wrote by itself before the tool began is nothing that the tool did", async (site) => {
  await site.sql("CREATE TABLE wp_acts_plain ( id int NOT NULL, PRIMARY KEY (id) ) ENGINE=MyISAM");
  for (const way of ["past", "over"]) {
    await site.wp.peek({ options: { acts_early: way, acts_early_at: "never" } });
    const id = await site.wp.draft("admin");
    const answer = await site.hold("title", { id }, "draft", `; of=${id}`);
    assert.deepEqual([way, ...became(answer)], [way, ...KEPT], JSON.stringify(answer.body));
    const { options } = await site.wp.peek({ ask: ["acts_early_at"] });
    assert.notEqual(options["acts_early_at"], "never", "it did write");
  }
  await site.wp.peek({ options: { acts_early: "" } });
  await site.sql("DROP TABLE wp_acts_plain");
});

onEach("rows that a function of the database writes are found, though the statement reads", async (site) => {
  await site.sql(
    "CREATE FUNCTION acts_writes( i INT ) RETURNS INT BEGIN UPDATE wp_posts SET post_title = 'Function' WHERE ID = i; RETURN 1; END",
  );
  const id = await site.wp.published("posts");
  const args = { sql: `SELECT acts_writes( ${id} )` };
  const answer = await site.leavesNothing(() => site.hold("sql", args, "draft"));
  assert.deepEqual([became(answer), (answer.body["data"] as Json)["over"]], [NOT_ALLOWED, ["live"]]);
  await site.sql("DROP FUNCTION acts_writes");
}, ["innodb"]);

/** What the database does by itself, and what it cannot take back. */
const INNODB: readonly [name: string, sql: string[], act: string, args: Json, over: string[]][] = [
  [
    "a trigger's rows are found",
    [
      "CREATE TABLE wp_acts_traced ( id int NOT NULL, PRIMARY KEY (id) ) ENGINE=InnoDB",
      "CREATE TRIGGER acts_trace AFTER UPDATE ON wp_posts FOR EACH ROW INSERT IGNORE INTO wp_acts_traced VALUES ( NEW.ID )",
    ],
    "title",
    {},
    ["other"],
  ],
  [
    "a table without transactions is not written",
    [
      "DROP TRIGGER acts_trace",
      "DROP TABLE IF EXISTS wp_acts_log",
      "CREATE TABLE wp_acts_log ( id int NOT NULL AUTO_INCREMENT, line text, PRIMARY KEY (id) ) ENGINE=MyISAM",
    ],
    "own",
    {},
    ["other"],
  ],
];

for (const [name, statements, act, args, over] of INNODB) {
  onEach(name, async (site) => {
    for (const statement of statements) await site.sql(statement);
    const id = await site.wp.draft("admin");
    const answer = await site.leavesNothing(() => site.hold(act, { id, ...args }, "draft"));
    assert.deepEqual([became(answer), (answer.body["data"] as Json)["over"]], [NOT_ALLOWED, over]);
  }, ["innodb"]);
}
