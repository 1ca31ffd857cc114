/** What the gateway notices of a proxy that the settings do not name, and how often it says so. */
import assert from "node:assert/strict";
import { Proxies } from "../../../doors/proxies.ts";
import { ClientAddresses } from "../../../core/client_address.ts";
import { network } from "../../../core/ip.ts";
import { words } from "../../words.ts";

function noticing(...trusted: string[]) {
  const clock = { now: Date.parse("2026-11-21T10:00:00Z") };
  const logged: Record<string, unknown>[] = [];
  const networks = trusted.map((one) => network(one)!);
  const proxies = new Proxies(networks, { now: () => clock.now, log: (event) => void logged.push(event) });
  return { clock, logged, proxies };
}
const HOUR_MS = 60 * 60_000;

Deno.test("X-Forwarded-For from where no proxy is trusted is said once an hour, with the setting to set", () => {
  const { clock, logged, proxies } = noticing("10.0.0.0/8");
  proxies.notice("172.17.0.1", null);
  proxies.notice("10.0.0.5", "198.51.100.1");
  proxies.notice(null, "198.51.100.1");
  assert.deepEqual([logged, proxies.report()], [[], []]);
  for (let n = 0; n < 1000; n++) proxies.notice("::ffff:172.17.0.1", "198.51.100.1");
  assert.equal(logged.length, 1);
  const [{ event, address, message }] = logged as [Record<string, string>];
  assert.deepEqual([event, address], ["proxy_not_trusted", "172.17.0.1"]);
  assert.match(message!, /If it is your proxy, set TRUSTED_PROXIES to 172\.17\.0\.1$/);
  assert.deepEqual(proxies.report(), [{ address, seen_at: "2026-11-21T10:00:00.000Z", message }]);
  clock.now += HOUR_MS;
  proxies.notice("172.17.0.1", "198.51.100.1");
  assert.equal(logged.length, 2);
  clock.now += 24 * HOUR_MS;
  assert.deepEqual(proxies.report(), [], "it has been mended, or has gone");
});

Deno.test("strangers from any number of addresses fill neither log nor memory, and hide no proxy", () => {
  const { logged, proxies } = noticing();
  proxies.notice("127.0.0.1", "198.51.100.1");
  for (let n = 0; n < 5000; n++) proxies.notice(`203.0.${n >> 8}.${n & 255}`, "10.0.0.1");
  assert.equal(logged.length, 2, "one for what is near, one for what is far");
  assert.match(String(logged[1]!.message), /if you do not know it, leave it: a stranger sent the header/);
  const kept = proxies.report();
  assert.equal(kept.length, 8);
  assert.ok(kept.some(({ address }) => address === "127.0.0.1"));
  for (let n = 0; n < 20; n++) proxies.notice(`192.168.0.${n}`, "10.0.0.1");
  assert.equal(proxies.report().length, 8);
});

Deno.test("what is near is on this machine or in a private network", () => {
  const addresses = new ClientAddresses([]);
  for (
    const one of words(`
      127.0.0.1 10.1.2.3 172.31.0.1 192.168.1.1 169.254.1.1 ::1 fd00::1 fe80::1%eth0
    `)
  ) {
    assert.equal(addresses.stranger(one)?.near, true, one);
  }
  for (const one of ["172.32.0.1", "203.0.113.1", "2001:db8::1", "::ffff:203.0.113.1"]) {
    assert.equal(addresses.stranger(one)?.near, false, one);
  }
  assert.equal(addresses.stranger("nonsense"), null);
});
