/** Who reads the log may hang: the gateway starts, answers, fails calls and ends all the same. */
import assert from "node:assert/strict";
import { environment, inFolder, MASTER } from "./running.ts";

/** Gives it a log that is full, for nobody reads it, and becomes the command. */
const UNREAD = 'mkfifo "$1" && exec 2<>"$1" && ' +
  'dd if=/dev/zero of="$1" oflag=nonblock bs=1024 count=4096 2>/dev/null; shift; exec "$@"';
const READY_MS = 30_000;

Deno.test("a reader of the log that hangs stops no start, no call and no end", async () => {
  await inFolder(async (folder) => {
    const deno = [
      Deno.execPath(),
      "run",
      "--quiet",
      "--frozen",
      "-A",
      "gateway/launch.ts",
      "serve",
      "main.ts",
    ];
    const child = new Deno.Command("/bin/sh", {
      args: ["-c", UNREAD, "sh", `${folder}/log`, ...deno],
      cwd: new URL("../../", import.meta.url),
      env: environment(folder),
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const late = setTimeout(() => child.kill("SIGKILL"), READY_MS);
    try {
      let text = "";
      for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
        text += piece;
        if (text.includes("\n")) break;
      }
      const address = /^The gateway answers at (\S+)$/m.exec(text)?.[1];
      assert.ok(address, `it made its store, said so, and went on: ${text}`);
      const response = await fetch(`${address}/admin/api/tokens`, {
        headers: { authorization: `Bearer ${MASTER}` },
      });
      assert.equal((await response.json()).ok, true);
      child.kill("SIGTERM");
      assert.equal((await child.status).code, 0);
    } finally {
      clearTimeout(late);
      await child.status;
    }
  });
});
