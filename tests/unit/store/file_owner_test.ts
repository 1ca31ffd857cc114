/** What a command that is typed as root leaves belongs to the account that its folder belongs to, so that the service can open it. */
import assert from "node:assert/strict";
import { backUpStore, compactStore, copyStore, initStore, restoreStore } from "../../../store/maintenance.ts";
import { folder, KEY, newToken, open, START } from "./kit.ts";

const SERVICE = 12_345;

Deno.test({
  name: "a store that root begins, puts back or compacts, and a copy, belong to whom the folder belongs to",
  // Only root may give a file away.
  ignore: Deno.uid() !== 0,
  async fn() {
    await using dir = await folder();
    await Deno.chown(dir.path, SERVICE, SERVICE);
    const path = `${dir.path}/store.sqlite3`;
    const store = { path, keys: [KEY], now: START, known: `${dir.path}/known` };
    const owners = (...files: string[]) => files.map((file) => Deno.statSync(file).uid);
    await initStore(store);
    assert.deepEqual(owners(path, store.known), [SERVICE, SERVICE]);
    const [remembered] = [...Deno.readDirSync(store.known)].map(({ name }) => `${store.known}/${name}`);
    assert.deepEqual(owners(remembered!), [SERVICE]);
    {
      await using made = await open({ path, known: store.known });
      await made.tokens.create(newToken({ name: "one" }));
    }
    const copies = `${dir.path}/copies`;
    await copyStore(store, `${copies}/copy.sqlite3`);
    await backUpStore(store, `${copies}/copy.ndjson`);
    assert.deepEqual(
      owners(copies, `${copies}/copy.sqlite3`, `${copies}/copy.ndjson`),
      Array(3).fill(SERVICE),
    );
    for (const [n, copy] of ["copy.sqlite3", "copy.ndjson"].entries()) {
      await restoreStore({ ...store, now: START + n * 1000 }, `${copies}/${copy}`);
      assert.deepEqual(owners(path), [SERVICE], copy);
    }
    await compactStore(store);
    assert.deepEqual(owners(path), [SERVICE]);
    const own = `${dir.path}/others`;
    await Deno.mkdir(own);
    await copyStore(store, `${own}/copy.sqlite3`);
    assert.deepEqual(owners(own, `${own}/copy.sqlite3`), [0, 0], "a folder that was there stays as it is");
  },
});
