/** forms_get-submissions between two instants: the CRM is asked by whole days, and rows are kept by their own time. */
import assert from "node:assert/strict";
import { emptyWorld } from "../../sandbox/highlevel/start.ts";
import { CrmWorld } from "./_crm.ts";

const LOCATION = "loc-of-forms";
const HOUR = 3_600_000;
const START = Date.parse("2026-11-01T00:00:00Z");
/** One submission an hour, at half past, for so many days. */
const HOURS = 24 * 12;
const sentAt = (n: number) => START + n * HOUR + HOUR / 2;

function opened(timezone = "UTC") {
  const world = emptyWorld(LOCATION, timezone);
  world.submissions.push(...Array.from({ length: HOURS }, (_, n) => ({
    id: `s${n}`,
    contactId: `c${n}`,
    formId: n % 2 ? "odd" : "even",
    name: "Ann",
    email: "ann@mail.example",
    createdAt: new Date(sentAt(n)).toISOString(),
    others: {},
  })));
  return CrmWorld.open({ crm: { world } });
}

interface Found {
  readonly total: number;
  readonly submissions: readonly { readonly id: string; readonly created_at: string }[];
  readonly next_page: number | null;
  readonly window: { readonly start_at: string; readonly end_at: string };
  readonly notes: readonly string[];
}

const ask = async (at: CrmWorld, args: Record<string, unknown>): Promise<Found> =>
  await at.ask("forms_get-submissions", args) as unknown as Found;
const between = (from: number, to: number) =>
  Array.from({ length: HOURS }, (_, n) => sentAt(n)).filter((ms) => ms >= from && ms <= to).length;

/** Windows, when they begin and end (the end included), and how often the CRM is asked for submissions. */
const WINDOWS: readonly (readonly [
  start: string | number,
  end: string | number,
  from: string,
  to: string,
  asked: number,
])[] = [
  ["2026-11-02", "2026-11-04", "2026-11-02T00:00:00Z", "2026-11-04T23:59:59.999Z", 1],
  ["2026-11-02T00:00:00Z", "2026-11-04T23:59:59Z", "2026-11-02T00:00:00Z", "2026-11-04T23:59:59.999Z", 1],
  ["2026-11-02T10:00:00Z", "2026-11-04T11:30:00Z", "2026-11-02T10:00:00Z", "2026-11-04T11:30:00Z", 3],
  ["2026-11-02T10:00:00Z", "2026-11-04", "2026-11-02T10:00:00Z", "2026-11-04T23:59:59.999Z", 2],
  ["2026-11-02", "2026-11-04T06:00:00+02:00", "2026-11-02T00:00:00Z", "2026-11-04T04:00:00Z", 2],
  ["2026-11-03T10:00", "2026-11-03T12:00", "2026-11-03T10:00:00Z", "2026-11-03T12:00:00Z", 2],
  [sentAt(50), sentAt(50), new Date(sentAt(50)).toISOString(), new Date(sentAt(50)).toISOString(), 2],
  ["2026-11-01T00:00:01Z", "2026-11-12T23:00:00Z", "2026-11-01T00:00:01Z", "2026-11-12T23:00:00Z", 3],
];
for (const [start_at, end_at, from, to, asked] of WINDOWS) {
  Deno.test(`from ${start_at} to ${end_at} exactly those are counted, and ${asked} requests are sent`, async () => {
    await using at = await opened();
    const found = await ask(at, { start_at, end_at, limit: 10 });
    const [first, last] = [Date.parse(from), Date.parse(to)];
    assert.equal(found.total, between(first, last));
    assert.equal(at.asked(/submissions/).length, asked);
    assert.ok(
      found.submissions.every(({ created_at }) =>
        Date.parse(created_at) >= first && Date.parse(created_at) <= last
      ),
    );
    assert.equal(Date.parse(found.window.start_at), first);
    assert.ok(Math.abs(Date.parse(found.window.end_at) - last) < 1000, found.window.end_at);
  });
}

Deno.test("all pages together hold each row of the window once, whatever the time zone", async () => {
  for (const zone of ["UTC", "Pacific/Auckland", "America/St_Johns"]) {
    await using at = await opened(zone);
    const args = {
      start_at: "2026-11-02T10:00:00Z",
      end_at: "2026-11-05T11:30:00Z",
      form_id: "odd",
      limit: 7,
    };
    const ids: string[] = [];
    let page: number | null = 1;
    while (page !== null) {
      const found: Found = await ask(at, { ...args, page });
      ids.push(...found.submissions.map(({ id }) => id));
      page = found.next_page;
      assert.equal(found.total, Math.floor(between(Date.parse(args.start_at), Date.parse(args.end_at)) / 2));
    }
    assert.equal(new Set(ids).size, ids.length);
    const [from, to] = [Date.parse(args.start_at), Date.parse(args.end_at)];
    const expected = Array.from({ length: HOURS }, (_, n) => n)
      .filter((n) => n % 2 === 1 && sentAt(n) >= from && sentAt(n) <= to);
    assert.deepEqual(ids.sort(), expected.map((n) => `s${n}`).sort());
  }
});

Deno.test("a page that holds the whole window is all that is asked, and times of one day the wrong way round are refused", async () => {
  await using at = await opened();
  const found = await ask(
    at,
    { start_at: "2026-11-03T10:00:00Z", end_at: "2026-11-03T12:00:00Z", limit: 100 },
  );
  assert.deepEqual([found.total, found.submissions.length, found.next_page], [2, 2, null]);
  assert.equal(at.asked(/submissions/).length, 1);
  assert.ok(found.notes.some((note) => /pages are of whole days/.test(note)));
  const turned = { site_id: "client", start_at: "2026-11-03T12:00", end_at: "2026-11-03T10:00" };
  await at.gw.refuses("forms_get-submissions", turned, "E_BAD_INPUT", /lies before start_at/);
  assert.equal(at.asked(/submissions/).length, 1);
});
