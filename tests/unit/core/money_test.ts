/** Money of whole units, hundredths and micros: exact, and written alike whichever vendor it is from. */
import assert from "node:assert/strict";
import { DECIMALS, moneyOf } from "../../../core/money.ts";

const { whole, hundredths, micros } = DECIMALS;
const amount = (figure: number | string | null | undefined, decimals: number) =>
  moneyOf(figure, decimals, "EUR")?.amount ?? null;

Deno.test("equal amounts of different vendors are equal texts", () => {
  const cases: [number | string, number, string][] = [
    [2150, hundredths, "21.50"],
    ["2150", hundredths, "21.50"],
    [21_500_000, micros, "21.50"],
    [21.5, whole, "21.50"],
    ["21.50", whole, "21.50"],
    [5000, whole, "5000"],
    [5000, hundredths, "50"],
    [0, hundredths, "0"],
    [7, hundredths, "0.07"],
    [-7, hundredths, "-0.07"],
    [1, micros, "0.000001"],
    [1_234_567.891, micros, "1.234568"],
    [0.1 + 0.2, whole, "0.30"],
    [1e-7, whole, "0"],
    [-0.4, micros, "0"],
    [1e21, hundredths, "10000000000000000000"],
    ["9007199254740993", hundredths, "90071992547409.93"],
  ];
  for (const [figure, decimals, text] of cases) assert.equal(amount(figure, decimals), text, `${figure}`);
  assert.deepEqual(moneyOf(1, whole, "JPY"), { amount: "1", currency: "JPY" });
});

Deno.test("what is no amount, or has no currency, is null", () => {
  for (const figure of [null, undefined, "", "-", "1.2.3", "1,5", "1e3", NaN, Infinity]) {
    assert.equal(amount(figure, whole), null, String(figure));
  }
  for (const currency of [null, undefined, ""]) assert.equal(moneyOf(1, whole, currency), null);
});

Deno.test("an amount in units counts what it says, whatever its digits", () => {
  let seed = 7;
  for (let at = 0; at < 2000; at++) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    const decimals = [0, 2, 6][seed % 3]!;
    const figure = seed % 1_000_000_007;
    const text = amount(figure, decimals)!;
    const [units, fraction = ""] = text.split(".");
    assert.equal(Number(units) * 10 ** decimals + Number(fraction.padEnd(decimals, "0")), figure, text);
    assert.ok(fraction.length !== 1);
  }
});
