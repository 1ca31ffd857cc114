/** What a probe may do and what it says: reads alone, each failure by itself, costs only where they are named. */
import assert from "node:assert/strict";
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import { text } from "../../../core/fields.ts";
import type { AuditRow } from "../../../core/model.ts";
import { OPERATOR } from "../../../guard/audit/admin_row.ts";
import { FactCaches } from "../../../guard/fact_caches.ts";
import { probeSite, type ReviewPorts } from "../../../guard/probe.ts";
import { connector } from "../../../platforms/_connector/connector.ts";
import type { ProbeSpec } from "../../../platforms/_connector/operator.ts";
import { createHttp } from "../../../platforms/_http/http.ts";
import { Connectors } from "../../../registry/connectors.ts";
import { RegistryError } from "../../../registry/files.ts";
import { sentencesOf } from "../../../registry/probe_report.ts";
import { site } from "../platforms/_site.ts";

const NOW = Date.parse("2026-11-28T12:00:00Z");
const any = { schema: text("an id", /^[^\n]{1,60}$/) };
const BOOK = z.object({ title: z.string(), pages: z.number().nullish() });

const shelf = (name: string, run: ProbeSpec["run"], more: Partial<ProbeSpec> = {}) =>
  connector({
    name,
    product: `Shelf ${name}`,
    scope: "site",
    siteFields: { [`${name}_id`]: any },
    origins: () => [`https://${name}.example`],
    policy: () => null,
    connect: () => null,
    probes: { books: { what: `${name} books`, field: `${name}_id`, run, ...more } },
  });

