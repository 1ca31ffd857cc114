/** The stand-in of the CRM's hosted tool server: its wire, its 36 tools, and the world that it shares with the API. */
import assert from "node:assert/strict";
import { type CrmStandIn, startCrm } from "../../sandbox/highlevel/start.ts";
import { CRM_TOOLS, crmTools } from "../../sandbox/tool_servers/crm_schema.ts";
import { addHostedTools, type HostedTools } from "../../sandbox/tool_servers/hosted.ts";
import tools from "../../sandbox/tool_servers/crm_tools.gen.json" with { type: "json" };
import { Client2 as Client, Transport2 as StreamableHTTPClientTransport } from "../packages/mcp_clients.ts";

const SLICE = new URL("../fixtures/openapi/crm-openapi.slice.json", import.meta.url);
type Json = Record<string, unknown>;

class At implements AsyncDisposable {
  readonly crm: CrmStandIn = startCrm();
  readonly hosted: HostedTools = addHostedTools(this.crm);

  async [Symbol.asyncDispose](): Promise<void> {
    await this.crm.stop();
  }

  async send(body: unknown, more: Record<string, string> = {}, method = "POST") {
    const response = await fetch(this.hosted.url, {
      method,
      headers: {
        authorization: `Bearer ${this.crm.token}`,
        locationId: this.crm.location_id,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "user-agent": "test",
        ...more,
      },
      ...method === "POST" ? { body: typeof body === "string" ? body : JSON.stringify(body) } : {},
    });
    const text = await response.text();
    return { status: response.status, type: response.headers.get("content-type"), text };
  }

  /** One call, in no session. */
  async call(name: string, args: Json = {}, more: Record<string, string> = {}) {
    const { status, type, text } = await this.send(
      { jsonrpc: "2.0", id: 5, method: "tools/call", params: { name, arguments: args } },
      more,
    );
    assert.deepEqual([status, type], [200, "text/event-stream"]);
    const [, line] = /^event: message\ndata: (.*)\n\n$/.exec(text)!;
    const { id, result, error } = JSON.parse(line!);
    assert.equal(id, 5);
    return { isError: result?.isError, error, said: result && JSON.parse(result.content[0].text) };
  }
}

Deno.test("its tools are those of the vendor's own files, and nothing else", async () => {
  const files = JSON.parse(await Deno.readTextFile(SLICE));
  assert.equal(CRM_TOOLS.length, 36);
  assert.deepEqual(crmTools(files), tools);
});

