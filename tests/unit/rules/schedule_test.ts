/** When something may go live. */
import assert from "node:assert/strict";
import { atSite, checkSchedule, parseMoment, parseSchedule, scheduleAt } from "../../../rules/schedule.ts";
import { words } from "../../words.ts";

const READ: Record<string, string> = {
  "2026-11-21T09:30:00Z": "2026-11-21T09:30:00Z",
  "2026-11-21T09:30:00z": "2026-11-21T09:30:00Z",
  "2026-11-21t09:30:00.999Z": "2026-11-21T09:30:00Z",
  "2026-11-21T09:30:00,5+02:00": "2026-11-21T07:30:00Z",
  "2026-11-21T09:30+0200": "2026-11-21T07:30:00Z",
  "2026-11-21T09:30:00+02": "2026-11-21T07:30:00Z",
  "2026-11-21T09:30:00-05:30": "2026-11-21T15:00:00Z",
  "2026-11-21T09:30:00\u221205:30": "2026-11-21T15:00:00Z",
  "2026-11-21 09:30:00 +02:00": "2026-11-21T07:30:00Z",
  "20261121T093000Z": "2026-11-21T09:30:00Z",
  "20261121T0930+0200": "2026-11-21T07:30:00Z",
  "2026-11-21T09Z": "2026-11-21T09:00:00Z",
  "2026-11-21T24:00:00Z": "2026-11-22T00:00:00Z",
  "2028-02-29T00:00:00Z": "2028-02-29T00:00:00Z",
  " 2026-11-21T09:30:00Z ": "2026-11-21T09:30:00Z",
  "2026-12-31T23:30:00-01:00": "2027-01-01T00:30:00Z",
};

Deno.test("ISO 8601 is read in its usual forms, with any offset", () => {
  for (const [text, utc] of Object.entries(READ)) {
    const moment = parseMoment(text);
    assert.equal(moment.utc, utc, text);
    assert.equal(moment.at, Date.parse(utc), text);
  }
});

Deno.test("a date and time without a zone is refused and told what to add", () => {
  for (const text of ["2026-11-21T09:30:00", "2026-11-21 09:30", "20261121T093000"]) {
    assert.throws(() => parseMoment(text), {
      code: "E_BAD_INPUT",
      message: /^scheduled_at: .*no time zone; add Z/,
    });
  }
});

Deno.test("what is no date and time is refused naming the field", () => {
  for (
    const text of [
      "",
      "tomorrow",
      "2026-11-21",
      "1795253400",
      "2026-02-29T00:00:00Z",
      "2026-04-31T00:00:00Z",
      "2026-02-30T24:00:00Z",
      "2026-13-01T00:00:00Z",
      "2026-00-10T00:00:00Z",
      "2026-11-21T25:00:00Z",
      "2026-11-21T24:00:01Z",
      "2026-11-21T09:60:00Z",
      "2026-11-21T09:30:60Z",
      "2026-11-21T09:30:00+24:00",
      "2026-11-21T09:30:00+02:60",
      "2026-11-21T09:30:00Z; x",
      "2026-11-21T09:30:00Z\n2026",
      "+002026-11-21T09:30:00Z",
      "Sat, 21 Nov 2026 09:30:00 GMT",
      "x".repeat(10_000),
    ]
  ) {
    assert.throws(
      () => parseMoment(text, "when"),
      { code: "E_BAD_INPUT", message: /^when: / },
      text.slice(0, 40),
    );
  }
});

Deno.test("a schedule is at least 60 s ahead", () => {
  const now = Date.parse("2026-11-21T09:00:00Z");
  assert.equal(parseSchedule("2026-11-21T09:01:00Z", now).at, now + 60_000);
  for (
    const text of words(`
      2026-11-21T09:00:59.999Z 2026-11-21T09:00:59Z 2026-11-21T10:00:00+02:00 2020-01-01T00:00:00Z
    `)
  ) {
    assert.throws(() => parseSchedule(text, now), { code: "E_FORBIDDEN_OP", message: /at least 60 s ahead/ });
  }
});

Deno.test("a moment is told in the site's own time zone, where one is known", () => {
  const moment = parseMoment("2026-07-01T22:30:00Z");
  assert.equal(atSite(moment, "Europe/Berlin"), ", which is 2026-07-02 00:30 at the site (Europe/Berlin)");
  assert.equal(atSite(moment, "+05:30"), ", which is 2026-07-02 04:00 at the site (+05:30)");
  for (const unknown of [undefined, "Nowhere/None", "+99:00"]) assert.equal(atSite(moment, unknown), "");
});

Deno.test("an offset that leads out of the years of four digits is no date, so that no preview promises it", () => {
  for (const text of ["9999-12-31T23:59:59-00:01", "9999-12-31T24:00:00Z", "0000-01-01T00:00:00+00:01"]) {
    assert.throws(() => parseMoment(text), {
      code: "E_BAD_INPUT",
      message: /not a date and time of the calendar$/,
    });
  }
  assert.equal(parseMoment("9999-12-31T23:59:59Z").utc, "9999-12-31T23:59:59Z");
});

