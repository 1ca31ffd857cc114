/** The commands of docs/OPERATING.md, typed as they stand there, with the files of docs/deploy that they use: each does what the page says. */
import assert from "node:assert/strict";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { copyProject } from "./copy.ts";
import { environment, MASTER, run as runProgram, type Running, start } from "./running.ts";

const ROOT = new URL("../../", import.meta.url);
const read = (path: string) => Deno.readTextFileSync(new URL(path, ROOT));

/** The lines to be typed of each section, a list for each fence. The drill at the end is run by a test of its own. */
function printed(): ReadonlyMap<string, string[][]> {
  const sections = new Map<string, string[][]>();
  const [page] = read("docs/OPERATING.md").split("\n## Drill\n");
  for (const part of page!.split(/^##+ /m).slice(1)) {
    const fences = [...part.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, text]) => text!.trim().split("\n"));
    if (fences.length > 0) sections.set(part.slice(0, part.indexOf("\n")), fences);
  }
  return sections;
}

/** A machine with the gateway as a service: the places of the page are in a folder, and its account is the test's own. */
async function machine(cms: { readonly username: string; readonly application_password: string }) {
  const { folder, ...copy } = await copyProject(["tests", "bench", "companion"]);
  const lib = `${folder}/data/lib`;
  for (const path of [`${folder}/data`, lib, `${folder}/data/bin`]) await Deno.mkdir(path);
  const settings = `${folder}/data/site-gateway.env`;
  const places: readonly (readonly [string, string])[] = [
    ["runuser -u site-gateway -- ", ""],
    ["/usr/local/bin/gateway-", `${folder}/data/bin/gateway-`],
    ["/usr/local/bin/deno", Deno.execPath()],
    ["/etc/site-gateway.env", settings],
    ["/var/lib/site-gateway", lib],
    ["DENO_DIR=/var/cache/site-gateway HOME=/var/lib/site-gateway ", ""],
    ["/srv/gateway", folder],
  ];
  const here = (text: string) => {
    const first = text.replace("DENO_DIR=/var/cache/site-gateway HOME=/var/lib/site-gateway ", "");
    return places.reduce((all, [there, place]) => all.replaceAll(there, place), first);
  };
  for (const name of ["gateway-admin", "gateway-backup"]) {
    await Deno.writeTextFile(`${folder}/data/bin/${name}`, here(read(`docs/deploy/${name}`)), {
      mode: 0o755,
    });
  }
  const keys = crypto.getRandomValues(new Uint8Array(32)).toBase64();
  await Deno.writeTextFile(settings, `MASTER_TOKEN=${MASTER}\nENCRYPTION_KEYS=${keys}\nGATEWAY_URL=\n`);
  let running: Running | null = null;

  const service = {
    async start() {
      const env = Object.fromEntries(
        Deno.readTextFileSync(settings).trim().split("\n").map((line) => {
          const at = line.indexOf("=");
          return [line.slice(0, at), line.slice(at + 1)];
        }),
      );
      running = start(lib, env, { cwd: folder });
      const address = await running.address();
      const text = Deno.readTextFileSync(settings).replace(/^GATEWAY_URL=.*$/m, `GATEWAY_URL=${address}`);
      Deno.writeTextFileSync(settings, text);
    },
    async stop() {
      running?.kill("SIGTERM");
      await running?.ended;
      running = null;
    },
  };

  /** Types a line; answers what it printed and its exit code. */
  async function run(line: string, stdin = "") {
    const words = /^systemctl (start|stop|restart) site-gateway$/.exec(line)?.[1];
    if (words !== undefined) {
      if (words !== "start") await service.stop();
      if (words !== "stop") await service.start();
      return { code: 0, out: "", err: "" };
    }
    const base = environment(lib, { NO_COLOR: "1", MASTER_TOKEN: null, ENCRYPTION_KEYS: null, PORT: null });
    return await runProgram("/bin/sh", ["-ec", here(line)], {
      cwd: folder,
      env: { ...base, PATH: `${folder}/data/bin:${Deno.env.get("PATH")}` },
      stdin,
    });
  }
  async function good(line: string, stdin = "") {
    const { code, out, err } = await run(line, stdin);
    assert.equal(code, 0, `${line}\n${out}${err}`);
    return out;
  }
  const asEditor = (line: string) => line.replace("--cms-username editor", `--cms-username ${cms.username}`);
  return {
    ...{ folder, lib, service, run, good, asEditor },
    gateway: () => running ?? assert.fail("the service is stopped"),
    async [Symbol.asyncDispose]() {
      await service.stop();
      await copy[Symbol.asyncDispose]();
    },
  };
}

