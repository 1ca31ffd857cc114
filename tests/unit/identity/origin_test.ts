/** Which Host and Origin values are the gateway's own. */
import assert from "node:assert/strict";
import { hostsOf, isOwnOrigin } from "../../../identity/origin.ts";

Deno.test("a gateway is known by the host of its base address, on loopback by every name of the machine", () => {
  assert.deepEqual([...hostsOf("https://gate.example")], ["gate.example", "gate.example:443"]);
  assert.deepEqual([...hostsOf("https://gate.example:8443")], ["gate.example:8443"]);
  assert.deepEqual([...hostsOf("http://127.0.0.1:8000")], ["localhost:8000", "127.0.0.1:8000", "[::1]:8000"]);
  assert.ok(hostsOf("http://localhost").has("[::1]:80"));
});

Deno.test("an origin is the gateway's own by its base address, never by what a request says", () => {
  const cases: [baseUrl: string, origin: string, own: boolean][] = [
    ["https://gate.example", "https://gate.example", true],
    ["https://gate.example", "http://gate.example", false],
    ["https://gate.example", "https://gate.example:443", false], // as no browser writes it
    ["https://gate.example", "https://gate.example:8443", false],
    ["https://gate.example", "https://evil.example", false],
    ["https://gate.example", "https://gate.example.evil.example", false],
    ["https://gate.example", "https://gate.example/", false],
    ["https://gate.example", "null", false],
    ["https://gate.example", "", false],
    ["http://127.0.0.1:8000", "http://localhost:8000", true],
    ["http://127.0.0.1:8000", "http://[::1]:8000", true],
    ["http://localhost:8000", "http://127.0.0.1:8000", true],
    ["http://127.0.0.1:8000", "http://localhost:8001", false],
    ["http://127.0.0.1:8000", "https://localhost:8000", false],
  ];
  for (const [baseUrl, origin, own] of cases) assert.equal(isOwnOrigin(origin, baseUrl), own, origin);
});
