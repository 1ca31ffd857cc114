/** Confirm tokens and keys on a bad day: arguments that look alike, clocks that jump, reads that fail, stores restored. */
import assert from "node:assert/strict";
import type { Store } from "../../store/store.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { type Ground, ground } from "./_ground.ts";
import { instead } from "../instead.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NEW = { site_id: "cms", title: "Once", content_html: "<p>x</p>" };

const tokenOf = async (at: Ground, tool: string, args: Args) =>
  (await at.gw.call<{ confirm_token: string }>(tool, args)).confirm_token;
const drafts = ({ cms }: Ground) => [...cms.posts.values()].filter(({ title }) => title === NEW.title).length;
const codeOf = (ending: object) => "code" in ending ? ending.code : "done";

/** The answer to a body as it is written. */
async function raw(at: Ground, tool: string, body: string): Promise<string> {
  const init = { method: "POST", headers: { "content-type": "application/json" }, body };
  const { ok, error } = await (await at.gw.http(`/api/v1/tools/${tool}`, init)).json();
  return ok ? "done" : `${error.code}: ${error.message}`;
}

Deno.test("the order of names and the form of numbers make no other call, an argument's default given makes none", async () => {
  await using at = await ground();
  const { id } = at.post();
  const shown = { site_id: "cms", post_id: id, title: "T", robots: { noindex: true, nofollow: false } };
  const confirm_token = await tokenOf(at, "set_seo_meta", shown);
  const turned =
    `{"robots":{"nofollow":false,"noindex":true},"title":"\\u0054","confirm":true,"post_id":${id}.0,` +
    `"site_id":"cms","confirm_token":"${confirm_token}"}`;
  assert.equal(await raw(at, "set_seo_meta", turned), "done");
  const term = { site_id: "cms", source: "/a", destination: "/b" };
  const call = {
    ...term,
    status: 301,
    confirm: true,
    confirm_token: await tokenOf(at, "set_seo_redirect", term),
  };
  assert.equal(await raw(at, "set_seo_redirect", JSON.stringify(call).replace("301", "3.01e2")), "done");
});

Deno.test("texts that only look alike are other texts, for what is sent is other bytes", async () => {
  await using at = await ground();
  const args = { ...NEW, content_html: "<p>caf\u00e9</p>" };
  const confirm_token = await tokenOf(at, "create_draft", args);
  const other = { ...args, content_html: args.content_html.normalize("NFD"), confirm: true, confirm_token };
  const told = await at.gw.refuses("create_draft", other, "E_CONFIRM_INVALID");
  assert.match(told, /other arguments, which differ in content_html/);
  await at.gw.call("create_draft", { ...args, confirm: true, confirm_token });
  const made = [...at.cms.posts.values()].find(({ title }) => title === NEW.title);
  assert.equal(made?.content, args.content_html, "it is sent as it was given");
});

Deno.test("a look that fails the second time writes nothing and costs no token", async () => {
  await using at = await ground();
  for (const door of DOORS) {
    const { id } = at.post();
    const args = { site_id: "cms", post_id: id, title: "Mine" };
    const call = { ...args, confirm: true, confirm_token: await tokenOf(at, "update_draft", args) };
    const standing = await at.everything();
    const writes = at.writes();
    at.cms.inject({ kind: "html", status: 500 }, { method: "GET", times: 9 });
    const ending = await at.gw.end("update_draft", call, { door });
    assert.equal(codeOf(ending), "E_UPSTREAM");
    assert.equal(at.writes(), writes);
    assert.equal(await at.everything(), standing);
    at.cms.clearFaults();
    await at.gw.call("update_draft", call, { door });
  }
});

Deno.test("a token whose write was refused is good for its fifteen minutes, and no longer", async () => {
  for (const [after, code] of [[14 * MINUTE, "done"], [15 * MINUTE, "E_CONFIRM_INVALID"]] as const) {
    await using at = await ground();
    const call = { ...NEW, confirm: true, confirm_token: await tokenOf(at, "create_draft", NEW) };
    at.cms.inject({ kind: "answer", status: 400, body: { code: "no", message: "No" } }, { method: "POST" });
    assert.equal(codeOf(await at.gw.end("create_draft", call)), "E_UPSTREAM");
    at.gw.clock.now += after;
    assert.equal(codeOf(await at.gw.end("create_draft", call)), code);
    assert.equal(drafts(at), code === "done" ? 1 : 0);
  }
});

Deno.test("a clock that steps back between preview and confirm, or after, makes nothing twice", async () => {
  for (const back of [MINUTE, HOUR, 48 * HOUR]) {
    await using at = await ground();
    const call = { ...NEW, confirm: true, confirm_token: await tokenOf(at, "create_draft", NEW) };
    at.gw.clock.now -= back;
    const first = await at.gw.call<Args>("create_draft", call, { key: "k" });
    assert.deepEqual(await at.gw.call("create_draft", call), { ...first, replayed: true });
    at.gw.clock.now -= back;
    assert.deepEqual(await at.gw.call("create_draft", call, { door: "mcp" }), { ...first, replayed: true });
    const keyed = { ...NEW, confirm: true };
    assert.deepEqual(await at.gw.call("create_draft", keyed, { key: "k" }), { ...first, replayed: true });
    assert.equal(drafts(at), 1);
  }
});

/** A ground whose first write waits until it is let through. */
async function held() {
  const at = await ground();
  const arrived = Promise.withResolvers<void>();
  const through = Promise.withResolvers<void>();
  at.beforeWrite(async () => {
    arrived.resolve();
    await through.promise;
  });
  return { at, arrived: arrived.promise, letThrough: through.resolve };
}

