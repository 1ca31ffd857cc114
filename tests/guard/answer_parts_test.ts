/** Parts of an answer through both doors: by paths, as a summary, and never longer over MCP than an agent can hold. */
import assert from "node:assert/strict";
import { CUT_MARK } from "../../core/answer_parts.ts";
import { Content } from "../../core/content.ts";
import { LIMITS } from "../../core/model.ts";
import { ChangingSource, offer } from "../changing_source.ts";
import { gateway, site } from "../kit.ts";
import { scenes } from "../scenes.ts";

const SITES = Array.from({ length: 150 }, (_, at) => site(`site-${String(at).padStart(3, "0")}`, "cms"));
const ROWS = Array.from({ length: 900 }, (_, id) => ({ id, what: `number ${id}`, more: "m" }));
const found = (args: unknown) => ({ args, total: ROWS.length, rows: ROWS });
/** Together longer than 200 KB, each for itself too long for one answer. */
const TEXTS = ["a", "b", "c"].map((word) =>
  Array.from({ length: 12_000 }, (_, at) => `${word}${at} `).join("")
);
const IMAGE = { type: "image", data: "A".repeat(40_000), mimeType: "image/png" };
const OPTIONS = {
  sites: SITES,
  sources: [
    new ChangingSource(
      offer("shop-find", ["site-001"], { run: found }),
      offer("shop-fields", ["site-001"], {
        run: found,
        input_schema: { type: "object", properties: { fields: { type: "string" } } },
      }),
      offer("shop-texts", ["site-001"], { run: () => ({ items: TEXTS.map((text) => ({ text })) }) }),
      offer("shop-text", ["site-001"], { run: () => Content.of(TEXTS.join("")) }),
      offer("shop-image", ["site-001"], { run: () => new Content([IMAGE]) }),
    ),
  ],
} as const;
const test = scenes(() => gateway(OPTIONS));

interface Listed {
  readonly sites: { readonly id: string }[];
  readonly shortened?: readonly { readonly at: string; readonly shown: number; readonly of: number }[];
  readonly read_on?: string;
}

interface Texts extends Pick<Listed, "shortened" | "read_on"> {
  readonly items: readonly { readonly text: string }[];
}

test("a read answers the parts that are asked for", async (gw) => {
  for (const door of ["rest", "mcp"] as const) {
    const ids = await gw.call<Listed>("list_sites", { fields: "sites.id" }, { door });
    assert.deepEqual(ids, { sites: SITES.map(({ id }) => ({ id })) });
    const few = await gw.call<Listed>("list_sites", { fields: ["sites[2..3].id"] }, { door });
    assert.deepEqual(few, { sites: [{ id: "site-002" }, { id: "site-003" }] });
    const begun = await gw.call<Listed>("list_sites", { summary: true, fields: "sites.id" }, { door });
    assert.deepEqual(begun.shortened, [{ at: "sites", shown: 3, of: 150 }]);
    assert.deepEqual(begun.sites.length, 3);
  }
  const [row] = await gw.audit();
  assert.deepEqual(row?.arguments, { summary: true, fields: "sites.id" });
});

test("where nothing that is asked for can be in an answer it is refused with what was meant, before anything is sent", async (gw) => {
  const there = "sites has id, name, platform, base_url, project_id, integrations";
  const rows: readonly (readonly [unknown, string])[] = [
    ["sites.titel", `"sites.titel" is no part of the answer; ${there}`],
    [["sites[2..3].nam", "sites.foo"], `did you mean "sites.name"; ${there}; nor is "sites.foo"`],
    [["foo", "sites.nmae"], 'it has sites; nor is "sites.nmae", did you mean "sites.name"'],
  ];
  for (const [fields, said] of rows) {
    const refused = await gw.refuses("list_sites", { fields }, "E_BAD_INPUT", /^fields: ".*" is no part/);
    assert.ok(refused.includes(said), refused);
  }
  const call = { tool: "list_sites", fields: "sites.titel" };
  await gw.refuses("call_read_tool", call, "E_BAD_INPUT", /"sites.titel" is no part of the answer/);
  assert.deepEqual(gw.requests, []);
});