const read: ProbeSpec["run"] = async (ctx, see) => {
  const url = `https://${
    new URL(`https://${(ctx.site as unknown as Record<string, string>)["at"]}`).host
  }/books`;
  await see("a book", BOOK, () => ctx.send({ method: "GET", url, effect: "read" }));
};

async function probed(
  all: readonly ReturnType<typeof shelf>[],
  { held = {}, costly = [], answer = () => Response.json({ title: "Emma" }) }: {
    held?: object;
    costly?: readonly string[];
    answer?: (url: string) => Response;
  } = {},
) {
  const rows: AuditRow[] = [];
  const reports: unknown[] = [];
  const sent: string[] = [];
  const ports = {
    connectors: new Connectors([...all]),
    store: {},
    http: createHttp({
      allowPrivate: [],
      now: () => NOW,
      lookup: () => Promise.resolve(["93.184.215.14"]),
      fetch: (input: string | URL | Request) => {
        sent.push(String(input));
        return Promise.resolve(answer(String(input)));
      },
    }),
    upstream: {},
    cache: new FactCaches(() => NOW),
    now: () => NOW,
    audit: { append: (row: AuditRow) => Promise.resolve(void rows.push(row)) },
    log: () => {},
    newId: () => "row-1",
    report: (_: string, thrown: unknown) => void reports.push(thrown),
  } as unknown as ReviewPorts;
  const ids = Object.fromEntries(all.map(({ name }) => [`${name}_id`, "7"]));
  const order = { site: { ...site({}), ...ids, ...held }, by: OPERATOR, costly };
  const report = await probeSite(ports, order);
  return { report, first: report.upstreams[0]!, rows, sent, reports };
}

Deno.test("a probe that would write sends nothing, and says so", async () => {
  const { first, sent } = await probed([
    shelf("desk", async (ctx, see) => {
      const out = { method: "POST", url: "https://desk.example/books", json: {}, effect: "write" } as const;
      await see("a book", BOOK, () => ctx.send(out));
    }),
  ]);
  assert.deepEqual([first.reads[0]!.state, first.reads[0]!.problem!.code, sent], [
    "refused",
    "E_FORBIDDEN_OP",
    [],
  ]);
});

Deno.test("a service that fails stops no other, and a fault of our own is reported and not told", async () => {
  const { report, reports, rows } = await probed([
    shelf("broken", () => Promise.reject(new GatewayError("E_MISSING_SECRET", "It has no key"))),
    shelf(
      "buggy",
      (_, see) => see("a book", BOOK, () => Promise.reject(new Error("secret at line 7"))).then(() => {}),
    ),
    shelf("whole", read),
  ], { held: { at: "whole.example" } });
  const [broken, buggy, whole] = report.upstreams;
  assert.deepEqual(broken!.problem, { code: "E_MISSING_SECRET", status: null, message: "It has no key" });
  assert.equal(buggy!.reads[0]!.problem!.code, "E_INTERNAL");
  assert.doesNotMatch(JSON.stringify(report), /line 7/);
  assert.equal(reports.length, 1);
  assert.equal(whole!.reads[0]!.state, "agrees");
  assert.deepEqual(rows.map(({ tool, site_id, arguments: what }) => [tool, site_id, what]), [[
    "site.probe",
    "acme",
    {
      with: [],
      found: {
        "broken/books": { problem: "E_MISSING_SECRET" },
        "buggy/books": { refused: 1 },
        "whole/books": { agrees: 1 },
      },
    },
  ]]);
});

Deno.test("what costs is left out until its connector is named, and no other name is taken", async () => {
  const dear = shelf("dear", read, { costs: "one of ten" });
  const held = { at: "dear.example" };
  const out = await probed([dear], { held });
  assert.deepEqual([out.first.state, out.first.costs, out.sent], ["left_out", "one of ten", []]);
  const asked = await probed([dear], { held, costly: ["dear"] });
  assert.deepEqual([asked.first.state, asked.first.costs, asked.sent.length], ["asked", null, 1]);
  await assert.rejects(
    probed([dear], { held, costly: ["deer"] }),
    /with: no connector "deer" .*did you mean dear/,
  );
});

Deno.test("what is not linked is not asked; an empty answer, a kept one and one that is no JSON are told apart", async () => {
  const none = await probed([shelf("book", read)], { held: { book_id: null, at: "book.example" } });
  assert.deepEqual([none.first.state, none.sent], ["not_linked", []]);
  const kept = await probed([
    shelf("book", (_, see) => see("a book", BOOK, () => Promise.resolve(1)).then(() => {})),
  ]);
  assert.deepEqual([kept.first.reads[0]!.state, sentencesOf(kept.first.reads[0]!)], ["not_compared", [
    "Not compared: no answer came that is JSON, or one from before was taken",
  ]]);
  const held = { at: "book.example" };
  const html = await probed([shelf("book", read)], { held, answer: () => new Response("<p>Ann</p>") });
  assert.deepEqual([html.first.reads[0]!.state, html.report.agrees], ["not_compared", true]);
});

Deno.test("an answer whose names and types agree and which the client cannot use is said with the client's words", async () => {
  const refusing: ProbeSpec["run"] = async (ctx, see) => {
    await see("a book", BOOK, async () => {
      await ctx.send({ method: "GET", url: "https://book.example/b", effect: "read" });
      throw new GatewayError("E_UPSTREAM", "It is another shelf's book", { upstream: 502 });
    });
  };
  const { first, report } = await probed([shelf("book", refusing)]);
  assert.equal(first.reads[0]!.state, "unreadable");
  assert.deepEqual(sentencesOf(first.reads[0]!), [
    "The client cannot use the answer (E_UPSTREAM): It is another shelf's book",
    "Not in this answer, and read where they are: pages",
  ]);
  assert.deepEqual(report.file.upstreams[0]!.reads[0]!.refused, { code: "E_UPSTREAM", status: 502 });
});

Deno.test("a probe that could never be asked is refused at boot", () => {
  const refused = (probes: Record<string, ProbeSpec>, says: RegExp) =>
    assert.throws(
      () => new Connectors([{ ...shelf("book", read), probes }]),
      (error) => error instanceof RegistryError && says.test(error.message),
    );
  refused({ books: { what: "books", field: "title", run: read } }, /the probe "books" names "title"/);
  refused({ books: { what: "books", run: read } }, /names no field, and the connector has no kinds/);
});
