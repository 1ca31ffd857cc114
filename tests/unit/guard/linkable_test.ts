/** What a site could be linked to: each kind by itself, bounded, and with a line that no vendor's text can turn into another one. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import { text } from "../../../core/fields.ts";
import { type AuditRow, LIMITS } from "../../../core/model.ts";
import { FactCaches } from "../../../guard/fact_caches.ts";
import { OPERATOR } from "../../../guard/audit/admin_row.ts";
import { listLinkable } from "../../../guard/linkable.ts";
import type { ReviewPorts } from "../../../guard/probe.ts";
import { connector } from "../../../platforms/_connector/connector.ts";
import type { Linkable, LinkableKind } from "../../../platforms/_connector/operator.ts";
import { createHttp } from "../../../platforms/_http/http.ts";
import { Connectors } from "../../../registry/connectors.ts";
import { RegistryError } from "../../../registry/files.ts";
import { site } from "../platforms/_site.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z");
const any = { schema: text("an id", /^[^\n]{1,60}$/) };

/** A connector with one kind of things, which needs nothing to be listed. */
const shelf = (name: string, list: LinkableKind["list"], more: Partial<LinkableKind> = {}) =>
  connector({
    name,
    product: "Shelves",
    scope: "site",
    siteFields: { [`${name}_id`]: any, [`${name}_room`]: { ...any, option: `${name}-in` } },
    origins: () => [`https://${name}.example`],
    policy: (out, { listing }) => out.url.endsWith("/all") && listing ? null : "it is no list",
    connect: () => null,
    linkable: { [name]: { what: `${name} shelves`, field: `${name}_id`, list, ...more } },
  });

async function* pages(...all: (readonly Linkable[])[]) {
  for (const page of all) yield await Promise.resolve(page);
}
const named = (id: string, more: Partial<Linkable> = {}): Linkable => ({ id, name: `Shelf ${id}`, ...more });

