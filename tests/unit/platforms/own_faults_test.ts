/** What this machine lacks itself is not reported as a fault of the other side. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import { createHttp } from "../../../platforms/_http/http.ts";
import { NotSent } from "../../../platforms/_http/sockets.ts";

const coded = (code: string) => Object.assign(new Error(`connect ${code} 203.0.113.1:443`), { code });
const OWN: Readonly<Record<string, RegExp>> = {
  EMFILE: /the gateway itself has no file descriptors left/,
  ENFILE: /the gateway itself has no file descriptors left/,
  ENOBUFS: /the gateway itself has no memory for connections left/,
  EADDRNOTAVAIL: /the gateway itself has no ports for connections left/,
};
const SAYS =
  /^acme\.example could not be reached, nothing was sent: .* left, which says nothing of the other side; try again later, and have its operator see to that$/;

for (const [code, words] of Object.entries(OWN)) {
  Deno.test(`${code} where a connection or a name was asked for is reported as the gateway's own, and holds no host for down`, async () => {
    const failing = [
      {
        lookup: () => Promise.resolve(["93.184.215.14"]),
        fetch: () => Promise.reject(new NotSent("x", { cause: coded(code) })),
      },
      { lookup: () => Promise.reject(coded(code)), fetch: () => assert.fail("nothing may be sent") },
    ];
    for (const ports of failing) {
      using http = createHttp({ allowPrivate: [], sleep: () => Promise.resolve(), ...ports });
      const out = { method: "POST", url: "https://acme.example/", effect: "write", json: {} } as const;
      await assert.rejects(http.send(out, { deadline: Date.now() + 5000 }), (thrown: GatewayError) => {
        assert.match(thrown.message, SAYS);
        assert.match(thrown.message, words);
        return (thrown as unknown as { isHostDown: boolean }).isHostDown === false;
      });
    }
  });
}

Deno.test("a process without a descriptor left says so, of an address and of a name", async () => {
  const script = new URL("children/starved.ts", import.meta.url).pathname;
  const config = new URL("../../../deno.json", import.meta.url).pathname;
  const run = ["run", "-A", "--no-check", "--quiet", "--config", config, script];
  const { stdout, stderr } = await new Deno.Command("/bin/sh", {
    args: ["-c", 'ulimit -n 64; exec "$@"', "sh", Deno.execPath(), ...run],
  }).output();
  const text = new TextDecoder().decode(stdout);
  assert.notEqual(text, "", new TextDecoder().decode(stderr));
  for (const said of JSON.parse(text)) {
    assert.match(said, /has no file descriptors left, which says nothing of the other/);
  }
});
