/** Addresses: what is public, and what a URL or a name leads to. */
import assert from "node:assert/strict";
import { checkAddress, isPublicAddress, RefusedAddress } from "../../../platforms/_http/addresses.ts";
import { words } from "../../words.ts";

const PUBLIC = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "192.169.0.0",
  "223.255.255.255",
  "2606:4700::1111",
  "2a00:1450:4001:81b::200e",
  "::ffff:1.1.1.1",
  "64:ff9b::101:101",
  "2002:101:101::1",
  // of the special-purpose registries, and globally reachable: AS112, AMT
  "192.31.196.1",
  "192.52.193.1",
  "192.175.48.1",
  "2620:4f:8000::1",
  // the edges of what is private
  "191.255.255.255",
  "192.0.1.0",
  "192.88.98.255",
  "192.88.100.0",
  "198.17.255.255",
  "198.20.0.0",
  "2001:200::",
  "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
  "2001:db9::",
  "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
  "3fff:1000::",
  // however it is written
  "::FFFF:1.1.1.1",
  "0:0:0:0:0:ffff:101:101",
  "::ffff:1.1.1.1%1",
  "2606:4700:0000:0000:0000:0000:0000:1111",
  "2606:4700::1111%eth0.1",
  "2606:4700:3:4:5:6:127.0.0.1",
];

const PRIVATE = [
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "10.255.255.255",
  "100.64.0.1",
  "100.127.255.255",
  "127.0.0.1",
  "127.255.255.254",
  "169.254.169.254",
  "169.254.170.2",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.0.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.7",
  "203.0.113.9",
  "224.0.0.1",
  "239.255.255.250",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::127.0.0.1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:169.254.169.254",
  "::ffff:0:127.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b:1::a00:1",
  "100::1",
  "2001::1",
  "2001:db8::1",
  "2002:7f00:1::1",
  "2002:a00:1::1",
  "3fff::1",
  "5f00::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "febf::1",
  "fec0::1",
  "ff02::1",
  // IPv4-compatible addresses, which are no mapped ones (RFC 4291, 2.5.5.1)
  "::1.1.1.1",
  "::8.8.8.8",
  "::101:101",
  "::8.8.8.8%1",
  // every other row of the IANA special-purpose registries
  "192.0.0.8",
  "192.0.0.9",
  "192.0.0.10",
  "192.0.0.170",
  "192.88.99.2",
  "255.255.255.254",
  "64:ff9b:1::808:808",
  "64:ff9b:0:1::808:808",
  "100:0:0:1::1",
  "2001:0:808:808::1",
  "2001:1::1",
  "2001:1::2",
  "2001:2::1",
  "2001:3::1",
  "2001:4:112::1",
  "2001:10::1",
  "2001:20::1",
  "2001:30::1",
  "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
  "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
  // not assigned
  "1fff::1",
  "4000::1",
  "fbff::1",
  // addresses of IPv4 that are private within what holds them
  "::ffff:10.0.0.1%eth0",
  "::FFFF:A00:1",
  "64:ff9b::10.0.0.1",
  "2002:c0a8:101::1",
  // spellings that are no address to a resolver's answer
  "0x7f.1",
  "127.1",
  "8.8",
  "8.8.2056",
  "134744072",
  "0x8.8.8.8",
  "010.8.8.8",
  "08.8.8.8",
  "8.8.8.8.",
  " 8.8.8.8",
  "8.8.8.8\n",
  "8.8.8.8/32",
  "::ffff:0x8.8.8.8",
  "::ffff:010.8.8.8",
  "::ffff:8.8.2056",
  "[2606:4700::1111]",
  "2606:4700::1111/128",
  "12606:4700::1111",
  "2606::4700::1111",
  "not an address",
  "",
  "1.2.3",
];

Deno.test("addresses of the public internet are public, all others are not", () => {
  for (const address of PUBLIC) assert.equal(isPublicAddress(address), true, address);
  for (const address of PRIVATE) assert.equal(isPublicAddress(address), false, address);
});

const names: Record<string, string[]> = {
  "localhost": ["::1", "127.0.0.1"],
  "acme.example": ["93.184.216.34"],
  "both.example": ["93.184.216.34", "10.0.0.1"],
  "inside.example": ["192.168.1.1"],
  "v6.example": ["::ffff:169.254.169.254"],
  "empty.example": [],
};
const check = (url: string, allowPrivate: string[] = [], publicOnly = false) =>
  checkAddress(new URL(url), {
    allowPrivate,
    publicOnly,
    lookup: (host) => Promise.resolve(names[host] ?? []),
  });

Deno.test("an address is judged on its URL in every spelling", async () => {
  for (
    const url of words(`
      https://127.0.0.1/ https://127.1/ https://2130706433/ https://0x7f000001/ https://0177.0.0.1/
      https://127.0.0.1./ https://１２７.0.0.1/ https://[::1]/ https://[0:0:0:0:0:ffff:7f00:1]/
      https://localhost/ https://LOCALHOST./ https://a.localhost/ https://169.254.169.254/latest/meta-data/
      https://both.example/ https://inside.example/ https://v6.example/ https://empty.example/
      http://acme.example/ http://93.184.216.34/ ftp://acme.example/ file:///etc/passwd
      https://user:secret@acme.example/
    `)
  ) {
    await assert.rejects(check(url), (error: Error) => {
      assert.ok(error instanceof RefusedAddress, url);
      assert.equal(error.code, "E_UPSTREAM");
      assert.match(error.message, /nothing was sent/);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    });
  }
  await check("https://acme.example/");
  await check("https://93.184.216.34:8443/");
});

Deno.test("a listed host may be private or plain http, its other ports only when no port was listed", async () => {
  await check("http://127.0.0.1:8080/", ["127.0.0.1"]);
  await check("http://127.0.0.1:8080/", ["127.0.0.1:8080"]);
  await check("http://localhost/", ["LOCALHOST:80"]);
  await check("https://inside.example/", ["inside.example"]);
  await check("http://[::1]:9/", ["[::1]:9"]);
  await check("http://[::1]:9/", ["::1"]);
  await assert.rejects(check("http://127.0.0.1:8081/", ["127.0.0.1:8080"]), RefusedAddress);
  await assert.rejects(check("https://inside.example/", ["example"]), RefusedAddress);
  await assert.rejects(check("https://127.0.0.1/", [""]), RefusedAddress);
});

Deno.test("an address that a caller named must be public even where the host is listed", async () => {
  await assert.rejects(check("https://127.0.0.1/a.png", ["127.0.0.1"], true), RefusedAddress);
  await assert.rejects(check("http://acme.example/a.png", ["acme.example"], true), RefusedAddress);
  await check("https://acme.example/a.png", [], true);
});