Deno.test("the official client lists and calls without a session", async () => {
  await using at = new At();
  const client = new Client({ name: "test", version: "1" });
  const headers = { authorization: `Bearer ${at.crm.token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(at.hosted.url), { requestInit: { headers } }),
  );
  assert.equal((await client.listTools()).tools.length, 36);
  const { isError } = await client.callTool({
    name: "contacts_get-contact",
    arguments: { path_contactId: "contact-1" },
  });
  assert.equal(isError, false);
  await client.close();
});

Deno.test("methods, headers and tokens are judged as the vendor does", async () => {
  await using at = new At();
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  assert.equal((await at.send(list, { accept: "application/json" })).status, 406);
  assert.equal((await at.send(list, { "content-type": "text/plain" })).status, 415);
  assert.equal((await at.send(null, {}, "GET")).status, 405);
  assert.equal((await at.send(null, {}, "DELETE")).status, 404);
  assert.equal((await at.send({ jsonrpc: "2.0", method: "notifications/initialized" })).status, 202);
  const wrong = { authorization: "Bearer pit-wrong" };
  assert.match((await at.send(list, wrong)).text, /contacts_get-contact/);
  const { isError, said } = await at.call(
    "locations_get-location",
    { path_locationId: at.crm.location_id },
    wrong,
  );
  assert.deepEqual([isError, said.status], [true, 401]);
  assert.equal((await at.call("nothing_of-the-kind")).error.code, -32602);
  assert.deepEqual(at.hosted.ran, []);
});

Deno.test("a tag that is added is there for the API too, and one that is taken off is not", async () => {
  await using at = new At();
  const count = async (tag: string) => {
    const response = await fetch(`${at.crm.base_url}/contacts/search`, {
      method: "POST",
      headers: { authorization: `Bearer ${at.crm.token}`, version: "2021-07-28", "user-agent": "test" },
      body: JSON.stringify({
        locationId: at.crm.location_id,
        pageLimit: 1,
        filters: [{ field: "tags", operator: "eq", value: tag }],
      }),
    });
    return (await response.json()).total;
  };
  const args = { path_contactId: "contact-3", body_tags: ["fresh"] };
  const added = await at.call("contacts_add-tags", args);
  assert.deepEqual([added.said.success, added.said.status], [true, 200]);
  assert.ok(added.said.data.tags.includes("fresh"));
  assert.equal(await count("fresh"), 1);
  assert.ok(at.crm.state.world.tags.some(({ name }) => name === "fresh"));
  await at.call("contacts_remove-tags", args);
  assert.equal(await count("fresh"), 0);
});

Deno.test("contacts, messages, opportunities, posts and templates are made and found again", async () => {
  await using at = new At();
  const own = { body_locationId: at.crm.location_id };
  const data = async (name: string, args: Json) => (await at.call(name, args)).said.data;
  const made = await data("contacts_create-contact", {
    ...own,
    body_firstName: "Ada",
    body_email: "ada@mail.example",
  });
  const { id } = made.contact;
  const again = await at.call("contacts_create-contact", { ...own, body_email: "ada@mail.example" });
  assert.deepEqual([again.isError, again.said.status], [true, 400]);
  const upsert = await data("contacts_upsert-contact", {
    ...own,
    body_email: "ada@mail.example",
    body_city: "Aarhus",
  });
  assert.deepEqual([upsert.new, upsert.contact.id], [false, id]);
  const { contact } = await data("contacts_get-contact", { path_contactId: id });
  assert.equal(contact.city, "Aarhus");
  const message = {
    body_type: "SMS",
    body_subType: "x",
    body_contactId: id,
    body_status: "pending",
    body_message: "Hi",
  };
  const { conversationId } = await data("conversations_send-a-new-message", message);
  const { messages } = await data("conversations_get-messages", { path_conversationId: conversationId });
  assert.deepEqual(messages.messages.map(({ body }: Json) => body), ["Hi"]);
  await data("opportunities_update-opportunity", {
    path_id: "opp-1",
    body_status: "abandoned",
    body_name: "Renamed",
  });
  const { opportunity } = await data("opportunities_get-opportunity", { path_id: "opp-1" });
  assert.deepEqual([opportunity.name, opportunity.status], ["Renamed", "abandoned"]);
  const social = { path_locationId: at.crm.location_id, body_type: "post", body_userId: "u" };
  const post = await data("social-media-posting_create-post", { ...social, body_accountIds: ["account-0"] });
  assert.equal(post.results.post.status, "published", "neither a draft nor dated: it goes out at once");
  assert.equal(at.hosted.ran.length, 9);
});

Deno.test("every tool that reads answers, from the seeded location", async () => {
  await using at = new At();
  const [location, now] = [at.crm.location_id, Date.now()];
  const values: Json = {
    query_locationId: location,
    path_locationId: location,
    query_location_id: location,
    query_altId: location,
    query_altType: "location",
    query_calendarId: "cal-a",
    query_startTime: String(now - 30 * 86_400_000),
    query_endTime: String(now),
    query_limit: 10,
    query_offset: 0,
    query_skip: 0,
    query_blogId: "blog-0",
    query_urlSlug: "first-visit",
    path_contactId: "contact-0",
    path_appointmentId: "event-0",
    path_conversationId: at.crm.state.world.conversations[0]!.id,
    path_orderId: "order-0",
    body_profileIds: ["account-0"],
    body_skip: "0",
    body_limit: "10",
    body_fromDate: "2020-01-01",
    body_toDate: "2040-01-01",
    body_includeUsers: "false",
  };
  const ids: Json = { "opportunities_get-opportunity": "opp-0", "social-media-posting_get-post": "social-0" };
  const reads = tools.filter(({ name }) => !/_(create|update|upsert|edit|add|remove|send)-/.test(name));
  assert.equal(reads.length, 24);
  for (const { name, inputSchema } of reads) {
    const wanted = [...inputSchema.required ?? [], ...name.endsWith("-events") ? ["query_calendarId"] : []];
    const args = Object.fromEntries(wanted.map((key) => [key, key === "path_id" ? ids[name] : values[key]]));
    const { isError, said } = await at.call(name, args);
    assert.deepEqual([name, isError, said.message], [name, false, undefined]);
  }
});

Deno.test("another location, a missing argument and a missing permission are refused, and change nothing", async () => {
  await using at = new At();
  const before = JSON.stringify(at.crm.state.world.contacts);
  const args = { path_contactId: "contact-3", body_tags: ["x"] };
  const statuses = async (given: Json, more?: Record<string, string>) => {
    const { isError, said } = await at.call("contacts_add-tags", given, more);
    return [isError, said.status];
  };
  assert.deepEqual(await statuses(args, { locationId: "another" }), [true, 403]);
  assert.deepEqual(await statuses({ path_contactId: "contact-3" }), [true, 422]);
  assert.deepEqual(await statuses({ ...args, path_contactId: "nobody" }), [true, 404]);
  at.crm.state.lacking.add("contacts.write");
  assert.deepEqual(await statuses(args), [true, 401]);
  assert.equal(JSON.stringify(at.crm.state.world.contacts), before);
});

Deno.test("results may be wrapped twice, and go wrong in all the ways of a tool server", async () => {
  await using at = new At();
  const args = { path_contactId: "contact-3", body_tags: ["y"] };
  at.hosted.wrapped = 2;
  const { said } = await at.call("contacts_add-tags", args);
  assert.equal(JSON.parse(said.content[0].text).success, true);
  const request = {
    jsonrpc: "2.0",
    id: 5,
    method: "tools/call",
    params: { name: "contacts_add-tags", arguments: args },
  };
  const match = { path: "contacts_add-tags" };
  at.hosted.inject({ kind: "other_id" }, match);
  assert.match((await at.send(request)).text, /"id":"5-of-another"/);
  at.hosted.inject({ kind: "html_first" }, match);
  assert.match((await at.send(request)).text, /^<br \/>.*"isError":false/s);
  at.hosted.inject({ kind: "http", status: 503, applied: false }, match);
  assert.equal((await at.send(request)).status, 503);
  assert.equal(at.hosted.ran.length, 3, "the last was not run");
  at.hosted.alter = (list) => list.slice(0, 2);
  const { text } = await at.send({ ...request, method: "tools/list", params: {} });
  assert.equal(text.match(/inputSchema/g)?.length, 2);
});
