/** The storage folder: what is listed and read of it alone, and files saved once, compared, and in doubt looked for. */
import assert from "node:assert/strict";
import { FOLDER } from "../../sandbox/google/start.ts";
import { type Args, DOORS, type Preview } from "../cms_kit.ts";
import { parted } from "../proof.ts";
import { GoogleWorld, test } from "./_google.ts";

const LINKED = { site_id: "linked" };
const AUDIT = { ...LINKED, title: "Technical audit: Größe", content: '# Audit\n\nAll is "well" & näh.\n' };
const DOC = "application/vnd.google-apps.document";
const MIB = 1024 * 1024;
interface Listed {
  folder_id: string;
  files: { id: string; name: string; size: number | null; mime_type: string }[];
  next_page_token: string | null;
}

test("storage_get_site_folder answers the folder; one that is gone or hidden is not linked", async (at) => {
  const folder = at.google.state.world.files.get(at.folder)!;
  assert.deepEqual(await at.both("storage_get_site_folder", LINKED), {
    id: at.folder,
    name: "Client",
    web_view_link: `https://drive.google.com/file/d/${at.folder}/view`,
  });
  folder.trashed = true;
  const says = /"Client" is in the bin of Google Drive: restore it there, or .*site storage-folder linked$/;
  await at.refuses("storage_get_site_folder", LINKED, "E_STORAGE_NOT_LINKED", says, "reads");
  folder.trashed = false;
  folder.visible = false;
  const unseen = /shows no folder ".*" to the gateway, which sees only what it made itself/;
  for (const tool of ["storage_get_site_folder", "storage_list_site_files", "storage_get_baseline"]) {
    await at.refuses(tool, LINKED, "E_STORAGE_NOT_LINKED", unseen, "reads");
  }
  folder.visible = true;
  folder.mimeType = "text/plain";
  await at.refuses("storage_get_site_folder", LINKED, "E_STORAGE_NOT_LINKED", /is no folder/, "reads");
});

test("storage_list_site_files pages through 5000 files of the folder and no other, newest first", async (at) => {
  const from = Date.parse("2026-01-01T00:00:00Z");
  for (let n = 0; n < 5000; n++) {
    at.google.file(at.folder, `f${n}`, {
      modifiedTime: new Date(from + n * 60_000).toISOString(),
      text: "x",
    });
  }
  const other = at.google.folder({ name: "Another client" });
  for (let n = 0; n < 3; n++) at.google.file(other.id, `secret ${n}`);
  at.google.file(at.folder, "thrown away", { trashed: true });
  const names: string[] = [];
  let page_token: string | null | undefined;
  do {
    const page: Listed = await at.gw.call(
      "storage_list_site_files",
      { ...LINKED, page_size: 1000, ...page_token ? { page_token } : {} },
    );
    names.push(...page.files.map(({ name }) => name));
    page_token = page.next_page_token;
  } while (page_token);
  assert.deepEqual(names, Array.from({ length: 5000 }, (_, n) => `f${4999 - n}`));
  assert.equal(at.google.requests.length, 5);
  const first = await at.gw.call<Listed>("storage_list_site_files", LINKED);
  assert.deepEqual([first.files.length, first.folder_id, first.files[0]!.size], [100, at.folder, 1]);
  assert.ok(first.next_page_token);
});

test("the cursor of another folder's list answers nothing of that folder", async (at) => {
  const other = at.google.folder({ name: "Another client" });
  for (let n = 0; n < 3; n++) at.google.file(other.id, `secret ${n}`);
  await at.gw.store.sites.update("files", { storage_folder_id: other.id });
  const list = { site_id: "files", page_size: 1 };
  const { next_page_token: page_token } = await at.gw.call<Listed>("storage_list_site_files", list);
  const says = /^Google Drive answered for files of another folder, so its answer is not handed on$/;
  const call = { ...LINKED, page_token };
  const message = await at.refuses("storage_list_site_files", call, "E_UPSTREAM", says, "reads");
  assert.doesNotMatch(message, /secret/);
  const wrong = { ...LINKED, page_token: "no cursor" };
  const unknown = /^page_token: Google Drive does not know it any more; begin again without one$/;
  await at.refuses("storage_list_site_files", wrong, "E_BAD_INPUT", unknown, "reads");
});

