/** Stores as earlier versions wrote them are started under this one: everything that bound a caller binds still. */
import assert from "node:assert/strict";
import { Passphrases } from "../../../identity/sign_in/passphrase.ts";
import { STORE_FORMAT, type StoreMark } from "../../../store/mark.ts";
import { asLines, kindsOf, lay, makeStore, OPENED_AT, SITE } from "../../fixtures/stores/stores.ts";
import { gateway } from "../../kit.ts";
import { folder } from "./kit.ts";

const STORES = new URL("../../fixtures/stores/", import.meta.url);
const linesOf = (format: number) => Deno.readTextFile(new URL(`format-${format}.ndjson`, STORES));

for (let format = 1; format <= STORE_FORMAT; format++) {
  Deno.test(`a store of format ${format} goes on: tokens, consent, keys used, credentials, people, the audit`, async () => {
    await using dir = await folder();
    const file = `${dir.path}/gateway.sqlite3`;
    const facts = await lay(await linesOf(format), file);
    await using kit = await gateway({ settings: { kvPath: file }, start: OPENED_AT });
    const ask = async (token: string, body: object, headers: Record<string, string> = {}) => {
      const response = await kit.http("/api/v1/tools/create_draft", {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
      return { status: response.status, ...await response.json() };
    };
    const confirmed = { ...facts.call, confirm: true };
    const replayed = await ask(facts.all, confirmed, { "idempotency-key": facts.key });
    assert.deepEqual(replayed.result, { ...facts.answer as object, replayed: true });
    assert.deepEqual(kit.requests, [], "the call that was made before is not made again");
    assert.equal((await ask(facts.revoked, confirmed)).error.code, "E_AUTH");
    const unseen = await ask(facts.previewing, confirmed);
    assert.ok(unseen.ok === false || unseen.result.needs_confirmation, "a preview is asked for still");
    assert.ok(kit.requests.every(({ method }) => method === "GET"), "and nothing is written");

    const { store } = kit;
    assert.equal((await store.sites.get("acme"))?.base_url, SITE);
    assert.ok(await store.sites.secret("acme", "cms"));
    const { passphrase } = await store.signIns.get(facts.user_id);
    assert.ok(await new Passphrases().isRight(facts.passphrase, passphrase));
    assert.equal((await store.accounts.get(facts.user_id, "google"))?.state, "ok");
    assert.deepEqual(await store.missingKeys(), []);
    const verdict = await store.audit.verify();
    assert.deepEqual(verdict.faults, []);
    assert.ok(verdict.rows >= 4);
  });
}

Deno.test("the newest fixture is of today's format, and has each kind of record that such a store has today", async () => {
  await using dir = await folder();
  const file = `${dir.path}/gateway.sqlite3`;
  const today = await asLines(file, await makeStore(file));
  assert.deepEqual(
    kindsOf(await linesOf(STORE_FORMAT)),
    kindsOf(today),
    "what is stored has changed: docs/UPGRADING.md says what to do",
  );
});

Deno.test("a rolling upgrade goes one way: from its first start on the store names the version that it needs, by format", async () => {
  await using dir = await folder();
  const file = `${dir.path}/gateway.sqlite3`;
  await lay(await linesOf(STORE_FORMAT - 1), file);
  await (await gateway({ settings: { kvPath: file }, start: OPENED_AT }))[Symbol.asyncDispose]();
  const kv = await Deno.openKv(file);
  const { value: mark } = await kv.get<StoreMark>(["store"]);
  assert.deepEqual([mark!.format, mark!.lowest], [6, { format: 6, version: "0.6.0" }]);
  // What a version does that knows no more than the format before is what this one does of a format that it does not know.
  await kv.set(["store"], { ...mark, format: 7, lowest: { format: 7, version: "0.7.0" } });
  await assert.rejects(gateway({ settings: { kvPath: file }, start: OPENED_AT }), {
    message: /was written by a newer version \(format 7\); version 0\.7\.0 or later opens it/,
  });
  await kv.set(["store"], mark);
  kv.close();
  await (await gateway({ settings: { kvPath: file }, start: OPENED_AT }))[Symbol.asyncDispose]();
});
