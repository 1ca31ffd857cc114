/** The command line on people and their tokens: a user is named by e-mail address or id wherever one is named. */
import assert from "node:assert/strict";
import { ulid } from "ulid";
import { auditRow, MASTER, NOW } from "./kit.ts";
import { openTerminal } from "./open_terminal.ts";
import { words } from "../../words.ts";

const ANN = "ann@acme.test";

async function withAnn(ports: Parameters<typeof openTerminal>[2] = {}) {
  const cli = await openTerminal({}, { MASTER_TOKEN: MASTER }, ports);
  const added = JSON.parse(
    (await cli.good(...words(`user add ${ANN} --role member --sites acme --json`))).out,
  );
  const token = async (...more: string[]) => {
    const line = words(`token create --name writer --sites acme --tools get_post,create_draft --max-risk 1`);
    return JSON.parse((await cli.good(...line, "--json", ...more)).out);
  };
  return { ...cli, user_id: added.user_id as string, token };
}

Deno.test("a person is named by e-mail address in every command that names one", async () => {
  const asked: unknown[] = [];
  const list = (_: unknown, query: object) => (asked.push(query), Promise.resolve([]));
  const none = () => Promise.reject(new Error("nothing else is asked"));
  const clients = {
    list: (user?: string) => (asked.push(user), Promise.resolve([])),
    end: none,
  };
  const cli = await withAnn({
    approvals: {
      list,
      waiting: none,
      show: none,
      askUndo: none,
      approve: none,
      reject: none,
      texts: none,
      edit: none,
    },
    clients: () => Promise.resolve(clients),
  });
  assert.equal((await cli.token("--owner", "Ann@acme.test")).owner_user_id, cli.user_id);
  cli.store.rows.push(auditRow({ id: "hers", owner_user_id: cli.user_id }), auditRow({ id: "other" }));
  for (const user of [ANN, cli.user_id]) {
    const { out } = await cli.good("audit", "tail", "--user", user, "--json");
    assert.equal(JSON.parse(out).id, "hers");
    const lines = (await cli.good("audit", "export", "--user", user)).out.trimEnd().split("\n");
    assert.deepEqual(lines.map((line) => JSON.parse(line).id), ["hers"]);
    await cli.good("approvals", "--user", user);
    await cli.good("client", "list", "--user", user);
    const [approvals, id] = asked.splice(0) as [{ owner_user_id: string }, string];
    assert.deepEqual([approvals.owner_user_id, id], [cli.user_id, cli.user_id]);
    assert.match((await cli.good("user", "update", user, "--max-risk", "2")).out, /^max_risk +2$/m);
  }
  const bound = await cli.good("site", "update", "acme", "--account-user-id", ANN);
  assert.match(bound.out, new RegExp(`^account_user_id +${cli.user_id}$`, "m"));
  assert.equal(
    await cli.bad("site", "update", "acme", "--storage-user-id", "eve@acme.test"),
    'E_NOT_FOUND: No user "eve@acme.test"; list the users to find it, and name one who was removed by the id',
  );
  const nobody = "eve@acme.test";
  const says =
    `E_NOT_FOUND: No user "${nobody}"; list the users to find it, and name one who was removed by the id`;
  for (
    const line of [
      `audit tail --user ${nobody}`,
      `approvals --user ${nobody}`,
      `client list --user ${nobody}`,
      `user update ${nobody} --max-risk 1`,
      `user remove ${nobody}`,
      `token create --name x --sites acme --tools get_post --owner ${nobody}`,
    ]
  ) assert.equal(await cli.bad(...words(line)), says, line);
});

