/** When the tools of sites' own servers are listed again: not all at once, and less often while they fail. */
import assert from "node:assert/strict";
import { failuresAfter, gapFor, isDue, waitAfter } from "../../../guard/proxied/schedule.ts";
import { LIMITS } from "../../../core/model.ts";
import type { ToolCatalog } from "../../../store/store.ts";

const TRIED = "2026-03-01T12:00:00.000Z";
const MINUTE = 60_000;
const catalog = (more: Partial<ToolCatalog> = {}): ToolCatalog => ({
  site_id: "acme",
  source: "cms",
  server: "builder",
  bound_to: "https://acme.example",
  credentials_version: 1,
  exists: true,
  fetched_at: TRIED,
  tried_at: TRIED,
  failure: null,
  failures: 0,
  listed: 1,
  digest: "d",
  pins_digest: "p",
  content: null,
  ...more,
});

Deno.test("of 200 sites that were listed at once no minute has more than a few, nor the same ones an hour later", () => {
  const minutes = (tried_at: string) =>
    Array.from(
      { length: 200 },
      (_, n) => Math.floor(waitAfter(catalog({ site_id: `s-${n}`, tried_at })) / MINUTE),
    );
  const first = minutes(TRIED);
  const byMinute = [...Map.groupBy(first, (minute) => minute).values()].map((of) => of.length);
  assert.ok(Math.max(...byMinute) <= 30 && byMinute.length >= 14, JSON.stringify(byMinute));
  assert.ok(first.every((minute) => minute >= 45 && minute < 60));
  const later = minutes("2026-03-01T13:00:00.000Z");
  assert.ok(first.filter((minute, n) => minute === later[n]).length < 40);
});

Deno.test("a server that fails is asked after some minutes, then ever later, at least once an hour, and a success resets it", () => {
  const waits = [1, 2, 3, 4, 5, 6, 50].map((failures) =>
    waitAfter(catalog({ failure: "down", failures })) / MINUTE
  );
  const whole = [5, 10, 20, 40, 60, 60, 60];
  for (const [n, wait] of waits.entries()) {
    assert.ok(wait <= whole[n]! && wait >= 0.75 * whole[n]!, `${n}: ${wait}`);
  }
  const { failures: _, ...older } = catalog({ failure: "down" });
  assert.equal(waitAfter(older), waitAfter(catalog({ failure: "down", failures: 1 })));
  assert.equal(failuresAfter({ credentials_version: 1 }, null), 1);
  assert.equal(failuresAfter({ credentials_version: 1 }, catalog({ failure: "down", failures: 3 })), 4);
  assert.equal(failuresAfter({ credentials_version: 2 }, catalog({ failure: "down", failures: 3 })), 1);
  assert.equal(failuresAfter({ credentials_version: 1 }, catalog()), 1);
});

Deno.test("what was never asked, other credentials and a clock that went back are due at once", () => {
  const site = { credentials_version: 1 };
  const at = Date.parse(TRIED);
  assert.ok(isDue(site, null, at));
  assert.ok(isDue({ credentials_version: 2 }, catalog(), at));
  assert.ok(isDue(site, catalog(), at - 1));
  assert.ok(!isDue(site, catalog(), at) && !isDue(site, catalog(), at + waitAfter(catalog()) - 1));
  assert.ok(isDue(site, catalog(), at + LIMITS.TOOL_CATALOG_REFRESH_MS));
});

Deno.test("few sites are asked at once, many with pauses that add up to half a minute", () => {
  assert.equal(gapFor(20), 0);
  for (const sites of [21, 200, 5000]) {
    assert.equal(Math.round(gapFor(sites) * sites), 30_000);
  }
});
