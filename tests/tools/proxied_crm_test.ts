/** The CRM's hosted tools: argument names, the location, writes behind their flag, posts that stay drafts or scheduled. */
import assert from "node:assert/strict";
import { DOORS } from "../cms_kit.ts";
import { NOW } from "../kit.ts";
import { HOSTED } from "./_proxied_tools.ts";
import { type Args, fails, says, world } from "./_proxied.ts";

const at60 = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();

Deno.test("arguments are taken with and without prefix, and the location is filled in", async () => {
  await using at = await world();
  for (const door of DOORS) {
    for (const name of ["contactId", "path_contactId"]) {
      await at.gw.call("contacts_get-contact", { site_id: "crm", [name]: "c1" }, { door });
      assert.deepEqual(at.servers.reached.at(-1)?.args, { path_contactId: "c1", query_locationId: "loc1" });
    }
  }
  await at.gw.call("locations_get-location", { site_id: "crm", locationId: "loc1" });
  await at.gw.call("locations_get-location", {
    site_id: "crm",
    LocationID: "loc1",
    altId: "loc1",
    altType: "location",
  });
  assert.deepEqual(at.servers.reached.at(-1)?.args, { path_locationId: "loc1" });
  await at.gw.call("payments_list-transactions", { site_id: "crm", limit: 5, altType: "location" });
  const paid = { query_limit: 5, query_altId: "loc1", query_altType: "location" };
  assert.deepEqual(at.servers.reached.at(-1)?.args, paid);
});

