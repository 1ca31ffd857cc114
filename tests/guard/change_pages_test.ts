/** Pages of changes: never longer than an agent can use, each change on one of them, found by what was changed. */
import assert from "node:assert/strict";
import { changePage, type ChangeQuery } from "../../guard/change_pages.ts";
import { LIMITS } from "../../core/model.ts";
import type { ChangeRow } from "../../registry/tool.ts";
import type { Store } from "../../store/store.ts";
import { open, row } from "../unit/store/kit.ts";

const NAMES = 300;
const byteLength = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

/** All changes of a query, page after page, each page as it is answered. */
async function all(store: Store, query: ChangeQuery): Promise<ChangeRow[]> {
  const found: ChangeRow[] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await changePage(store, query, cursor);
    const size = byteLength({ changes: page.rows, unknown: page.unknown });
    assert.ok(size <= LIMITS.CHANGES_PAGE_BYTES, `${size} bytes`);
    assert.ok(page.rows.length > 0 || page.next === null);
    found.push(...page.rows);
    cursor = page.next ?? undefined;
  }
  return found;
}

Deno.test("however long the names in them are, a page has 4 KB at most, and every change is on one page", async () => {
  await using store = await open();
  const long = {
    token_name: "ö".repeat(NAMES),
    client_id: `https://client.example/${"c".repeat(480)}`,
    changes: Array.from({ length: 20 }, (_, n) => ({ field: `${n}${"ü".repeat(NAMES)}`, from: 1, to: 2 })),
  };
  for (let n = 0; n < 30; n++) {
    const outcome = n % 10 === 0 ? "unknown" as const : "made" as const;
    await store.audit.append(row(String(n), { ...n % 3 === 0 ? long : {}, outcome, result_id: n }));
  }
  const found = await all(store, { site_id: "acme" });
  const ids = found.map(({ request_id }) => Number(request_id.slice("request-".length)));
  assert.deepEqual(ids, Array.from({ length: 30 }, (_, n) => 29 - n).filter((n) => n % 10 !== 0));
});

Deno.test("a post's changes are found behind any number of others, and a page of them is full", async () => {
  await using store = await open();
  for (let n = 0; n < 60; n++) {
    const result_id = n % 5 === 0 ? 7 : `other-${n}`;
    await store.audit.append(row(String(n), { outcome: "made", result_id }));
  }
  const page = await changePage(store, { site_id: "acme", id: "7" });
  assert.deepEqual(page.rows.map(({ id }) => id), Array.from({ length: 10 }, () => 7));
  assert.equal((await all(store, { site_id: "acme", id: "7" })).length, 12);
});

Deno.test("of a change with more fields than a row of the audit keeps, the first are told", async () => {
  await using store = await open();
  const first = [{ field: "title", from: "a", to: "b" }, "[cut]"];
  const changes = { count: 40, first } as unknown as [];
  await store.audit.append(row("many", { outcome: "made", changes }));
  const { rows } = await changePage(store, {});
  assert.deepEqual(rows.map(({ fields }) => fields), [["title"]]);
});