test("storage_read_file answers text and exports documents, the first of the forms that works", async (at) => {
  const read = (file_id: string, more: Args = {}) =>
    at.both("storage_read_file", { ...LINKED, file_id, ...more });
  const text = at.google.file(at.folder, "a.md", { text: "Grüße" });
  assert.deepEqual(
    await read(text.id),
    { id: text.id, name: "a.md", mime_type: "text/markdown", content: "Grüße", truncated: false },
  );
  const doc = at.google.file(at.folder, "Doc", {
    mimeType: DOC,
    exports: { "text/markdown": "# D", "text/html": "<p>" },
  });
  assert.deepEqual((await read(doc.id))["content"], "# D");
  assert.deepEqual((await read(doc.id, { export_mime_type: "text/html" }))["mime_type"], "text/html");
  const old = at.google.file(at.folder, "Old", { mimeType: DOC, exports: { "text/plain": "plain" } });
  assert.deepEqual([(await read(old.id))["content"], (await read(old.id))["mime_type"]], [
    "plain",
    "text/plain",
  ]);
  const type = "application/vnd.google-apps.spreadsheet";
  const sheet = at.google.file(at.folder, "Sheet", { mimeType: type, exports: { "text/csv": "a,b" } });
  assert.deepEqual((await read(sheet.id))["content"], "a,b");
});

test("of a file of 20 MB the first MB is asked for and answered, cut between characters", async (at) => {
  const text = `x${"ü".repeat(10 * MIB)}`;
  const { id } = at.google.file(at.folder, "large.md", { text });
  const read = await at.gw.call<{ content: string; truncated: boolean }>("storage_read_file", {
    ...LINKED,
    file_id: id,
  });
  assert.deepEqual([read.truncated, read.content.length], [true, MIB / 2]);
  assert.equal(read.content, text.slice(0, MIB / 2));
  assert.equal(at.google.requests.at(-1)!.headers["range"], `bytes=0-${MIB - 1}`);
  const doc = at.google.file(at.folder, "Long", {
    mimeType: DOC,
    exports: { "text/markdown": "x".repeat(2 * MIB) },
  });
  const exported = await at.gw.call<typeof read>("storage_read_file", { ...LINKED, file_id: doc.id });
  assert.deepEqual([exported.truncated, exported.content.length], [true, MIB]);
  const huge = at.google.file(at.folder, "Huge", {
    mimeType: DOC,
    exports: { "text/markdown": "x".repeat(20 * MIB) },
  });
  const says =
    /^file_id: Google Drive exports no more than 10 MB of a document, and "Huge" is larger; split it$/;
  await at.refuses("storage_read_file", { ...LINKED, file_id: huge.id }, "E_FILE_TOO_LARGE", says, "reads");
});

test("a file of another folder, of nobody, in the bin or hidden is not found, alike", async (at) => {
  const other = at.google.folder({ name: "Another client" });
  const inner = at.google.file(at.folder, "Sub", { mimeType: FOLDER, content: null });
  const ids = [
    at.google.file(other.id, "secret").id,
    at.google.file("root", "loose").id,
    at.google.file(inner.id, "deeper").id,
    at.google.file(at.folder, "gone", { trashed: true }).id,
    at.google.file(at.folder, "hidden", { visible: false }).id,
    at.folder,
    "file_none",
  ];
  for (const file_id of ids) {
    const says = new RegExp(
      `^file_id: there is no file "${file_id}" in the site's folder; storage_list_site_files`,
    );
    await at.refuses("storage_read_file", { ...LINKED, file_id }, "E_NOT_FOUND", says, "reads");
    assert.ok(
      at.google.requests.slice(-2).every(({ query }) => query["alt"] === undefined),
      "no content is asked for",
    );
  }
});