Deno.test("another location is refused wherever it is named, and nothing is sent", async () => {
  await using at = await world();
  for (
    const more of [
      { locationId: "loc2" },
      { query_locationId: "loc2" },
      { location_id: "loc2" },
      { path_locationId: 7 },
      { altId: "loc2", altType: "location" },
      { query_altId: "loc2" },
      { altType: "company" },
      { filters: [{ a: { locationId: "loc2" } }] },
      { filters: { locationId: ["loc2"] } },
      { filters: { location_id: { eq: "loc2" } } },
      { filters: [{ altId: "loc2", altType: "location" }] },
      ...[
        "LocationID",
        "locationid",
        "location-id",
        "body_body_locationId",
      ]
        .flatMap((name) => [{ [name]: "loc2" }, { filters: [{ [name]: "loc2" }] }]),
      ...[
        { alt_id: "loc2", Alt_Type: "location" },
        { Alt_Type: "company" },
        { "query[locationId]": "loc2" },
        {
          subAccountId: "loc2",
        },
      ],
      ...[{ locationIds: ["loc1", "loc2"] }, { location_ids: "loc2" }],
    ]
  ) {
    const said = await at.gw.refuses(
      "contacts_get-contact",
      { site_id: "crm", contactId: "c1", ...more },
      "E_BAD_INPUT",
    );
    assert.match(said, /another location than the site's/);
  }
  assert.deepEqual(at.servers.reached, []);
});

Deno.test("an id that would be the address of something else is refused, and nothing is sent", async () => {
  await using at = await world();
  const wrong = [
    "../opportunities/o1",
    "..",
    ".",
    "",
    "c1/tags",
    "c1?locationId=x",
    "c1#",
    "c1%2Ftags",
    "c1\\tags",
    "c1\n",
  ];
  for (const id of [...wrong, null, true, ["c1"], { id: "c1" }]) {
    for (const name of ["contactId", "path_contactId"]) {
      const said = await at.gw.refuses("contacts_get-contact", { site_id: "crm", [name]: id }, "E_BAD_INPUT");
      assert.match(said, new RegExp(`^${name}: `));
      await at.gw.refuses("contacts_add-tags", { site_id: "crm", [name]: id, tags: ["a"] }, "E_BAD_INPUT");
    }
  }
  assert.equal(at.servers.reached.length, 0);
  for (const id of ["c-1_A.b~", "Ünïcode", 12]) {
    await at.gw.call("contacts_get-contact", { site_id: "crm", contactId: id });
    assert.equal(at.servers.reached.at(-1)?.args.path_contactId, id);
  }
});

Deno.test("a name that means two arguments, or one that is given twice, is refused", async () => {
  await using at = await world();
  const tool = "opportunities_update-opportunity";
  assert.match(
    await at.gw.refuses(tool, { site_id: "crm", id: "o1" }, "E_BAD_INPUT"),
    /id: give path_id or body_id/,
  );
  const twice = { site_id: "crm", path_id: "o1", status: "won", body_status: "lost" };
  assert.match(await at.gw.refuses(tool, twice, "E_BAD_INPUT"), /given twice/);
  assert.deepEqual(at.servers.reached, []);
  await at.gw.call(tool, { site_id: "crm", path_id: "o1", status: "won" });
  assert.deepEqual(at.servers.writes[0]?.args, { path_id: "o1", body_status: "won" });
});

Deno.test("an answer of another location is an error, and none of it is shown", async () => {
  await using at = await world();
  const call = { site_id: "crm", contactId: "c1" };
  const foreign = { contact: { id: "c1", name: "Secret", locationId: "loc2" } };
  for (
    const answer of [
      says({ success: true, data: foreign }),
      says({}, { structuredContent: foreign }),
      fails(JSON.stringify({ error: foreign })),
    ]
  ) {
    at.servers.answers.set("contacts_get-contact", () => answer);
    const said = await at.gw.refuses("contacts_get-contact", call, "E_UPSTREAM");
    assert.match(said, /another location/);
    assert.ok(!said.includes("Secret") && !said.includes("loc2"));
  }
  at.servers.answers.set(
    "contacts_get-contact",
    () => says({ contact: { id: "c1", locationId: "loc1", others: { locationId: "typed by a visitor" } } }),
  );
  await at.gw.call("contacts_get-contact", call);
});

Deno.test("a write needs allow_crm_write, and a ceiling of 2", async () => {
  await using at = await world();
  const tags = { contactId: "c1", tags: ["vip"] };
  await at.gw.refuses("contacts_add-tags", { site_id: "closed", ...tags }, "E_CRM_WRITE_NOT_ALLOWED");
  await at.gw.refuses("contacts_add-tags", { site_id: "crm", ...tags }, "E_SCOPE_DENIED", { as: "low" });
  assert.deepEqual(at.servers.reached, []);
  await at.gw.call("contacts_get-contact", { site_id: "closed", contactId: "c1" }, { as: "low" });
  await at.gw.call("contacts_add-tags", { site_id: "crm", ...tags }, { as: "two" });
  assert.deepEqual(at.servers.writes.map(({ args }) => args), [{ path_contactId: "c1", body_tags: ["vip"] }]);
});

Deno.test("a record is read back and compared with what was sent", async () => {
  await using at = await world();
  const record = (tags: string[]) => () => says({ success: true, data: { contact: { id: "c1", tags } } });
  for (
    const [tool, sent, stored, verified] of [
      ["contacts_add-tags", ["VIP"], ["vip", "old"], true],
      ["contacts_add-tags", ["vip"], ["old"], false],
      ["contacts_remove-tags", ["vip"], ["old"], true],
      ["contacts_remove-tags", ["vip"], ["vip"], false],
    ] as const
  ) {
    at.servers.answers.set("contacts_get-contact", record([...stored]));
    const { proof } = await at.gw.proven(tool, { site_id: "crm", contactId: "c1", tags: sent });
    assert.deepEqual([tool, proof.verified], [tool, verified]);
  }
  const [row] = await at.gw.audit();
  assert.equal(row?.result_id, "c1");
  at.servers.answers.set("contacts_get-contact", () => fails("no"));
  const unread = await at.gw.proven("contacts_add-tags", { site_id: "crm", contactId: "c1", tags: ["x"] });
  assert.equal(unread.proof.verified, null);
});

Deno.test("a record is compared by what it means, and what is stored in another shape is not compared", async () => {
  await using at = await world();
  const names = ["contactId", "phone", "dateOfBirth", "firstName", "customFields"].map((name) =>
    name === "contactId" ? `path_${name}` : `body_${name}`
  );
  at.source.offer("contacts_update-contact", ["crm"], { writes: true, effect: "record" }, HOSTED, names);
  const stored = {
    id: "c1",
    phone: "+41791234567",
    dateOfBirth: "1990-05-01T00:00:00.000Z",
    firstName: "Ann",
    customFields: [{ id: "f1", value: "x" }],
  };
  at.servers.answers.set("contacts_get-contact", () => says({ success: true, data: { contact: stored } }));
  for (
    const [sent, verified] of [
      [{ phone: "079 123 45 68" }, false],
      [{ phone: "079 123 45 67" }, true],
      [{ phone: "+41 79 123 45 67" }, true],
      [{ dateOfBirth: "1990-05-01T00:00:00Z" }, true],
      [{ dateOfBirth: "1990-05-02T00:00:00Z" }, false],
      [{ firstName: "Ann", customFields: [{ id: "f1", field_value: "x" }] }, null],
      [{ firstName: "Eve", customFields: [{ id: "f1", field_value: "x" }] }, false],
      [{ customFields: [{ id: "f1", field_value: "x" }] }, null],
    ] as const
  ) {
    const { proof } = await at.gw.proven("contacts_update-contact", {
      site_id: "crm",
      contactId: "c1",
      ...sent,
    });
    assert.deepEqual([sent, proof.verified], [sent, verified]);
  }
});

Deno.test("posts of blogs and social networks are drafts, or scheduled a minute ahead, whatever the flag", async () => {
  await using at = await world();
  const kinds = [
    ["blogs_create-blog-post", "publishedAt", "DRAFT", "SCHEDULED"],
    ["social-media-posting_create-post", "scheduleDate", "draft", "scheduled"],
  ] as const;
  for (const [tool, moment, draft, scheduled] of kinds) {
    const refused: Args[] = [
      {},
      { status: "published" },
      { status: "PUBLISHED" },
      { status: scheduled },
      { status: scheduled, [moment]: at60(59) },
      { status: scheduled, [moment]: at60(-60) },
      { status: "archived" },
      { body_status: "published" },
      { status: null },
      { status: { value: "published" } },
    ];
    for (const more of refused) await at.gw.refuses(tool, { site_id: "crm", ...more }, "E_FORBIDDEN_OP");
    const more = { site_id: "crm", status: draft, details: { status: "published" } };
    await at.gw.refuses(tool, more, "E_BAD_INPUT", /^details: unknown argument/);
    const prefixed = { site_id: "crm", status: "published", path_status: draft };
    await at.gw.refuses(tool, prefixed, "E_BAD_INPUT", /^status: is given twice/);
    const archived = await at.gw.refuses(tool, { site_id: "crm", status: "ARCHIVED" }, "E_FORBIDDEN_OP");
    assert.match(
      archived,
      /^status: "ARCHIVED" is neither a draft nor for later; send status "draft", or "scheduled"/,
    );
    assert.equal(at.servers.writes.length, 0);
    await at.gw.call(tool, { site_id: "crm", status: draft });
    await at.gw.call(tool, { site_id: "crm", body_status: scheduled, [moment]: at60(60) });
    assert.deepEqual(at.servers.writes.map(({ args }) => args.body_status), [draft, scheduled]);
    at.servers.reached.length = 0;
  }
});
