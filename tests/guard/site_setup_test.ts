/** The storage folder of a site: made by the operator's order, once, linked and audited; nothing is sent where it cannot be. */
import assert from "node:assert/strict";
import { runCommand } from "../../admin/commands.ts";
import { FOLDER } from "../../sandbox/google/start.ts";
import { CONNECTORS } from "../connectors.ts";
import { MASTER } from "../kit.ts";
import { GoogleWorld, test } from "../tools/_google.ts";

async function order(at: GoogleWorld, site: string, what = "storage_folder", body: object = {}) {
  const response = await at.gw.http(`/admin/api/sites/${site}/setup/${what}`, {
    method: "POST",
    headers: { authorization: `Bearer ${MASTER}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, ...await response.json() };
}

test("the folder is made for the site, linked, and used at once", async (at) => {
  const { result } = await order(at, "bound", "storage_folder", { name: "Acme: documents" });
  assert.deepEqual(
    [result.site_id, result.field, result.name],
    ["bound", "storage_folder_id", "Acme: documents"],
  );
  const folder = at.google.state.world.files.get(result.id)!;
  assert.deepEqual([folder.mimeType, folder.parents, folder.appProperties], [FOLDER, ["root"], {
    site_operations_site: "bound",
  }]);
  assert.equal((await at.gw.store.sites.get("bound"))!.storage_folder_id, result.id);
  const shown = await at.gw.call<{ id: string }>("storage_get_site_folder", { site_id: "bound" });
  assert.equal(shown.id, result.id);
  const rows = (await at.rows(9)).filter(({ door }) => door === "admin");
  assert.deepEqual(rows.map(({ tool, status, site_id }) => [tool, status, site_id]), [
    ["site.storage_folder", "ok", "bound"],
  ]);
});

test("a folder whose answer was lost is found again, not made twice", async (at) => {
  at.google.inject({ kind: "reset", applied: true }, { method: "POST" });
  const lost = await order(at, "bound");
  assert.deepEqual([lost.status, lost.error.code], [502, "E_UPSTREAM"]);
  assert.equal((await at.rows(1))[0]!.status, "error");
  const { result } = await order(at, "bound");
  assert.equal(result.name, "bound");
  assert.equal(at.google.writes.length, 1);
  const made = [...at.google.state.world.files.values()].filter(({ appProperties }) => appProperties);
  assert.deepEqual(made.map(({ id }) => id), [result.id]);
});

test("a site that is linked, or bound to nobody, and a word that orders nothing send nothing", async (at) => {
  const cases = [
    [
      "linked",
      "storage_folder",
      "E_BAD_INPUT",
      /^storage_folder_id: site "linked" is linked to "file_\w+" already/,
    ],
    ["bare", "storage_folder", "E_STORAGE_NOT_LINKED", /storage_user_id is not set/],
    [
      "bound",
      "storage_foldr",
      "E_NOT_FOUND",
      /^No connector makes "storage_foldr" for a site; there is storage_folder/,
    ],
    ["nowhere", "storage_folder", "E_NOT_FOUND", /^No site "nowhere"/],
  ] as const;
  for (const [site, what, code, says] of cases) {
    const { error } = await order(at, site, what);
    assert.equal(error.code, code);
    assert.match(error.message, says);
  }
  const wrong = await order(at, "bound", "storage_folder", { nam: "x" });
  assert.equal(wrong.error.code, "E_BAD_INPUT");
  assert.deepEqual(at.gw.requests, []);
});

test("the command line makes it and shows where it is; a second time it says what stands in the way", async (at) => {
  const run = async (...args: string[]) => {
    const printed = { out: "", err: "" };
    const code = await runCommand(args, {
      env: (name) => name === "MASTER_TOKEN" ? MASTER : undefined,
      stdin: () => Promise.resolve(""),
      out: (text) => void (printed.out += String(text)),
      err: (text) => void (printed.err += text),
      fetch(request) {
        const { pathname } = new URL(request.url);
        const { method, headers, body } = request;
        return at.gw.http(pathname, { method, headers, body });
      },
      read: () => Promise.reject(new Error("no file is read")),
      kept: () => null,
      wait: () => Promise.resolve(false),
    }, CONNECTORS);
    return { code, ...printed };
  };
  const made = await run("site", "storage-folder", "bound", "--name", "Acme: documents");
  assert.deepEqual([made.code, made.err], [0, ""]);
  const { storage_folder_id: id } = (await at.gw.store.sites.get("bound"))!;
  assert.match(made.out, /^name +Acme: documents$/m);
  assert.ok(made.out.includes(`https://drive.google.com/file/d/${id}/view`));
  const again = await run("site", "storage-folder", "bound");
  assert.equal(again.code, 1);
  assert.match(
    again.err,
    /storage_folder_id: site "bound" is linked to "\w+" already; unlink it first with .* --unset storage-folder-id$/m,
  );
  const help = await run("site", "storage-folder", "--help");
  assert.match(help.out, /Make the folder in Google Drive/);
});