const NOON = Date.parse("2026-11-21T12:00:00Z");
/** A date without a time, the zone of the site, and when that day begins there; else the code. */
const DAYS: readonly (readonly [text: string, zone: string | undefined, begins: string])[] = [
  ["2026-12-01", "UTC", "2026-12-01T00:00:00Z"],
  ["20261201", "Europe/Zurich", "2026-11-30T23:00:00Z"],
  [" 2026-12-01 ", "+05:30", "2026-11-30T18:30:00Z"],
  ["2026-12-01", "America/New_York", "2026-12-01T05:00:00Z"],
  // The clock goes on at midnight, and the day begins an hour later.
  ["2027-03-26", "Asia/Beirut", "2027-03-25T22:00:00Z"],
  ["2027-03-28", "Asia/Beirut", "2027-03-27T22:00:00Z"],
  ["2026-11-22", "Pacific/Kiritimati", "E_FORBIDDEN_OP"],
  ["2026-11-22", "America/New_York", "2026-11-22T05:00:00Z"],
  ["2026-11-21", "UTC", "E_FORBIDDEN_OP"],
  ["2026-02-30", "UTC", "E_BAD_INPUT"],
  ["2026-12-01", undefined, "E_BAD_INPUT"],
  ["2026-12-01", "Mars/Olympus", "E_BAD_INPUT"],
  // With a time, by the clocks of the site.
  ["2026-12-01T09:30", "Europe/Zurich", "2026-12-01T08:30:00Z"],
  ["2027-07-01 09:30:15", "Europe/Zurich", "2027-07-01T07:30:15Z"],
  ["20270701T0930", "+05:30", "2027-07-01T04:00:00Z"],
  ["2026-11-21T12:30", "Europe/Zurich", "E_FORBIDDEN_OP"],
  ["2026-11-21T12:30", "America/New_York", "2026-11-21T17:30:00Z"],
  ["2026-12-01T25:00", "UTC", "E_BAD_INPUT"],
  ["2026-12-01T09:30", undefined, "E_BAD_INPUT"],
  ["2026-12-01T09:30", "Mars/Olympus", "E_BAD_INPUT"],
];
for (const [text, zone, begins] of DAYS) {
  Deno.test(`${JSON.stringify(text)} at a site in ${zone} is ${begins}`, async () => {
    const read = scheduleAt(text, NOON, () => Promise.resolve(zone));
    if (begins.startsWith("E_")) await assert.rejects(read, { code: begins, message: /^scheduled_at: / });
    else assert.deepEqual(await read, { at: Date.parse(begins), utc: begins, zone });
  });
}

Deno.test("a time that the site's clocks have twice, or not at all, is refused with both readings", async () => {
  const cases = [
    [
      "2027-10-31T02:30",
      /comes twice .*put back then; give 2027-10-31T02:30:00\+02:00 or 2027-10-31T02:30:00\+01:00$/,
    ],
    [
      "2027-03-28T02:30",
      /does not come .*put forward then; give 2027-03-28T01:30:00\+01:00 or 2027-03-28T03:30:00\+02:00$/,
    ],
  ] as const;
  for (const [text, message] of cases) {
    const read = scheduleAt(text, NOON, () => Promise.resolve("Europe/Copenhagen"));
    await assert.rejects(read, { code: "E_BAD_INPUT", message });
    for (const zone of ["+01:00", "+02:00"]) assert.ok(parseMoment(`${text}${zone}`));
  }
});

Deno.test("before a site is asked, a date is refused only where it is too soon in every time zone", () => {
  for (const text of ["2026-11-21", "2026-11-22", "2026-12-01", "2026-12-01T09:00:00Z"]) {
    // At noon UTC this day has yet to begin nowhere but at -12:00, where it begins this very minute.
    if (text !== "2026-11-21") assert.doesNotThrow(() => checkSchedule(text, NOON), text);
    else assert.throws(() => checkSchedule(text, NOON), { code: "E_FORBIDDEN_OP" });
  }
  assert.throws(() => checkSchedule("2026-13-01", NOON), { code: "E_BAD_INPUT" });
  assert.doesNotThrow(() => checkSchedule("2026-12-01T09:00", NOON));
  assert.doesNotThrow(() => checkSchedule("2026-11-21T00:02", NOON), "it is ahead where a day begins last");
  assert.throws(() => checkSchedule("2026-11-20T23:00", NOON), { code: "E_FORBIDDEN_OP" });
  assert.throws(() => checkSchedule("2026-12-01T09:61", NOON), { code: "E_BAD_INPUT" });
});

Deno.test("the zone is asked for only where the text names none", async () => {
  const asked = () => Promise.reject(new Error("nobody asks"));
  assert.equal((await scheduleAt("2026-12-01T09:00:00+01:00", NOON, asked)).utc, "2026-12-01T08:00:00Z");
});
