/** Where a request comes from, with and without proxies. */
import assert from "node:assert/strict";
import { ClientAddresses } from "../../../core/client_address.ts";
import { network } from "../../../core/ip.ts";

const NONE = new ClientAddresses([]);
const PROXIES = new ClientAddresses(
  ["10.0.0.0/8", "192.0.2.1", "2001:db8:aa::/48"].map((one) => network(one)!),
);

Deno.test("what a stranger says of where it comes from counts for nothing", () => {
  assert.equal(NONE.of("203.0.113.7", "198.51.100.1"), "203.0.113.7");
  assert.equal(PROXIES.of("203.0.113.7", "198.51.100.1, 10.0.0.1"), "203.0.113.7");
});

Deno.test("behind trusted proxies the last hop that is none of them is where it comes from", () => {
  const cases: [remote: string, forwarded: string | null, from: string][] = [
    ["10.1.2.3", "203.0.113.7", "203.0.113.7"],
    ["10.1.2.3", "198.51.100.1, 203.0.113.7, 192.0.2.1", "203.0.113.7"],
    ["::ffff:10.1.2.3", "203.0.113.7:4711", "203.0.113.7"],
    ["2001:db8:aa::5", "[2001:db8:1:2:3::4]:80", "2001:db8:1:2::/64"],
    ["10.1.2.3", null, "10.1.2.3"],
    ["10.1.2.3", "nonsense", "10.1.2.3"],
    ["10.1.2.3", "203.0.113.7, nonsense", "10.1.2.3"],
    ["10.1.2.3", "10.0.0.9", "10.0.0.9"],
  ];
  for (const [remote, forwarded, from] of cases) {
    assert.equal(PROXIES.of(remote, forwarded), from, `${remote}, ${forwarded}`);
  }
});

Deno.test("an IPv4 address and its spelling in IPv6 are one proxy, in the setting and in a request", () => {
  const cases: [setting: string, remote: string, trusted: boolean][] = [
    ["10.0.0.0/8", "::ffff:a01:203", true],
    ["::ffff:10.0.0.0/104", "10.1.2.3", true],
    ["::ffff:10.0.0.0/104", "::ffff:a01:203", true],
    ["::ffff:10.0.0.0/104", "11.1.2.3", false],
    ["10.0.0.0/8", "::10.1.2.3", false],
    ["10.0.0.0/8", "64:ff9b::10.1.2.3", false],
    ["::10.0.0.0/104", "10.1.2.3", false],
    ["::/0", "10.1.2.3", false],
    ["0.0.0.0/0", "2001:db8::1", false],
    ["0.0.0.0/0", "0x7f.1", false],
    ["fe80::/10", "fe80::1%eth0", true],
  ];
  for (const [setting, remote, trusted] of cases) {
    const from = new ClientAddresses([network(setting)!]).of(remote, "203.0.113.7");
    assert.equal(from === "203.0.113.7", trusted, `${setting}, ${remote}`);
  }
});

Deno.test("an IPv6 address counts by its network of 64 bits, however it is written", () => {
  for (const one of ["2001:db8::1", "2001:0db8:0:0:ffff::2", "2001:db8::ffff:1:2:3%eth0"]) {
    assert.equal(NONE.of(one, null), "2001:db8:0:0::/64", one);
  }
  assert.equal(NONE.of("::1", null), "0:0:0:0::/64");
});

Deno.test("an IPv4 address counts as itself, however it is written as one of IPv6", () => {
  for (const one of ["::ffff:203.0.113.7", "::ffff:cb00:7107", "0:0:0:0:0:FFFF:CB00:7107"]) {
    assert.equal(NONE.of(one, null), "203.0.113.7", one);
    assert.equal(PROXIES.of("10.1.2.3", one), "203.0.113.7", one);
  }
});

Deno.test("what a client put before the hops of the proxies is not read, however much it is", () => {
  const sent = `${"1.1.1.1,".repeat(30_000)},,x, 203.0.113.7,10.0.0.1`;
  assert.equal(PROXIES.of("10.1.2.3", sent), "203.0.113.7");
  for (const one of ["", ",", "203.0.113.7,", ",,"]) {
    assert.equal(PROXIES.of("10.1.2.3", one), "10.1.2.3", one);
  }
  assert.equal(PROXIES.of("10.1.2.3", ",203.0.113.7"), "203.0.113.7");
});

Deno.test("which texts are networks", () => {
  for (const one of ["10.0.0.0/8", "10.0.0.1", "::1/128", "2001:db8::/32", " 10.0.0.1 "]) {
    assert.ok(network(one), one);
  }
  for (const one of ["", "10.0.0.0/33", "::/129", "10.0.0", "localhost", "10.0.0.0/", "10.0.0.0/-1"]) {
    assert.equal(network(one), null, one);
  }
});