/** Lists what those connectors have, for a site that holds these fields. */
async function listed(
  all: readonly ReturnType<typeof shelf>[],
  { held = {}, closed = {} }: { held?: object; closed?: Record<string, string> } = {},
) {
  const rows: AuditRow[] = [];
  const sent: string[] = [];
  const reports: unknown[] = [];
  const ports = {
    connectors: new Connectors([...all]),
    store: {},
    http: createHttp({
      allowPrivate: [],
      now: () => NOW,
      lookup: () => Promise.resolve(["93.184.215.14"]),
      fetch: (input: string | URL | Request) => {
        sent.push(input instanceof Request ? input.url : String(input));
        return Promise.resolve(Response.json([]));
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
  const order = { site: { ...site({}), ...held }, by: OPERATOR, closed: new Map(Object.entries(closed)) };
  const report = await listLinkable(ports, order);
  return { report, kinds: report.kinds, first: report.kinds[0]!, rows, sent, reports };
}

Deno.test("each thing has its id, name, field and ready line, and the linked one says so", async () => {
  const all = [named("a/1"), named("a/2", { within: "Cellar", note: "empty" })];
  const kind = { same: (id: string) => id.replace("a/", "") };
  const { first, rows } = await listed([shelf("book", () => pages(all), kind)], { held: { book_id: "1" } });
  assert.deepEqual([first.kind, first.what, first.field, first.linked_to], [
    "book",
    "book shelves",
    "book_id",
    "1",
  ]);
  assert.deepEqual(first.entries.map(({ id, linked, within, note }) => [id, linked, within, note]), [
    ["a/1", true, null, null],
    ["a/2", false, "Cellar", "empty"],
  ]);
  assert.deepEqual(first.entries[1]!.set, { book_id: "a/2" });
  assert.equal(first.entries[1]!.command, "deno task admin site update acme --book-id a/2");
  assert.deepEqual([first.complete, first.problem, first.notes], [true, null, []]);
  assert.deepEqual(
    rows.map(({ door, tool, site_id, status, arguments: what }) => [
      door,
      tool,
      site_id,
      status,
      what,
    ]),
    [["admin", "site.linkable", "acme", "ok", { shown: { book: 2 }, problems: {} }]],
  );
  assert.doesNotMatch(JSON.stringify(rows), /a\/1|Shelf/, "the audit names none of them");
});

Deno.test("a line sets what goes with an id, unsets only what is set, and is quoted for a shell", async () => {
  const evil = "https://x.example/'; rm -rf ~ #$(id)`";
  const all = [
    named("1", { also: { book_room: "7" } }),
    named("2", { also: { book_room: null } }),
    named(evil),
  ];
  const shelves = shelf("book", () => pages(all));
  const lines = async (held: object) =>
    (await listed([shelves], { held })).first.entries.map(({ command }) => command.split("update acme ")[1]);
  const quoted = `--book-id 'https://x.example/'\\''; rm -rf ~ #$(id)\`'`;
  assert.deepEqual(await lines({}), ["--book-id 1 --book-in 7", "--book-id 2", quoted]);
  assert.equal((await lines({ book_room: "7" }))[1], "--book-id 2 --unset book-in");
  const echoed = await new Deno.Command("sh", { args: ["-c", `printf '%s|' ${quoted}`] }).output();
  assert.equal(new TextDecoder().decode(echoed.stdout), `--book-id|${evil}|`);
});

Deno.test("what fails says so by itself: before it began, in the middle, by a fault of ours", async () => {
  async function* half() {
    yield await Promise.resolve([named("1")]);
    throw new GatewayError("E_UPSTREAM", "The shelf broke; try again");
  }
  const { kinds, rows, reports } = await listed([
    shelf("broken", half),
    shelf("whole", () => pages([named("1")], [named("2")])),
    shelf("never", () => {
      throw new GatewayError("E_NOT_SUPPORTED", "Nobody lists these; set the id");
    }),
    shelf("buggy", () => {
      throw new TypeError("secret of the inside");
    }),
  ]);
  assert.deepEqual(
    kinds.map(({ kind, entries, complete, problem }) => [
      kind,
      entries.length,
      complete,
      problem?.code ?? null,
    ]),
    [
      ["broken", 1, false, "E_UPSTREAM"],
      ["buggy", 0, false, "E_INTERNAL"],
      ["never", 0, false, "E_NOT_SUPPORTED"],
      ["whole", 2, true, null],
    ],
  );
  assert.doesNotMatch(JSON.stringify(kinds), /secret of the inside/);
  assert.deepEqual(reports.map((one) => (one as Error).message), ["secret of the inside"]);
  assert.deepEqual(rows[0]!.arguments, {
    shown: { broken: 1, whole: 2, never: 0, buggy: 0 },
    problems: { broken: "E_UPSTREAM", never: "E_NOT_SUPPORTED", buggy: "E_INTERNAL" },
  });
});

Deno.test("a list ends: at so many things, at so many pages, and each thing is there once", async () => {
  const many = Array.from({ length: LIMITS.LINKABLE_MAX + 1 }, (_, at) => named(String(at)));
  let asked = 0;
  async function* endless() {
    for (;; asked++) yield await Promise.resolve([named("1"), named("1")]);
  }
  const { kinds } = await listed([
    shelf("exact", () => pages(many.slice(1))),
    shelf("over", () => pages(many)),
    shelf("endless", endless),
  ]);
  assert.deepEqual(kinds.map(({ entries, complete }) => [entries.length, complete]), [
    [1, false],
    [LIMITS.LINKABLE_MAX, true],
    [LIMITS.LINKABLE_MAX, false],
  ]);
  assert.equal(asked, LIMITS.LINKABLE_PAGES_MAX);
  assert.match(kinds[2]!.notes[0]!, /^There are more over shelves than are listed .* set over_id to its id$/);
});

Deno.test("what the field does not take is left out, and said", async () => {
  const { first } = await listed([shelf("book", () => pages([named("1"), named("a\nb")]))]);
  assert.deepEqual(first.entries.map(({ id }) => id), ["1"]);
  assert.deepEqual(first.notes, ['book_id does not take every id there is: 1 left out, such as "a\\nb"']);
  assert.equal(first.complete, false);
});

Deno.test("an account that is not for whoever asks is not asked", async () => {
  const asking: LinkableKind["list"] = async function* (ctx) {
    await ctx.send({ method: "GET", url: "https://book.example/all", effect: "read" });
    yield [named("1")];
  };
  const closed = { book: "It is the account of somebody else" };
  const none = await listed([shelf("book", asking)], { closed });
  assert.deepEqual([none.first.entries, none.first.problem, none.sent], [
    [],
    { code: "E_FORBIDDEN", message: closed.book },
    [],
  ]);
  const open = await listed([shelf("book", asking)]);
  assert.deepEqual([open.first.problem, open.sent], [null, ["https://book.example/all"]]);
});

Deno.test("a kind whose field holds no id of it is refused at boot", () => {
  const faulty = { ...shelf("book", () => pages()) };
  const refused = (field: string, says: RegExp) =>
    assert.throws(
      () =>
        new Connectors([{
          ...faulty,
          siteFields: { many: { schema: any.schema.array(), initial: [] } },
          linkable: { book: { what: "books", field, list: () => pages() } },
        }]),
      (error) => error instanceof RegistryError && says.test(error.message),
    );
  refused("title", /the linkable kind "book" names "title", which is no site field of it/);
  refused("many", /the linkable kind "book" names "many", which holds more than an id/);
});