test("what is no text is not supported, and an export that cannot be is refused", async (at) => {
  const image = at.google.file(at.folder, "a.png", { mimeType: "image/png" });
  const bytes = new Uint8Array([0xff, 0xfe, 0x41]);
  const broken = at.google.file(at.folder, "b.txt", { mimeType: "text/plain", content: bytes });
  const form = at.google.file(at.folder, "Form", { mimeType: "application/vnd.google-apps.form" });
  const folder = at.google.file(at.folder, "Sub", { mimeType: FOLDER, content: null });
  const cases = [[image, /"a\.png" is of the type image\/png/], [broken, /"b\.txt" is no text in UTF-8/], [
    form,
    /no text/,
  ], [folder, /is a folder/]] as const;
  for (const [{ id }, says] of cases) {
    await at.refuses("storage_read_file", { ...LINKED, file_id: id }, "E_NOT_SUPPORTED", says, "reads");
  }
  const text = at.google.file(at.folder, "a.md", { text: "x" });
  const doc = at.google.file(at.folder, "Doc", { mimeType: DOC, exports: {} });
  for (
    const [{ id }, wanted, says] of [
      [text, "text/plain", /^export_mime_type: "a\.md" is a file of the type text\/markdown.*leave it out$/],
      [
        doc,
        "text/csv",
        /^export_mime_type: "Doc" can be exported as text\/markdown, text\/plain, text\/html, not/,
      ],
    ] as const
  ) {
    const call = { ...LINKED, file_id: id, export_mime_type: wanted };
    await at.refuses("storage_read_file", call, "E_BAD_INPUT", says, "reads");
  }
});

test("storage_get_baseline answers the newest baseline.md, and says how to save one where there is none", async (at) => {
  const says = /^The site's folder has no "baseline\.md"; storage_save_audit saves one, with that filename$/;
  await at.refuses("storage_get_baseline", LINKED, "E_NOT_FOUND", says, "reads");
  at.google.file(at.folder, "baseline.md", { text: "old", modifiedTime: "2026-01-01T00:00:00.000Z" });
  const { id } = at.google.file(at.folder, "baseline.md", {
    text: "new",
    modifiedTime: "2026-02-01T00:00:00.000Z",
  });
  const elsewhere = at.google.folder().id;
  at.google.file(elsewhere, "baseline.md", { text: "another's" });
  assert.deepEqual(
    await at.both("storage_get_baseline", LINKED),
    { found: true, id, content: "new", modified_time: "2026-02-01T00:00:00.000Z" },
  );
});