test("a name that means a part of the answer is answered by that, and said; what it does not have is named beside the rest", async (gw) => {
  const id = "site-002";
  const rows: readonly (readonly [unknown, unknown, unknown])[] = [
    ["sites[2].id", { id }, undefined],
    ["items[2].id", { id }, [{ asked: "items[2].id", answered: "sites[2].id" }]],
    ["sites[2].ID", { id }, [{ asked: "sites[2].ID", answered: "sites[2].id" }]],
    ["sites[2].baseUrl", { base_url: SITES[2]!.base_url }, [
      { asked: "sites[2].baseUrl", answered: "sites[2].base_url" },
    ]],
    ["sites[2].id.first", { id }, [{ asked: "sites[2].id.first", answered: "sites[2].id" }]],
    ["sites[2].id, sites.nam", { id }, [{ asked: "sites.nam", instead: ["sites.name"] }]],
    ["sites[2].id, sites[2].foo", { id }, [{ asked: "sites[2].foo" }]],
  ];
  for (const door of ["rest", "mcp"] as const) {
    for (const [fields, first, said] of rows) {
      const { sites, fields_not_found, fields_there } = await gw.call<
        Listed & { fields_not_found?: unknown; fields_there?: unknown }
      >("list_sites", { fields }, { door });
      assert.deepEqual(sites, [first]);
      assert.deepEqual(fields_not_found, said);
      const isUntold = JSON.stringify(said ?? []).includes("foo");
      assert.equal(JSON.stringify(fields_there ?? []).includes("sites.base_url"), isUntold);
    }
    const whole = await gw.call<Listed>("list_sites", { fields: "id" }, { door });
    assert.equal(whole.sites.length, SITES.length);
  }
});

test("of data whose names nobody knows beforehand the answer says which it does not have, and what is meant", async (gw) => {
  const at = { site_id: "site-001", text: "a" };
  const there = ["rows.id", "rows.what", "rows.more"];
  const rows: readonly (readonly [string, unknown])[] = [
    ["total, rows.titel", {
      fields_not_found: [{ asked: "rows.titel" }],
      fields_there: there,
      total: 900,
    }],
    ["rows.titel", { fields_not_found: [{ asked: "rows.titel" }], fields_there: there }],
    ["count, items[3].post_id", {
      fields_not_found: [
        { asked: "count", answered: "total" },
        { asked: "items[3].post_id", answered: "rows[3].id" },
      ],
      total: 900,
      rows: [{ id: 3 }],
    }],
  ];
  for (const door of ["rest", "mcp"] as const) {
    for (const [fields, part] of rows) {
      assert.deepEqual(await gw.call("shop-find", { ...at, fields }, { door }), part);
    }
  }
});

test("over MCP a long answer is shortened and read on to its end; over REST it is whole", async (gw) => {
  const whole = await gw.call<Listed>("list_sites", {});
  assert.deepEqual(Object.keys(whole), ["sites"]);
  assert.ok(JSON.stringify(whole).length > LIMITS.ANSWER_CHARACTERS);
  const seen: unknown[] = [];
  let fields: string | undefined;
  while (seen.length < 150) {
    const args = fields === undefined ? {} : { fields };
    const part = await gw.call<Listed>("list_sites", args, { door: "mcp" });
    assert.ok(JSON.stringify(part).length <= LIMITS.ANSWER_CHARACTERS);
    assert.ok(part.sites.length > 0);
    seen.push(...part.sites);
    fields = part.read_on?.split('"')[1];
    assert.equal(Object.keys(part)[0] === "shortened", fields !== undefined);
    assert.deepEqual(
      part.shortened?.map(({ shown, of }) => [shown, of]) ?? [],
      fields ? [[seen.length, 150]] : [],
    );
  }
  assert.deepEqual(seen, whole.sites);
});

test("a site's own tool that reads takes them as well, but for one that has such an argument itself", async (gw) => {
  const at = { site_id: "site-001", text: "a" };
  for (const door of ["rest", "mcp"] as const) {
    const part = await gw.call("shop-find", { ...at, fields: "total, rows[1].id" }, { door });
    assert.deepEqual(part, { total: 900, rows: [{ id: 1 }] });
    const { args } = await gw.call<{ args: unknown }>("shop-fields", {
      ...at,
      fields: "total",
      summary: true,
    }, { door });
    assert.deepEqual(args, { text: "a", fields: "total" });
  }
  assert.deepEqual(await gw.call("shop-image", at), [IMAGE]);
  const rpc = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "shop-find", arguments: at } };
  const answer = await gw.http("/mcp", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(rpc),
  });
  const { content } = (await answer.json()).result;
  const { rows, shortened } = JSON.parse(content[0].text);
  assert.ok(content.length === 1 && content[0].text.length <= LIMITS.ANSWER_CHARACTERS);
  assert.deepEqual(rows, ROWS.slice(0, rows.length));
  assert.deepEqual(shortened, [{ at: "rows", shown: rows.length, of: 900 }]);
});

