/** A store that still answers although its file is damaged, gone or another: its ping says so. */
import assert from "node:assert/strict";
import { Database } from "../../../store/database.ts";
import { folder, open } from "./kit.ts";

Deno.test("a store whose file was found damaged stays unwell, whatever a probe of another place would say", async () => {
  for (const place of ["read", "commit"] as const) {
    let bad = false;
    const malformed = () => Promise.reject(new TypeError("database disk image is malformed"));
    const atomic = { set: () => atomic, commit: () => bad ? malformed() : Promise.resolve({ ok: true }) };
    const kv = {
      get: () => bad ? malformed() : Promise.resolve({ value: null }),
      atomic: () => atomic,
      close() {},
    };
    const clock = { elapsed: () => 0, every: () => () => {} };
    const db = new Database(kv as unknown as Deno.Kv, Date.now, () => 0, clock);
    await db.probe();
    bad = true;
    await assert.rejects(place === "read" ? db.kv.get(["tokens"]) : db.commit(db.kv.atomic()), /malformed/);
    bad = false;
    await assert.rejects(db.probe(), {
      code: "E_INTERNAL",
      message: /^The file of the store is damaged \(.*malformed\); stop the gateway and put back a copy/,
    });
  }
});

Deno.test("a file that is removed or replaced under a store that is open is told by its ping", async () => {
  await using dir = await folder();
  const path = `${dir.path}/gateway.sqlite3`;
  const aside = `${dir.path}/aside`;
  const store = await open({ path });
  await store.ping();
  await Deno.rename(path, aside);
  await assert.rejects(store.ping(), { code: "E_INTERNAL", message: /gateway\.sqlite3" was removed while / });
  await Deno.writeTextFile(path, "");
  await assert.rejects(store.ping(), {
    code: "E_INTERNAL",
    message: /" was replaced while .* put back a copy/,
  });
  await Deno.rename(aside, path);
  await store.ping();
  await store.close();
});