Deno.test("a key while its first call is in flight: another call is refused, the same one waits for the answer", async () => {
  const { at, arrived, letThrough } = await held();
  await using _ = at;
  const call = { ...NEW, confirm: true };
  const first = at.gw.call<Args>("create_draft", call, { key: "k" });
  await arrived;
  for (const door of DOORS) {
    const other = await at.gw.end("create_draft", { ...call, title: "Other" }, { door, key: "k" });
    assert.equal(codeOf(other), "E_IDEMPOTENCY_KEY");
    assert.equal(
      codeOf(await at.gw.end("create_draft", { ...call, site_id: "twin" }, { door, key: "k" })),
      "E_IDEMPOTENCY_KEY",
    );
  }
  const own = await at.gw.call<Args>("create_draft", call, { key: "k", as: "other" });
  const same = DOORS.map((door) => at.gw.call<Args>("create_draft", call, { door, key: "k" }));
  letThrough();
  const answer = await first;
  assert.notEqual(own["id"], answer["id"], "each token has keys of its own");
  for (const one of await Promise.all(same)) assert.deepEqual(one, { ...answer, replayed: true });
  assert.equal(drafts(at), 2);
});

Deno.test("who waits longer than the first call may take is told of the doubt, and the answer once it is there", async () => {
  const { at, arrived, letThrough } = await held();
  await using _ = at;
  const call = { ...NEW, confirm: true };
  const first = at.gw.call<Args>("create_draft", call, { key: "k" });
  await arrived;
  const waiting = at.gw.end("create_draft", call, { key: "k" });
  at.gw.clock.now += MINUTE + 1000;
  const told = await waiting;
  assert.ok("code" in told && told.code === "E_OUTCOME_UNKNOWN" && told.status === 409, JSON.stringify(told));
  const [row] = (await at.gw.audit()).filter(({ status }) => status === "started");
  assert.ok(row && told.message.includes(`request id "${row.request_id}"`), told.message);
  letThrough();
  const answer = await first;
  assert.deepEqual(await at.gw.call("create_draft", call, { key: "k" }), { ...answer, replayed: true });
  assert.equal(drafts(at), 1);
});

/** A store with a method of its consents or its audit wrapped. */
function wrapping(part: "find" | "spend" | "append", after: () => void | Promise<void>) {
  return (real: Store): Store => {
    const around = <T extends object>(on: T): T => {
      const own: unknown = Reflect.get(on, part);
      if (typeof own !== "function") return on;
      const wrapped = async (...given: unknown[]) => {
        const done = await own.apply(on, given);
        await after();
        return done;
      };
      return instead(on, { [part]: wrapped } as Partial<T>);
    };
    return { ...real, consents: around(real.consents), audit: around(real.audit) };
  };
}

Deno.test("a call that was held up before it wrote leaves its key to the next one, and writes nothing itself", async () => {
  const arrived = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  let spent = 0;
  const store = wrapping("spend", async () => {
    if (++spent > 1) return;
    arrived.resolve();
    await go.promise;
  });
  await using at = await ground({ store });
  const call = { ...NEW, confirm: true };
  const first = at.gw.end("create_draft", call, { key: "k" });
  await arrived.promise;
  at.gw.clock.now += MINUTE + 1000;
  const second = await at.gw.call<Args>("create_draft", call, { key: "k" });
  go.resolve();
  assert.equal(codeOf(await first), "E_UPSTREAM");
  assert.equal(drafts(at), 1);
  assert.deepEqual(await at.gw.call("create_draft", call, { key: "k" }), { ...second, replayed: true });
  assert.equal(drafts(at), 1);
});

Deno.test("nothing is written by a call whose time ran out while its intent was kept", async () => {
  let at: Ground | null = null;
  let armed = false;
  const store = wrapping("append", () => {
    if (armed) at!.gw.clock.now += MINUTE + 1000;
    armed = false;
  });
  await using opened = at = await ground({ store });
  const call = { ...NEW, confirm: true, confirm_token: await tokenOf(at, "create_draft", NEW) };
  armed = true;
  const ending = await opened.gw.end("create_draft", call);
  assert.equal(codeOf(ending), "E_UPSTREAM");
  assert.equal(opened.writes(), 0);
  const [row] = await opened.gw.audit();
  assert.deepEqual([row?.status, row?.outcome], ["error", "none"]);
  assert.equal(
    codeOf(await opened.gw.end("create_draft", call)),
    "E_OUTCOME_UNKNOWN",
    "and nothing is later",
  );
  assert.equal(drafts(opened), 0);
});

Deno.test("a call that looks at what an equal one has just done is answered as that one was", async () => {
  let meanwhile: (() => Promise<unknown>) | null = null;
  const store = wrapping("find", async () => {
    const act = meanwhile;
    meanwhile = null;
    await act?.();
  });
  await using at = await ground({ store });
  for (const tool of ["update_draft", "publish_post"]) {
    for (const key of [undefined, tool]) {
      const { id } = at.post();
      const args = { site_id: "cms", post_id: id, ...tool === "update_draft" ? { title: "Mine" } : {} };
      const confirm_token = key === undefined ? await tokenOf(at, tool, args) : undefined;
      const call = { ...args, confirm: true, confirm_token };
      const writes = at.writes();
      let first: Args = {};
      meanwhile = async () => {
        first = await at.gw.call<Args>(tool, call, { key });
      };
      const second = await at.gw.call<Args>(tool, call, { door: "mcp", key });
      assert.deepEqual(second, { ...first, replayed: true });
      assert.equal(at.writes() - writes, 1);
    }
  }
});
