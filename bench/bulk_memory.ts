/** What memory large bulk writes take that come at once, in a gateway of a process of its own that was used before. */
import { startGitHub } from "../sandbox/github/start.ts";
import { inFolder, startGateway } from "./gateway.ts";
import type { Line } from "./table.ts";

const AT_ONCE = 4;
const FILES = 25;
const FILE_BYTES = 1024 * 1024;
/** Bulk writes that the process has carried out before. */
const USED = 2;

/** The rows, in about a minute; needs git. */
export async function bulkMemoryRows(): Promise<Line[]> {
  await using host = await startGitHub();
  const ids = Array.from({ length: AT_ONCE }, (_, n) => `site-${n}`);
  for (const id of ids) await host.make(`acme/${id}`, { files: { "public/page.html": "<p>x</p>\n" } });
  return await inFolder(async (folder) => {
    const sites = ids.map((id) => ({
      ...{ id, name: id, platform: "static", base_url: `https://${id}.example` },
      ...{ repo: `acme/${id}`, repo_branch: "main", flags: { allow_full_repo_write: true } },
    }));
    await using gateway = await startGateway(folder, sites, {
      ALLOW_PRIVATE_UPSTREAMS: "127.0.0.1",
      REPO_API_BASE: host.base_url,
      REPO_APP_ID: String(host.app.id),
      REPO_APP_PRIVATE_KEY: host.app.private_key,
    });
    let serial = 0;
    const write = async (site_id: string) => {
      const of = ++serial;
      const files = Array.from({ length: FILES }, (_, at) => ({
        path: `public/${of}/${at}.bin`,
        content: noise(of * FILES + at).toBase64(),
        encoding: "base64",
      }));
      await gateway.call("bulk_write_static_files", { site_id, files });
    };
    const idle = await gateway.memoryMib();
    for (let n = 0; n < USED; n++) await write(ids[n % AT_ONCE]!);
    const used = await gateway.memoryMib();
    const extra = await gateway.extraMib(() => Promise.all(ids.map(write)));
    return [{
      name: `${AT_ONCE} bulk writes of ${FILES} MiB at once, memory at its worst`,
      figure: `${Math.round(used + extra)} MiB`,
      beside: `${Math.round(used)} MiB before, after ${USED} such writes; ${Math.round(idle)} MiB idle`,
      aim: "under 450 MiB",
    }];
  });
}

/** Bytes that are no text, another file for each seed. */
function noise(seed: number): Uint8Array {
  const bytes = new Uint8Array(FILE_BYTES);
  for (let n = 0; n < bytes.length; n++) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[n] = seed >>> 24;
  }
  return bytes;
}