/** What a page has for the reader to put in. */
const filled = (line: string, values: Readonly<Record<string, string>>) =>
  line.replace(
    /<(\w+)>/g,
    (_, name: string) => values[name] ?? assert.fail(`nothing is put in for <${name}>`),
  );

Deno.test("each command of docs/OPERATING.md does what the page says", async () => {
  await using cms = await startWordPressStandIn();
  const { username, application_password } = cms.users.admin;
  await using at = await machine({ username, application_password });
  const sections = printed();
  const left = new Set([...sections].flatMap(([, fences]) => fences.flat()));
  /** The lines of a fence; each must be typed. */
  const lines = (title: string, fence = 0) => {
    const found = sections.get(title)?.[fence] ?? assert.fail(`${title}, ${fence}`);
    for (const line of found) left.delete(line);
    return found;
  };
  await at.service.start();
  await at.good("gateway-admin user add ann@agency.example --role member --sites '*'");
  const add =
    `gateway-admin site add acme --platform cms --base-url ${cms.base_url} --cms-username ${username}`;
  await at.good(`${add} --cms-password-stdin`, application_password);
  const made = await at.good(
    "gateway-admin token create --name writer --sites acme --tools '*' --max-risk 1 --owner ann@agency.example --json",
  );
  const { token, token_id } = JSON.parse(made);

  // Stop everything now.
  const call = (tool: string, args: Record<string, unknown>) =>
    at.gateway().call<{ id: number; confirm_token: string; request_id: string }>(token, tool, {
      site_id: "acme",
      ...args,
    });
  const draft = { title: "Hello", content_html: "<p>Hi</p>" };
  const [freeze, frozen] = lines("Stop everything now");
  assert.match(await at.good(freeze!), /^Every site is frozen/);
  assert.equal((await call("create_draft", draft)).error?.code, "E_FROZEN");
  assert.match(await at.good(frozen!), /an account may be stolen/);
  const [unfreeze, unknown] = lines("Stop everything now", 1);
  await at.good(unfreeze!);
  const confirmed = async (tool: string, args: Record<string, unknown>) => {
    const { confirm_token } = (await call(tool, args)).result;
    const { result, error } = await call(tool, { ...args, confirm: true, confirm_token });
    assert.equal(error, undefined);
    return result;
  };
  const { id: post_id } = await confirmed("create_draft", draft);
  const { request_id } = await confirmed("update_draft", { post_id, title: "Good morning" });
  assert.equal(await at.good(unknown!), "");

  // Who changed what.
  const [tail, byPerson, show] = lines("Who changed what");
  const rows = (await at.good(tail!)).trim().split("\n");
  assert.ok(rows.length >= 5);
  const hers = (await at.good(byPerson!)).trim().split("\n");
  assert.ok(hers.length >= 4 && hers.every((line) => / (create|update)_draft /.test(line)), hers.join("\n"));
  const row = /id (\w{26})$/.exec(rows.find((line) => line.includes("user.create"))!)![1]!;
  assert.match(await at.good(filled(show!, { request_id: row })), /"email": "ann@agency\.example"/);
  const [changes, undo] = lines("Who changed what", 1);
  assert.ok((await at.good(changes!)).includes(request_id));
  assert.match(await at.good(filled(undo!, { request_id })), /--confirm \w+/);

  // Copies: by hand, by the unit of the timer, by the line of cron; and one put back.
  const copy = (name: string) => `${at.folder}/data/copies/${name}`;
  const copies = () =>
    [...Deno.readDirSync(copy(""))].map(({ name }) => name).filter((name) => name.endsWith(".sqlite3"));
  for (const line of lines("Copies")) await at.good(line);
  const unit = read("docs/deploy/site-gateway-backup.service");
  for (const [, line] of unit.matchAll(/^ExecStart=(.*)$/gm)) await at.good(line!);
  assert.equal(copies().length, 2);
  for (const name of [...copies(), "good"]) Deno.utimeSync(copy(name), 0, 0);
  const [, cron] = /^```crontab\n(.*)\n```$/m.exec(read("docs/OPERATING.md"))!;
  const nightly = cron!.replace(/^30 2 \* \* \* root /, "");
  await at.good(nightly);
  assert.equal(copies().length, 3, "no copy of the last 14 days was good: none goes");
  const settings = `${at.folder}/data/site-gateway.env`;
  const right = Deno.readTextFileSync(settings);
  Deno.writeTextFileSync(settings, `${right}KV_PATH=${at.folder}/data/none.sqlite3\n`);
  assert.equal((await at.run(nightly)).code, 1);
  Deno.writeTextFileSync(settings, right);
  assert.equal(copies().length, 1, "copies of more than 14 days ago go before the next is made");
  await at.good("gateway-admin token revoke " + token_id);
  for (const line of lines("Put a copy back")) await at.good(line);
  assert.equal(
    (await at.gateway().call(token, "list_sites", {})).status,
    200,
    "as it was when the copy was made",
  );

  // Change a secret.
  for (const line of lines("Change a secret")) await at.good(line);
  assert.equal(
    (await at.gateway().ask("GET", "/admin/api/tokens", MASTER)).status,
    401,
    "the old one opens nothing",
  );
  const [password, probe] = lines("Change a secret", 1);
  await at.good(at.asEditor(password!), application_password);
  assert.match(await at.good(probe!), /^ {2}the account: agrees$/m);
  const [list, rotate, narrow] = lines("Change a secret", 2).map((line) => filled(line, { token_id }));
  assert.match(await at.good(list!), /writer/);
  const [, text] = /^token +(\S+)$/m.exec(await at.good(rotate!))!;
  assert.equal((await at.gateway().call(token, "list_sites", {})).status, 401);
  assert.equal((await at.gateway().call(text!, "list_sites", {})).status, 200);
  assert.match(await at.good(narrow!), /^max_risk +0$/m);

  // Merged previews: no site is static here.
  assert.equal(await at.good(lines("Merged previews")[0]!), "No static site has a repository.\n");

  // A site or a person leaves.
  const [shown, remove] = lines("A site or a person leaves");
  assert.match(await at.good(shown!), /\nNothing was changed\./);
  assert.match(await at.good(remove!), /^The site acme is removed\.\nThese records were deleted:/);
  const [kept, erase] = lines("A site or a person leaves", 1);
  assert.match(await at.good(kept!), /rows that would go/);
  await at.good(erase!);
  assert.match(await at.good("gateway-admin audit verify"), /^Whole/);
  const [person] = lines("A site or a person leaves", 2);
  assert.match(await at.good(person!), /^tokens_ended +\d/m);

  // Change the version, and go back, also where the store has a newer format: what git fetches is not here.
  for (const fence of [0, 1, 2]) {
    for (const line of lines("Change the version", fence).filter((one) => !one.startsWith("git "))) {
      await at.good(filled(line, { new: "1a2b3c4" }));
    }
  }

  assert.deepEqual([...left], [], "each printed command was typed");
});