test("long texts within a list are read on to the end of each, in the place where each stands in the whole", async (gw) => {
  const at = { site_id: "site-001", text: "a" };
  for (const [item, whole] of TEXTS.entries()) {
    let read = "";
    let place: string | undefined = `items[${item}].text`;
    while (place !== undefined) {
      const fields: string = place;
      const part: Texts = await gw.call("shop-texts", { ...at, fields }, { door: "mcp" });
      assert.ok(JSON.stringify(part).length <= LIMITS.ANSWER_CHARACTERS);
      const [begun = ""] = part.items[0]!.text.split(CUT_MARK);
      read += begun;
      const [left] = part.shortened ?? [];
      if (left) assert.deepEqual(left, { at: `items[${item}].text`, shown: read.length, of: whole.length });
      place = part.read_on?.split('"')[1];
    }
    assert.equal(read, whole);
  }
  const begun: Texts = await gw.call("shop-texts", at, { door: "mcp" });
  assert.match(begun.read_on!, /such as "items\[0\]\.text\[\d+\.\.\]", then "items\[1\.\.\]";/);
});

test("a long text of a site's own tool is read on to its end, and each part fills what an answer may have", async (gw) => {
  const whole = TEXTS.join("");
  let [read, calls, fields] = ["", 0, {}];
  do {
    const args = { site_id: "site-001", text: "a", ...fields };
    const text = await gw.call<string>("shop-text", args, { door: "mcp" });
    const [begun, mark] = text.split(CUT_MARK);
    read += begun;
    calls++;
    fields = mark === undefined ? {} : { fields: mark.split('"')[1] };
  } while ("fields" in fields);
  assert.equal(read, whole);
  assert.equal(calls, Math.ceil(whole.length / (LIMITS.ANSWER_CHARACTERS - 1700)));
});

test("what names no part is refused, and a write takes neither", async (gw) => {
  await gw.refuses(
    "list_sites",
    { fields: "sites[x]" },
    "E_BAD_INPUT",
    /fields: "sites\[x\]" is none; expected names/,
  );
  await gw.refuses("list_sites", { fields: [] }, "E_BAD_INPUT", /fields: expected/);
  await gw.refuses("list_sites", { fields: 7 }, "E_BAD_INPUT", /fields: expected/);
  await gw.refuses("list_sites", { summary: "true" }, "E_BAD_INPUT", /summary: expected true or false/);
  const write = { site_id: "site-001", title: "T", content_html: "<p>a</p>" };
  await gw.refuses("create_draft", { ...write, fields: "id" }, "E_BAD_INPUT", /fields: unknown argument/);
  assert.deepEqual(gw.requests, []);
});

test("paths without end are refused before anything is looked into, however they are written", async (gw) => {
  const endless = [`sites.${"a.".repeat(400_000)}z`, `sites[${".".repeat(800_000)}`, "a.".repeat(40) + "z"];
  for (const path of endless) {
    await gw.refuses("list_sites", { fields: [path] }, "E_BAD_INPUT", /fields: .* is none; expected names/);
    await gw.refuses("list_sites", { fields: path }, "E_BAD_INPUT", /fields: .* is none; expected names/);
  }
});

test("the beginning of a text that an answer cut is stored by no write", async (gw) => {
  const content_html = `<p>Begin</p>${CUT_MARK}300 of 9000 characters]`;
  const write = { site_id: "site-001", title: "T", content_html };
  await gw.refuses("create_draft", write, "E_BAD_INPUT", /content_html: holds .* beginning of a longer text/);
  assert.deepEqual(gw.requests, []);
});

test("search mode's stand-in takes them beside the arguments", async (gw) => {
  const found = await gw.call("call_read_tool", { tool: "list_sites", fields: "sites[0].id" }, {
    door: "mcp",
  });
  assert.deepEqual(found, { sites: [{ id: "site-000" }] });
});
