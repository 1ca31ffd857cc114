/** A KV that hangs without failing, from each operation of a flow on: everybody is answered, nobody is misled, and all goes on after. */
import assert from "node:assert/strict";
import { oauth } from "../guard/oauth_kit.ts";
import { open as proxied, PAGES, shown } from "../guard/proxied_kit.ts";
import { HangingKv, runToEnd, Ticks } from "../hanging_kv.ts";
import { FakeToolServers, listed } from "../fake_tool_servers.ts";
import { type Ending, gateway, type Kit, type KitOptions, site } from "../kit.ts";
import { operator } from "../people/kit.ts";
import { type Ground, ground } from "../tools/_ground.ts";

/** Nobody waits longer for the answer: for what hangs first, and for what is tried after it. */
const WAIT_MS_MAX = 12_000;
const SENTENCE =
  /^(The gateway's store (does not answer at the moment; try again in some seconds|has not said in time whether it kept a change, which may hold all the same: look before you ask again)|The audit log cannot be written[ ,]|The change was made, but its audit row could not be completed; do not repeat it|The call failed and its audit row could not be completed)/;

interface Hung {
  readonly hanging: HangingKv;
  readonly ticks: Ticks;
}
interface Closing extends AsyncDisposable {
  readonly gw: Kit;
}
type Opened<At> = At & Hung & Closing;

/** Opens it on a KV that can hang. */
async function hung<At extends Closing>(
  open: (options: Pick<KitOptions, "storage">) => Promise<At>,
): Promise<Opened<At>> {
  const [hanging, ticks] = [new HangingKv(), new Ticks()];
  const at = await open({ storage: { clock: ticks, around: (kv) => hanging.around(kv) } });
  return Object.assign(at, { hanging, ticks });
}

/** A flow whose operations hang one after another: it, and all that come after. `act` is what hangs; `after` looks then. */
async function eachHangs<At extends Closing, Ready, Answer>(
  flow: {
    open(options: Pick<KitOptions, "storage">): Promise<At>;
    ready(at: Opened<At>): Promise<Ready>;
    act(at: Opened<At>, ready: Ready): Promise<Answer>;
    /** While it hangs, then once it answers again. */
    told(answer: Answer, at: Opened<At>): unknown;
    after(at: Opened<At>, ready: Ready, answer: Answer): Promise<unknown>;
  },
): Promise<number> {
  for (let nth = 0;; nth++) {
    await using at = await hung(flow.open);
    await using _answers = { [Symbol.asyncDispose]: () => at.hanging.answer() }; // so that a test that fails can end
    const ready = await flow.ready(at);
    await at.gw.store.audit.flush();
    await at.ticks.pass(10_000); // nothing is answered from a cache
    at.hanging.hang((_, n) => n >= nth);
    const { value, waited_ms } = await runToEnd(at.ticks, flow.act(at, ready));
    const all = at.hanging.begun <= nth;
    if (!all) {
      assert.ok(waited_ms <= WAIT_MS_MAX, `operation ${nth}: answered after ${waited_ms} ms`);
      flow.told(value, at);
      const again = await runToEnd(at.ticks, at.gw.http("/api/v1/whoami"));
      assert.equal(again.value.status, 500, "who comes next is answered too");
      await again.value.body?.cancel();
    }
    await at.hanging.answer();
    await flow.after(at, ready, value);
    await at.gw.store.audit.flush();
    assert.deepEqual(await at.gw.store.audit.doubts(), { unknown: 0, open: 0 }, "every row has its ending");
    assert.equal((await at.gw.store.audit.verify()).ok, true);
    if (all) return nth;
  }
}

const said = (answer: Ending) => {
  assert.ok("code" in answer, JSON.stringify(answer));
  assert.equal(answer.code, "E_INTERNAL", answer.message);
  assert.match(answer.message, SENTENCE);
};

const NEW = { site_id: "cms", title: "Once", content_html: "<p>x</p>" };
const drafts = ({ cms }: Ground) => [...cms.posts.values()].filter(({ title }) => title === NEW.title).length;

/** The ending of a read, also where the other door says in its own way that the store did not even know the caller. */
async function read(gw: Kit, door: "rest" | "mcp"): Promise<Ending> {
  const args = { site_id: "cms" };
  if (door === "rest") return await gw.end("list_drafts", args);
  const params = { name: "list_drafts", arguments: args };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const headers = { "content-type": "application/json" };
  const response = await gw.http("/mcp", { method: "POST", headers, body });
  const { result, error } = await response.json();
  if (result && !result.isError) return { value: result };
  const text: string = error?.message ?? result.content[0].text;
  const message = text.replace(/^E_INTERNAL: /, "");
  return { code: "E_INTERNAL", message, status: response.status };
}

for (const door of ["rest", "mcp"] as const) {
  Deno.test(`a read through ${door} on a store that hangs is answered, and answers again`, async () => {
    const count = await eachHangs({
      open: ground,
      ready: () => Promise.resolve(),
      act: ({ gw }) => read(gw, door),
      told: said,
      after: ({ gw }) => gw.call("list_drafts", { site_id: "cms" }, { door }),
    });
    assert.ok(count > 2, String(count));
  });
}

Deno.test("a preview on a store that hangs is answered, and is given afterwards", async () => {
  await eachHangs({
    open: ground,
    ready: () => Promise.resolve(),
    act: ({ gw }) => gw.end("create_draft", NEW),
    told: said,
    after: ({ gw }) => gw.call("create_draft", NEW),
  });
});

for (const by of ["token", "key"] as const) {
  Deno.test(`a write under a ${by} on a store that hangs is answered with what is known, and made once`, async () => {
    const count = await eachHangs({
      open: ground,
      ready: async ({ gw }) => {
        const { confirm_token } = await gw.call<{ confirm_token: string }>("create_draft", NEW);
        return { ...NEW, confirm: true, ...by === "token" ? { confirm_token } : {} };
      },
      act: ({ gw }, args) => gw.end("create_draft", args, by === "key" ? { key: "k" } : {}),
      told: (answer, at) => {
        said(answer);
        const made = /the change was made/i.test((answer as { message: string }).message);
        assert.equal(drafts(at), made ? 1 : 0, JSON.stringify(answer));
      },
      after: async (at, args, first) => {
        const made = drafts(at);
        const again = await at.gw.end("create_draft", args, by === "key" ? { key: "k" } : {});
        const code = "code" in again ? again.code : "made";
        if (made === 0) assert.equal(code, "made", `${JSON.stringify(first)} then ${JSON.stringify(again)}`);
        else assert.ok(["made", "E_OUTCOME_UNKNOWN"].includes(code), JSON.stringify(again));
        assert.equal(drafts(at), 1);
      },
    });
    assert.ok(count > 4, String(count));
  });
}

Deno.test("a repeat of a write on a store that hangs is answered, and repeats it afterwards", async () => {
  const args = { ...NEW, confirm: true };
  await eachHangs({
    open: ground,
    ready: ({ gw }) => gw.call<object>("create_draft", args, { key: "k" }),
    act: ({ gw }) => gw.end("create_draft", args, { key: "k" }),
    told: said,
    after: async (at, first) => {
      assert.deepEqual(await at.gw.call("create_draft", args, { key: "k" }), { ...first, replayed: true });
      assert.equal(drafts(at), 1);
    },
  });
});

/** A CRM site whose own tools add a tag and show the contact, and were listed. */
async function contacts(options: Pick<KitOptions, "storage">) {
  const fake = new FakeToolServers();
  const tags: string[] = [];
  const says = (value: unknown) => ({
    content: [{ type: "text", text: JSON.stringify(value) }],
    isError: false,
  });
  fake.answer = ({ name, args }) => {
    const given = (args as { body_tags?: string[] }).body_tags ?? [];
    if (name === "contacts_add-tags") tags.push(...given);
    return says({ contact: { id: "c1", locationId: "loc1", tags: [...tags] } });
  };
  const path = { path_contactId: { type: "string" } };
  const schema = (properties: object, required: string[]) => ({
    input_schema: { type: "object", properties, required },
  });
  fake.put("crm", "hosted", [
    listed(
      "contacts_add-tags",
      schema({ ...path, body_tags: { type: "array", items: { type: "string" } } }, [
        "path_contactId",
        "body_tags",
      ]),
    ),
    listed("contacts_get-contact", schema(path, ["path_contactId"])),
  ]);
  const crm = site("crm", "crm", {
    crm_location_id: "loc1",
    credentials: { crm: { integration_token: "pit-1" } },
    flags: { allow_crm_write: true },
  } as never);
  const gw = await gateway({ ...options, sites: [crm], toolServers: fake.connector() });
  await gw.gateway.toolCatalogs.run();
  return { gw, fake, tags, [Symbol.asyncDispose]: () => gw[Symbol.asyncDispose]() };
}

Deno.test("a write of a site's own tool on a store that hangs is answered with what is known, and made once", async () => {
  const args = { site_id: "crm", contactId: "c1", tags: ["new"] };
  const count = await eachHangs({
    open: contacts,
    ready: ({ gw }) => gw.call("contacts_get-contact", { site_id: "crm", contactId: "c1" }),
    act: ({ gw }) => gw.end("contacts_add-tags", args, { key: "k" }),
    told: (answer, { tags }) => {
      said(answer);
      const made = /the change was made/i.test((answer as { message: string }).message);
      assert.equal(tags.length, made ? 1 : 0, JSON.stringify(answer));
    },
    after: async ({ gw, tags }, _, first) => {
      const made = tags.length;
      const again = await gw.end("contacts_add-tags", args, { key: "k" });
      const code = "code" in again ? again.code : "made";
      if (made === 0) assert.equal(code, "made", `${JSON.stringify(first)} then ${JSON.stringify(again)}`);
      else assert.ok(["made", "E_OUTCOME_UNKNOWN"].includes(code), JSON.stringify(again));
      assert.deepEqual(tags, ["new"]);
    },
  });
  assert.ok(count > 4, String(count));
});

Deno.test("a token that is made while the store hangs is said to be there, or it is not", async () => {
  const ask = { name: "late", env: "dev", allowed_sites: ["*"], allowed_tools: ["*"], max_risk: 0 };
  await eachHangs({
    open: ground,
    ready: () => Promise.resolve(),
    act: ({ gw }) => operator(gw, "POST", "tokens", ask),
    told: ({ status, error }) => {
      assert.equal(status, 500);
      assert.match(String(error?.message), SENTENCE);
    },
    after: async ({ gw }, _, { error }) => {
      const { result } = await operator(gw, "GET", "tokens");
      const made = JSON.stringify(result).split('"late"').length - 1;
      if (made === 1 && error) assert.match(error.message, /may (hold|be done) all the same/);
      const { status } = await operator(gw, "POST", "tokens", ask);
      assert.ok(status < 300, String(status));
    },
  });
});

Deno.test("a client that asks for tokens while the store hangs is answered, and keeps its grant where it refreshes", async () => {
  const failed = ({ status, body }: { status: number; body: Record<string, string> }) => {
    assert.equal(status, 500);
    assert.equal(body.error, "server_error");
    // What would quote a request id cannot stand there.
    assert.match(
      String(body.error_description),
      /^(The gateway's store |Something failed inside the gateway; )/,
    );
  };
  await eachHangs({
    open: oauth,
    ready: async (at) => {
      const { client_id } = (await at.register()).body;
      return { client_id, code: await at.code(client_id) };
    },
    act: (at, { client_id, code }) => at.exchange(client_id, code),
    told: failed,
    after: async (at) => assert.ok((await at.connect()).access_token),
  });
  await eachHangs({
    open: oauth,
    ready: (at) => at.connect(),
    act: (at, { client_id, refresh_token }) => at.refresh(client_id, refresh_token),
    told: (answer, at) => {
      failed(answer);
      assert.match(String(answer.body.error_description), SENTENCE);
      at.gw.clock.now += 10 * 60_000; // it hangs for long
    },
    after: async (at, { client_id, refresh_token }, { status }) => {
      if (status === 200) return;
      const { status: then, body } = await at.refresh(client_id, refresh_token);
      assert.equal(then, 200, JSON.stringify(body));
      assert.equal((await at.with(body.access_token, "/api/v1/whoami")).status, 200);
    },
  });
});

Deno.test("a run over the tool servers ends while the store hangs, and the next one lists", async () => {
  await eachHangs({
    open: (options) => proxied({ acme: [PAGES] }, options),
    ready: ({ gw }) => {
      gw.clock.now += 3_600_000;
      return Promise.resolve();
    },
    act: ({ gw }) => gw.gateway.toolCatalogs.run(),
    told: () => {},
    after: async ({ gw }) => {
      gw.clock.now += 3_600_000;
      await gw.gateway.toolCatalogs.run();
      const kept = await gw.store.toolCatalogs.list();
      const now = new Date(gw.clock.now).toISOString();
      assert.deepEqual(new Set(kept.map(({ tried_at }) => tried_at)), new Set([now]));
      assert.equal((await shown(gw)).size, 1);
    },
  });
});
