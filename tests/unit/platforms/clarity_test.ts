/** What of a behavior project may be asked, and how its numbers are read. */
import assert from "node:assert/strict";
import { numberOf } from "../../../platforms/clarity/reply.ts";
import { DIMENSIONS, refusalOf, requestOf } from "../../../platforms/clarity/wire.ts";
import type { Outgoing } from "../../../platforms/_http/request.ts";

const BASE = "https://www.clarity.ms/export-data/api/v1";
const ALL = Object.keys(DIMENSIONS) as (keyof typeof DIMENSIONS)[];

Deno.test("every question there can be is let through, in an address to the letter", () => {
  for (const num_of_days of [1, 2, 3]) {
    for (const dimensions of [[], ...ALL.map((one) => [one]), ALL.slice(0, 3)]) {
      const out = requestOf({ num_of_days, dimensions }, BASE, "t");
      assert.equal(refusalOf(out, BASE), null, out.url);
    }
  }
  assert.equal(
    requestOf({ num_of_days: 2, dimensions: ["Country", "URL"] }, BASE, "t").url,
    `${BASE}/project-live-insights?numOfDays=2&dimension1=Country%2FRegion&dimension2=URL`,
  );
});

Deno.test("nothing else is let through", () => {
  const good = requestOf({ num_of_days: 1, dimensions: ["OS"] }, BASE, "t");
  const path = `${BASE}/project-live-insights`;
  const bad: [Partial<Outgoing>, RegExp][] = [
    [{ method: "POST" }, /only read/],
    [{ effect: "write" }, /only read/],
    [{ once: undefined }, /none is repeated/],
    [{ url: `${BASE}/projects?numOfDays=1` }, /only the export/],
    [{ url: `${path}/?numOfDays=1` }, /only the export/],
    [
      { url: `https://www.clarity.ms.example/export-data/api/v1/project-live-insights?numOfDays=1` },
      /only the export/,
    ],
    [{ url: path }, /1 to 3 days/],
    [{ url: `${path}?numOfDays=4` }, /1 to 3 days/],
    [{ url: `${path}?numOfDays=01` }, /1 to 3 days/],
    [{ url: `${path}?numOfDays=1&dimension2=OS` }, /up to 3 dimensions/],
    [{ url: `${path}?numOfDays=1&dimension1=OS&dimension1=URL` }, /up to 3 dimensions/],
    [{ url: `${path}?numOfDays=1&numOfDays=1` }, /up to 3 dimensions/],
    [{ url: `${path}?numOfDays=1&project=p2` }, /up to 3 dimensions/],
    [{ url: `${path}?numOfDays=1&dimension1=Url` }, /a dimension there is not/],
  ];
  for (const [part, words] of bad) {
    assert.match(refusalOf({ ...good, ...part }, BASE) ?? "let through", words);
  }
});

Deno.test("numbers are read as the vendor may write them, and nothing else is one", () => {
  const read: [unknown, number | null][] = [
    ["0", 0],
    [" 12 ", 12],
    ["1,204,000", 1204000],
    ["12.5%", 12.5],
    ["1.88", 1.88],
    ["1e3", 1000],
    [-3, -3],
    [NaN, null],
    [Infinity, null],
    ["", null],
    ["12 px", null],
    ["0x10", null],
    ["1,2", null],
    ["Infinity", null],
    [null, null],
    [true, null],
    [{}, null],
  ];
  for (const [value, expected] of read) assert.equal(numberOf(value), expected, JSON.stringify(value));
});