Deno.test("user remove ends the tokens that work, and counts them", async () => {
  const cli = await withAnn();
  const [one, other, ended, apart] = [
    await cli.token("--owner", ANN),
    await cli.token("--owner", ANN),
    await cli.token("--owner", ANN),
    await cli.token(),
  ];
  await cli.good("token", "revoke", ended.token_id);
  cli.recorded.length = 0;
  const { out } = await cli.good("user", "remove", ANN);
  assert.match(out, /^tokens_ended +2$/m);
  const rows = cli.recorded.map(([, tool, what]) => [tool, what]);
  const why = "its user was removed";
  assert.deepEqual(rows, [
    ["token.revoke", { token: one.token_id, why }],
    ["token.revoke", { token: other.token_id, why }],
    ["user.remove", {
      user_id: cli.user_id,
      email: ANN,
      ...{ sessions_ended: 0, tokens_ended: 2, accounts_forgotten: 0, clients_ended: 0 },
    }],
  ]);
  const { tokens } = JSON.parse((await cli.good("token", "list", "--json")).out);
  const left = tokens.filter(({ revoked_at }: { revoked_at: string | null }) => revoked_at === null);
  assert.deepEqual(left.map(({ token_id }: { token_id: string }) => token_id), [apart.token_id]);
});

Deno.test("token update changes what the options name, and nothing else", async () => {
  const cli = await withAnn();
  const made = await cli.token("--expires", "2027-01-31", "--from", "203.0.113.0/24");
  const update = async (line: string) =>
    JSON.parse((await cli.good("token", "update", made.token_id, "--json", ...words(line))).out);
  const { token: _, warnings: __, ...before } = made;
  const named = { ...before, name: "reader", allowed_tools: ["get_post"], max_risk: 0 };
  assert.deepEqual(await update("--name reader --tools get_post --max-risk 0"), { ...named, warnings: [] });
  const more = await update("--confirm-policy human --confirm-proxied true --listing search --sites *");
  const policies = {
    confirm_policy: "human",
    confirm_proxied: true,
    listing: "search",
    allowed_sites: ["*"],
  };
  assert.deepEqual(more, { ...named, ...policies, warnings: [] });
  assert.equal((await update("--confirm-proxied false --expires 2027-02-01")).confirm_proxied, false);
  const open = await update("--expires never --from anywhere");
  assert.deepEqual([open.expires_at, open.allowed_ips], [null, null]);
  assert.match((await cli.good("token", "update", made.token_id, "--max-risk", "2")).out, /^max_risk +2$/m);
  for (
    const [line, says] of [
      [`${made.token_id}`, /^E_BAD_INPUT: The body: names nothing to change$/],
      [`${made.token_id} --confirm-proxied maybe`, /^--confirm-proxied needs true or false$/],
      [
        `${made.token_id} --tools get_pst`,
        /^E_BAD_INPUT: allowed_tools: no tool "get_pst", did you mean get_post$/,
      ],
      ["nobody --max-risk 1", /^E_NOT_FOUND: No token "nobody"; list the tokens to find it$/],
    ] as const
  ) assert.match(await cli.bad("token", "update", ...words(line)), says, line);
});

Deno.test("audit show says all of one row, by the id that audit tail shows", async () => {
  const cli = await withAnn();
  const id = ulid(Date.parse(NOW));
  const before = { max_risk: 1, note: "a\u202eb" };
  cli.store.rows.push(auditRow({ id, at: NOW, tool: "token.change", door: "admin", arguments: { before } }));
  const [tailed] = (await cli.good("audit", "tail")).out.split("\n");
  const [, shown] = / id (\w{26})$/.exec(tailed!)!;
  const { out } = await cli.good("audit", "show", shown!);
  assert.match(out, /^tool +token\.change$/m);
  assert.match(out, /\narguments\n\{\n {2}"before": \{\n {4}"max_risk": 1,\n {4}"note": "a\\u\{202e\}b"\n/);
  assert.equal(JSON.parse((await cli.good("audit", "show", shown!, "--json")).out).id, id);
  assert.match(await cli.bad("audit", "show", ulid(0)), /^E_NOT_FOUND: No row "\w{26}" that you may see/);
});
