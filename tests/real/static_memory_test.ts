/** The largest bulk write there may be, through each door of a gateway in a process of its own: what memory it takes. */
import assert from "node:assert/strict";
import { LIMITS } from "../../core/model.ts";
import { startGitHub } from "../../sandbox/github/start.ts";
import { inFolder, type Running, start } from "../e2e/running.ts";
import { Clone } from "../tools/_clone.ts";

/** The tool's result, and the frame it comes in through the MCP door. */
interface Written {
  readonly branch: string;
  readonly files_written: number;
  readonly bytes: number;
}
interface Framed {
  readonly content: readonly { readonly text: string }[];
}

const MIB = 1024 * 1024;
/** What the process may hold at its worst, the runtime included; 801 MiB for bytes and 664 for text when it was written. */
const PEAK_BYTES_MAX = 1200 * MIB;
const REPO = "acme/site";

/** The most memory the process has held so far, as the system tells. */
async function peakOf({ pid }: Running): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

interface File {
  readonly path: string;
  readonly content: string;
  readonly encoding?: "base64";
}

/** Exactly as many files and bytes as one call may have, as bytes that are no text or as text. */
function largest(kind: "binary" | "text"): { files: File[]; bytesOf: (at: number) => Uint8Array } {
  const count = LIMITS.BULK_FILES_MAX;
  const size = Math.floor(LIMITS.BULK_BYTES / count);
  const rest = LIMITS.BULK_BYTES - size * count;
  const bytesOf = (at: number) => {
    const bytes = new Uint8Array(at === 0 ? size + rest : size);
    let seed = at + 1;
    for (let n = 0; n < bytes.length; n++) {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      bytes[n] = kind === "binary" ? seed >>> 24 : 97 + (seed >>> 24) % 26;
    }
    return bytes;
  };
  const files = Array.from({ length: count }, (_, at): File => {
    const path = `public/folder-${at % 10}/file-${at}.dat`;
    const bytes = bytesOf(at);
    if (kind === "text") return { path, content: new TextDecoder().decode(bytes) };
    return { path, content: bytes.toBase64(), encoding: "base64" };
  });
  return { files, bytesOf };
}

for (const [door, kind] of [["rest", "binary"], ["mcp", "text"]] as const) {
  Deno.test({
    name:
      `1000 files of ${kind} and 100 MB through ${door} are one commit, and the process stays within bounds`,
    ignore: Deno.build.os !== "linux",
    fn: () =>
      inFolder(async (folder) => {
        await using host = await startGitHub();
        await host.make(REPO);
        await using running = start(folder, {
          REPO_API_BASE: host.base_url,
          REPO_APP_ID: String(host.app.id),
          REPO_APP_PRIVATE_KEY: host.app.private_key,
        });
        const flags = { allow_full_repo_write: true };
        const linked = { repo: REPO, repo_branch: "main", flags };
        await running.admin(
          "POST",
          "/sites",
          { id: "acme", name: "Acme", platform: "static", base_url: "https://acme.example", ...linked },
        );
        const { token } = await running.token();
        await running.call(token, "list_static_files", { site_id: "acme" });
        const before = await peakOf(running);
        const { files, bytesOf } = largest(kind);
        const args = { site_id: "acme", files, confirm: true };
        const tool = "bulk_write_static_files";
        const path = door === "rest" ? `/api/v1/tools/${tool}` : "/mcp";
        const frame = {
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: tool, arguments: args },
        };
        const answer = await running.ask<Written & Framed>(
          "POST",
          path,
          token,
          door === "rest" ? args : frame,
        );
        const peak = await peakOf(running);
        const { result } = answer;
        const done: Written = door === "rest" ? result : JSON.parse(result.content[0]!.text);
        assert.deepEqual([answer.status, done.files_written, done.bytes], [
          200,
          1000,
          LIMITS.BULK_BYTES,
        ], JSON.stringify(answer).slice(0, 500));
        const told = [before, peak].map((bytes) => `${Math.round(bytes / MIB)} MiB`).join(" before, ");
        assert.ok(before < peak && peak < PEAK_BYTES_MAX, `${told} at the peak`);
        await using clone = await Clone.of(await host.path(REPO), done.branch);
        assert.equal((await clone.commit()).changes.length, 1000);
        assert.equal((await clone.git("rev-list", "--count", "HEAD")).trim(), "2");
        for (const at of [0, 499, 999]) {
          assert.deepEqual(await clone.bytes(files[at]!.path), bytesOf(at), files[at]!.path);
        }
      }),
  });
}
