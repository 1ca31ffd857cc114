/** Where the command line asks, and what it says of an answer that is none of a gateway's. */
import assert from "node:assert/strict";
import { MASTER } from "./kit.ts";
import { openTerminal } from "./open_terminal.ts";
import { words } from "../../words.ts";

Deno.test("where the gateway is, and with which token", async () => {
  const addresses: [Record<string, string>, string[], string][] = [
    [{}, [], "http://127.0.0.1:8000"],
    [{ HOST: "0.0.0.0", PORT: "81" }, [], "http://127.0.0.1:81"],
    [{ BASE_URL: "https://base.test/", PORT: "81" }, [], "http://127.0.0.1:81"],
    [{ HOST: "::1", BASE_URL: "https://base.test" }, [], "http://[::1]:8000"],
    [{ HOST: "10.0.0.5", BASE_URL: "https://base.test/" }, [], "https://base.test"],
    [{ BASE_URL: "https://base.test", GATEWAY_URL: "https://gateway.test" }, [], "https://gateway.test"],
    [{ GATEWAY_URL: "https://gateway.test" }, ["--url", "http://localhost:82/"], "http://localhost:82"],
  ];
  for (const [env, words, base] of addresses) {
    const cli = await openTerminal({ kept: () => MASTER }, env);
    await cli.good("site", "list", ...words);
    assert.equal(cli.asked[0]!.url, `${base}/admin/api/sites`);
    assert.equal(cli.asked[0]!.headers.get("authorization"), `Bearer ${MASTER}`);
  }
  const away = await openTerminal(
    { fetch: () => Promise.reject(new TypeError("connection refused")) },
    { MASTER_TOKEN: MASTER, PORT: "81", BASE_URL: "https://base.test" },
  );
  assert.equal(
    await away.bad("site", "list"),
    "No gateway answers at http://127.0.0.1:81; start it, or name its address: --url https://base.test",
  );
  const none = await openTerminal({}, {});
  assert.equal(
    await none.bad("site", "list"),
    "MASTER_TOKEN is not set, and data/secrets.json does not hold one",
  );
  const another = await openTerminal({ kept: () => MASTER.toUpperCase() }, {});
  assert.match(
    await another.bad("site", "list"),
    /^E_AUTH: .*; the gateway at http:\/\/127\.0\.0\.1:8000 was sent the MASTER_TOKEN of data\/secrets\.json, for it is not set in the environment$/,
  );
  const cli = await openTerminal();
  for (
    const url of words(`
      gateway.test ftp://gateway.test https://u:p@gateway.test https://gateway.test?x=1
    `)
  ) {
    assert.match(await cli.bad("site", "list", "--url", url), /^The gateway's address must be like/);
  }
  assert.match(
    await cli.bad("site", "list", "--url", "http://gateway.test"),
    /not sent over plain http to gateway.test/,
  );
  assert.deepEqual(cli.asked, []);
});

Deno.test("what answers is not always a gateway", async () => {
  const replies: [() => Response, RegExp][] = [
    [
      () => new Response("<html>"),
      /^What answers at http:\/\/127.0.0.1:8000 is no gateway \(status 200\); check --url$/,
    ],
    ...[502, 503, 504].map((status): [() => Response, RegExp] => [
      () => new Response("", { status }),
      new RegExp(
        `^A proxy answers at http://127.0.0.1:8000 \\(status ${status}\\), and no gateway behind it did; ` +
          "ask one at its own address \\(--url http://127.0.0.1:8000\\), or start it$",
      ),
    ]),
    [() => Response.redirect("https://evil.test"), /is no gateway \(status 302\)/],
    [
      () => Response.json({ ok: false, error: { code: "E_AUTH", message: "No" } }),
      /^E_AUTH: No; the gateway at http:\/\/127\.0\.0\.1:8000 was sent the MASTER_TOKEN of the environment$/,
    ],
    [
      () => Response.json({ ok: false, error: { code: "E_X", message: "a\u001b[2J" } }),
      /^E_X: a\\u\{1b\}\[2J$/,
    ],
    [() => {
      throw new TypeError("connection refused");
    }, /^No gateway answers at http:\/\/127.0.0.1:8000; start it, or name its address with --url$/],
  ];
  for (const [fetch, message] of replies) {
    const cli = await openTerminal({ fetch });
    assert.match(await cli.bad("site", "list"), message);
    assert.match(
      await cli.bad("audit", "export"),
      message.source.includes("status 200") ? /no gateway/ : message,
    );
  }
});
