/** Browsers that are known, and challenges that prove themselves: by any of the keys, for what they were made for. */
import assert from "node:assert/strict";
import { Devices, Signatures } from "../../../store/signatures.ts";

const [OLD, NEW] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
const NOW = Date.parse("2026-11-21T10:00:00Z");

Deno.test("what one key signed is known while that key is among them, wherever it stands", () => {
  const texts = ["device", "ann", "browser"];
  const proof = new Signatures([OLD]).sign(texts);
  assert.ok(new Signatures([NEW, OLD]).isSigned(texts, proof));
  assert.ok(!new Signatures([NEW]).isSigned(texts, proof));
  assert.deepEqual(new Signatures([NEW, OLD]).sign(texts), new Signatures([NEW]).sign(texts));
  for (
    const others of [
      ["device", "annbrowser"],
      ["device", "bob", "browser"],
      ["challenge", "ann", "browser"],
      texts.toReversed(),
    ]
  ) {
    assert.ok(!new Signatures([OLD]).isSigned(others, proof), others.join());
  }
  for (const other of [proof.subarray(1), new Uint8Array(32), new Uint8Array(0)]) {
    assert.ok(!new Signatures([OLD]).isSigned(texts, other));
  }
});

Deno.test("a browser is known for one user, and by nothing that was changed", () => {
  const devices = new Devices(new Signatures([OLD]), () => NOW);
  const text = devices.create("ann");
  const name = devices.find(text, "ann");
  assert.match(name!, /^[\w-]{43}$/);
  assert.equal(devices.find(text, "bob"), null);
  const [device, until, proof] = text.split(".");
  const changed = [
    `${device}.${Number(until) + 1}.${proof}`,
    `${"A".repeat(43)}.${until}.${proof}`,
    `${device}.${until}.${"A".repeat(43)}`,
    `${device}.${until}`,
    `${text}.`,
    "",
    "x".repeat(10_000),
  ];
  for (const one of changed) assert.equal(devices.find(one, "ann"), null, one.slice(0, 100));
});
