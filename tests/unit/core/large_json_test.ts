/** A large JSON text is parsed in parts to the same value, or refused as the whole would be. */
import assert from "node:assert/strict";
import { readJson } from "../../../core/body.ts";
import { parseLarge } from "../../../core/large_json.ts";

const LONG = "x".repeat(20_000);
const encode = (text: string) => new TextEncoder().encode(text);

const SAME: Readonly<Record<string, string>> = {
  "files": JSON.stringify({ files: [{ content: LONG, path: "a" }, { content: `${LONG}y` }], confirm: true }),
  "signs that are escaped": JSON.stringify([`${LONG}"\\\n\u0001${LONG}`, "short"]),
  "escapes as no writer has them": `["${LONG}\\u00e9\\/\\"", "\\ud83d\\ude00${LONG}"]`,
  "other writing": JSON.stringify({ a: "é€😀".repeat(10_000), b: `\ufeff${LONG}` }),
  "a text alone": JSON.stringify(LONG),
  "long names": `{ "${LONG}" : "${LONG}1", "n${LONG}"\n:\t[ "${LONG}" , null, 1e3, true ] }`,
  "a name twice": `{"a": "${LONG}1", "a": "${LONG}2"}`,
  "__proto__": `{"__proto__": "${LONG}", "b": {"__proto__": {"c": "${LONG}"}}}`,
  "nothing long": '{"a": [1, "b", {"c": null}]}',
  "a backslash at the end": `["${LONG}\\\\", "${LONG}\\\\\\""]`,
};

for (const [name, text] of Object.entries(SAME)) {
  Deno.test(`the value is the same as of the whole text: ${name}`, async () => {
    const value = await parseLarge(encode(text));
    const whole = JSON.parse(text);
    assert.deepEqual(value, whole);
    assert.equal(JSON.stringify(value), JSON.stringify(whole));
  });
}

const WRONG = [
  `["${LONG}`,
  `["${LONG}\n"]`,
  `["${LONG}\\x"]`,
  `{"a": "${LONG}\\q", "a": 1}`,
  `["${LONG}" "${LONG}"]`,
  `["${LONG}"]]`,
  `{"${LONG}\\q": 1}`,
  "",
];

Deno.test("what is no JSON as a whole is none in parts", async () => {
  for (const text of WRONG) {
    assert.throws(() => JSON.parse(text), SyntaxError);
    await assert.rejects(parseLarge(encode(text)), SyntaxError, text.slice(-20));
  }
});

const MIB = 1024 * 1024;
const sent = (body: BodyInit) => new Request("https://x.test", { method: "POST", body });

Deno.test("a large body waits for its turn once all of it has come, and is parsed with what it holds left out", async () => {
  const seen: string[] = [];
  const taking = {
    add: () => void (seen.at(-1) === "came" || seen.push("came")),
    turn: async () => {
      await Promise.resolve();
      seen.push("turn");
    },
  };
  const deep = `${"[".repeat(100)}${"]".repeat(100)}`;
  const text = `{"name":"${"n".repeat(2 * MIB)}","inner":{"deep":${deep}}}`;
  const read = await readJson(sent(text), 8 * MIB, taking, ["inner"]);
  assert.ok(!("fault" in read));
  assert.deepEqual([read.bytes, read.excess, seen], [text.length, "depth", ["came", "turn"]]);
  assert.deepEqual(read.value, { name: "n".repeat(2 * MIB), inner: {} });
  const refused = taking.turn = () => Promise.reject(new Error("no turn"));
  await assert.rejects(readJson(sent(text), 8 * MIB, { turn: refused }), /no turn/);
});

Deno.test("a large body is refused as a small one is", async () => {
  const long = "x".repeat(2 * MIB);
  const fault = async (body: BodyInit) => {
    const read = await readJson(sent(body), 8 * MIB);
    return "fault" in read ? read.fault : null;
  };
  assert.equal(await fault(`["${long}"`), "not JSON");
  assert.equal(await fault(`[${"[".repeat(100)}"${long}"`), "depth");
  assert.equal(await fault(new Uint8Array([...encode(`["${long}`), 0xff, 0x22, 0x5d])), "not UTF-8");
  assert.equal(await fault(`["${long}"]`), null);
});