for (const door of DOORS) {
  test(`through ${door} an audit is saved once, compared by its checksum, and can be read`, async (at) => {
    const preview = await at.gw.call<Preview>("storage_save_audit", AUDIT, { door });
    assert.deepEqual([preview.needs_confirmation, preview.tier, at.google.writes.length], [true, 2, 0]);
    assert.equal(
      preview.summary,
      'Save "Technical audit: Größe" as "2026-11-21-technical-audit-große.md" in the folder "Client" of linked',
    );
    assert.match(preview.revision ?? "", /^rev_/);
    const call = { ...AUDIT, confirm: true, confirm_token: preview.confirm_token };
    const { done, proof } = parted<Args>(await at.gw.call("storage_save_audit", call, { door }));
    assert.deepEqual([proof.verified, proof.warnings], [true, []]);
    assert.deepEqual(Object.keys(done), ["id", "web_view_link", "created_time", "name"]);
    assert.equal(at.google.writes.length, 1);
    const [row] = await at.rows(1);
    assert.deepEqual([row!.status, row!.result_id, row!.outcome], ["ok", done["id"], "made"]);
    assert.deepEqual(row!.made, [{ what: "file", id: done["id"], name: done["name"] }]);
    const file = { ...LINKED, file_id: done["id"] };
    assert.equal((await at.gw.call<Args>("storage_read_file", file))["content"], AUDIT.content);
    const again = parted<Args>(await at.gw.call("storage_save_audit", call, { door }));
    assert.equal(again.done["id"], done["id"], "the same call is answered, not carried out again");
    assert.equal(at.google.writes.length, 1);
  });

  test(`through ${door} fifty equal calls under one token and one key save one file each`, async (at) => {
    const { confirm_token } = await at.gw.call<Preview>("storage_save_audit", AUDIT, { door });
    const call = { ...AUDIT, confirm: true, confirm_token };
    const many = <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: 50 }, work));
    await many(() => at.gw.call("storage_save_audit", call, { door }));
    assert.equal(at.google.writes.length, 1);
    await many(() => at.gw.call("storage_save_audit", { ...AUDIT, confirm: true }, { door, key: "once" }));
    assert.equal(at.google.writes.length, 2);
  });
}

test("a file of that name, or another folder, between preview and confirm makes the preview stale", async (at) => {
  const call = { ...AUDIT, filename: "baseline.md" };
  const confirm = async (change: () => unknown, says: RegExp) => {
    const { confirm_token } = await at.gw.call<Preview>("storage_save_audit", call);
    await change();
    const stale = { ...call, confirm: true, confirm_token };
    await at.gw.refuses("storage_save_audit", stale, "E_STALE_PREVIEW", says);
  };
  await confirm(() => at.google.file(at.folder, "baseline.md", { text: "a person's" }), /filename/);
  await confirm(
    () => Object.assign(at.google.state.world.files.get(at.folder)!, { name: "Renamed" }),
    /folder/,
  );
  const preview = await at.gw.call<Preview>("storage_save_audit", call);
  at.google.file(at.folder, "beside.md");
  const fine = { ...call, confirm: true, confirm_token: preview.confirm_token };
  assert.deepEqual(preview.warnings, [
    'The folder has a file named "baseline.md" already; it stays as it is, and the new one is added beside it',
  ]);
  await at.gw.call("storage_save_audit", fine);
  assert.equal(at.google.writes.length, 1);
});

test("a lost answer leaves doubt and says where to look, a refusal none; nothing is sent twice", async (at) => {
  const faults = [
    { kind: "reset", applied: true },
    { kind: "html", status: 502 },
    { kind: "malformed", applied: true },
    { kind: "answer", body: { kind: "drive#file" }, applied: true },
  ] as const;
  for (const fault of faults) {
    at.google.inject(fault, { method: "POST" });
    const before = at.google.writes.length;
    const ending = await at.gw.end("storage_save_audit", { ...AUDIT, confirm: true });
    assert.ok("code" in ending, fault.kind);
    assert.equal(ending.code, "E_UPSTREAM");
    assert.match(ending.message, /the outcome is unknown: look at the site with "storage_list_site_files"/);
    assert.equal(at.google.writes.length, before + 1, "it is sent once");
    assert.equal((await at.rows(1))[0]!.outcome, "unknown");
  }
  at.google.inject({
    kind: "refused",
    status: 403,
    message: "The storage quota is exceeded",
    reason: "storageQuotaExceeded",
  }, { method: "POST" });
  const ending = await at.gw.end("storage_save_audit", { ...AUDIT, confirm: true });
  assert.ok(
    "code" in ending && /storageQuotaExceeded: The storage quota is exceeded/.test(ending.excerpt ?? ""),
  );
  assert.equal((await at.rows(1))[0]!.outcome, "none");
});

