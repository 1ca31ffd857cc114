/** A real process whose upstreams fail over TLS: it answers, it goes on, and a signal ends it as ever. */
import assert from "node:assert/strict";
import { type ConnectionFault, startTls, type TlsServer } from "../../sandbox/core/tls.ts";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { newAuthority } from "../authority.ts";
import { forwardedTo } from "../forwarded.ts";
import { type Answered, inFolder, MASTER, type Running, start } from "./running.ts";

/** Those that end by themselves: a silent server takes as long as a request may. */
const FAULTS: readonly ConnectionFault[] = [
  "reset before the handshake",
  "reset in the handshake",
  "reset in the server's hello",
  "reset after the handshake",
  "reset in the answer",
  "closed after the handshake",
  "no TLS",
];
const CALLS = 50;

/** A site of that address; answers what ping_site says of it. */
async function ping(gateway: Running, token: string, id: string, base_url: string): Promise<Answered> {
  const credentials = { cms: { username: "admin", application_password: "aaaa bbbb cccc dddd eeee ffff" } };
  await gateway.admin("POST", "/sites", { id, name: id, platform: "cms", base_url, credentials });
  return await gateway.call(token, "ping_site", { site_id: id });
}

Deno.test("sites over https that refuse, reset or show a wrong certificate: 50 other calls go on, and so does the process", async () => {
  await using cleanup = new AsyncDisposableStack();
  const authority = await newAuthority();
  const identity = await authority.issue(["127.0.0.1"]);
  const cms = await startWordPressStandIn();
  cleanup.defer(() => cms.stop());
  const answer = forwardedTo(cms.base_url);
  const servers: Record<string, TlsServer> = {
    "wrong name": await startTls({ identity: await authority.issue(["other.example"]), answer }),
    "expired": await startTls({ identity: await authority.issue(["127.0.0.1"], new Date(0)), answer }),
    "fine": await startTls({ identity, answer }),
  };
  for (const fault of FAULTS) servers[fault] = await startTls({ identity, answer, fault });
  for (const server of Object.values(servers)) cleanup.use(server);
  await inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/authority.pem`, authority.pem);
    await using gateway = start(folder, {
      ALLOW_PRIVATE_UPSTREAMS: "127.0.0.1,127.0.0.2",
      DENO_CERT: `${folder}/authority.pem`,
    });
    const { token } = await gateway.token();
    const { username, application_password } = cms.users.admin;
    const { fine, ...bad } = servers;
    const base_url = `https://127.0.0.1:${fine!.port}`;
    const credentials = { cms: { username, application_password } };
    await gateway.admin(
      "POST",
      "/sites",
      { id: "fine", name: "fine", platform: "cms", base_url, credentials },
    );
    const places = Object.entries(bad).map(([name, { port }]) =>
      [name, `https://127.0.0.1:${port}`] as const
    );
    const refused = ["refused", `https://127.0.0.2:${fine!.port}`] as const;
    const [others, ...told] = await Promise.all([
      Promise.all(
        Array.from({ length: CALLS }, () => gateway.call(token, "list_drafts", { site_id: "fine" })),
      ),
      ...[refused, ...places].map(([, at], nth) => ping(gateway, token, `bad-${nth}`, at)),
    ]);
    assert.deepEqual(others.map(({ status }) => status), Array(CALLS).fill(200));
    for (const [nth, [name]] of [refused, ...places].entries()) {
      const { error, result } = told[nth]!;
      assert.notEqual(error?.code, "E_INTERNAL", name);
      assert.match(error?.message ?? JSON.stringify(result), /127\.0\.0\.[12]/, name);
    }
    assert.equal((await gateway.ask("GET", "/admin/api/tokens", MASTER)).status, 200);
    gateway.kill("SIGTERM");
    const { code, stderr } = await gateway.ended;
    const events = stderr.trimEnd().split("\n").map((line) => JSON.parse(line).event);
    assert.deepEqual([code, events], [0, ["store_made"]]);
  });
});
