/** What the tests of copies and damage share: the files of a folder as they are, and a refusal in one sentence. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { runCommand } from "../../../admin/commands.ts";
import { openPlace } from "../../../store/engines.ts";
import { keyBytes } from "../../../store/key_bytes.ts";
import { toPortable } from "../../../store/portable.ts";
import { GatewayError } from "../../../core/errors.ts";
import { CONNECTORS } from "../../connectors.ts";
import { KEY } from "./kit.ts";

/** The files of a folder with what is in them. */
export async function filesOf(dir: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { name, isFile } of Deno.readDir(dir)) {
    found[name] = isFile ? hash("sha256", await Deno.readFile(`${dir}/${name}`)) : "folder";
  }
  return found;
}

/** Asserts that the work is refused in one sentence, which says that. */
export async function refused(work: () => Promise<unknown>, says: RegExp): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof GatewayError, String(error));
    assert.match(error.message, says);
    assert.ok(!error.message.includes("\n"));
    return true;
  });
}

/** All entries of a store as portable text. */
export async function entriesOf(path: string): Promise<string[]> {
  const kv = await openPlace(path);
  const found = (await Array.fromAsync(kv.list({ prefix: [] }))).map(({ key, value }) =>
    toPortable([key, value])
  );
  await kv.close();
  return found;
}

/** Such entries without the mark of the store, which says of a copy when it was put back. */
export const butMark = (entries: readonly string[]): string[] =>
  entries.filter((text) => !text.startsWith('[["store"],'));

/** Damages the value of an entry in the file of a store, as a disk would: no page of the file shows it. */
export function damageValue(path: string, key: Deno.KvKey): void {
  using database = new DatabaseSync(path);
  const { v } = database.prepare("SELECT v FROM kv WHERE k = ?").get(keyBytes(key))!;
  const bytes = Uint8Array.from(v as Uint8Array);
  for (const at of [0, 1, bytes.length >> 1]) bytes[at]! ^= 0xff;
  database.prepare("UPDATE kv SET v = ? WHERE k = ?").run(bytes, keyBytes(key));
}

/** What a command on a store prints, and how it ends, in an environment of its own; it asks no gateway. */
export async function runOnStore(
  env: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<{ readonly code: number; readonly said: string }> {
  let said = "";
  const code = await runCommand(args, {
    env: (name) => ({ ENCRYPTION_KEYS: KEY.toBase64(), ...env })[name],
    stdin: () => Promise.resolve(""),
    out: (text) => void (said += text),
    err: (text) => void (said += text),
    fetch: () => assert.fail("asks nobody"),
    read: (file) => Deno.readTextFile(file),
    kept: () => null,
    wait: () => Promise.resolve(false),
  }, CONNECTORS);
  return { code, said };
}