test("an upload whose token is refused is sent again with a new one, and keeps one file", async (at) => {
  at.google.grant("ya29.renewed");
  at.google.inject({ kind: "refused", status: 401, word: "UNAUTHENTICATED" }, { path: /^\/upload\// });
  const body = { access_token: "ya29.renewed", expires_in: 3600, token_type: "Bearer" };
  at.google.inject({ kind: "answer", body }, { path: "/token" });
  const { proof } = parted<Args>(await at.gw.call("storage_save_audit", { ...AUDIT, confirm: true }));
  assert.equal(proof.verified, true);
  assert.equal((await at.rows(1))[0]!.outcome, "made");
  const page = await at.gw.call<Listed>("storage_list_site_files", LINKED);
  assert.equal(page.files.length, 1);
});

test("what is stored otherwise is named; without a checksum the file is read back", async (at) => {
  const save = async () => parted<Args>(await at.gw.call("storage_save_audit", { ...AUDIT, confirm: true }));
  const body = (more: object) =>
    ({ kind: "answer", body: { id: at.google.file(at.folder, "x", more).id, ...more } }) as const;
  at.google.inject(body({ name: "other.md", sha256Checksum: "00" }), { method: "POST" });
  const other = await save();
  assert.equal(other.proof.verified, false);
  assert.deepEqual(other.proof.warnings, ['name: is "other.md" now', "content: differs from what was sent"]);
  const { id } = at.google.file(at.folder, "x.md", { text: AUDIT.content });
  at.google.inject({ kind: "answer", body: { id } }, { method: "POST" });
  assert.equal((await save()).proof.verified, true);
  at.google.inject({ kind: "answer", body: { id: "file_nowhere" } }, { method: "POST" });
  const unread = await save();
  assert.equal(unread.proof.verified, null);
  assert.match(String(unread.proof.verified_reason), /could not be read back/);
});

Deno.test("a save that cannot be is refused before anything is sent", async () => {
  await using at = await GoogleWorld.open({ tokens: { low: { max_risk: 1 } } });
  const tool = "storage_save_audit";
  for (const confirm of [true, false]) {
    const call = { ...AUDIT, site_id: "closed", confirm };
    const says = /"storage_save_audit" needs allow_storage_write on site "closed"/;
    await at.refuses(tool, call, "E_STORAGE_WRITE_NOT_ALLOWED", says);
  }
  await at.refuses(tool, { ...AUDIT, confirm: true }, "E_SCOPE_DENIED", {
    says: /tier/,
    as: "low",
    audit: "risk_capped",
  });
  const cases: [Args, RegExp][] = [
    [{ title: " " }, /title: must not be blank/],
    [{ content: " \n" }, /content: must not be blank/],
    [{ content: "a\ud800" }, /content: holds an unpaired surrogate/],
    [{ filename: "../up.md" }, /filename: expected a name without a slash/],
    [{ filename: "a\nb" }, /filename: expected a name/],
    [{ filename: "\u202egnp.md" }, /filename: expected a name/],
    [{ mime_type: "image/png" }, /mime_type: expected one of/],
    [{ titel: "x" }, /titel: unknown argument, did you mean title/],
  ];
  for (const [more, says] of cases) {
    await at.refuses(tool, { ...AUDIT, ...more, confirm: true }, "E_BAD_INPUT", says);
  }
  const large = { ...AUDIT, content: "ü".repeat(5 * MIB / 2 + 1), confirm: true };
  await at.refuses(tool, large, "E_PAYLOAD_TOO_LARGE", /^content: has 5121 KB, and 5120 KB is the most/);
});

test("a file of 5 MB is saved byte for byte", async (at) => {
  const content = `--part\r\n${"ü".repeat(5 * MIB / 2 - 4)}`;
  const { done, proof } = parted<Args>(
    await at.gw.call("storage_save_audit", { ...AUDIT, content, confirm: true }),
  );
  assert.equal(proof.verified, true);
  const file = at.google.state.world.files.get(String(done["id"]))!;
  assert.equal(new TextDecoder().decode(file.content!), content);
});
