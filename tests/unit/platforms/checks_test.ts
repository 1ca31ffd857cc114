/** Probes: a failure is what was found, and all requests of a diagnosis share one end. */
import { FactCaches } from "../../../guard/fact_caches.ts";
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import cloudflarePages from "../../../platforms/cloudflare_pages/connector.ts";
import type { SiteContext } from "../../../platforms/_connector/connector.ts";
import type { RepoSettings } from "../../../platforms/github/settings.ts";
import { health } from "../../../platforms/github/health.ts";
import { probe, withDeadline } from "../../../platforms/_connector/checks.ts";
import type { Incoming } from "../../../platforms/_http/request.ts";
import { theApp } from "../../../sandbox/github/app_key.ts";
import { site } from "./_site.ts";

const BEGAN = 1_800_000_000_000;
const app = theApp();

/** A way out whose every answer is a 404 that takes a second, and the limits its requests were given. */
function slow(): { ctx: SiteContext; limits: (number | undefined)[]; clock: { now: number } } {
  const limits: (number | undefined)[] = [];
  const clock = { now: BEGAN };
  const settings: Record<string, string> = {
    REPO_API_BASE: "https://host.example",
    REPO_APP_ID: String(app.id),
    REPO_APP_PRIVATE_KEY: app.private_key,
    HOSTING_API_BASE: "https://pages.example",
    HOSTING_API_TOKEN: "t",
    HOSTING_ACCOUNT_ID: "a",
  };
  const ctx: SiteContext = {
    site: site({ platform: "static", repo: "acme/site", hosting_project: "acme" }),
    settings,
    borrow: () => assert.fail("nothing is borrowed"),
    pace: () => assert.fail("no pace is kept"),
    secret: () => Promise.reject(new Error("no secret is asked for")),
    cache: {
      get: () => assert.fail("nothing old is looked at"),
      set: () => {},
      drop: () => {},
      once: () => assert.fail("nothing old is looked at"),
    },
    shared: new FactCaches(() => clock.now).of(null, "github"),
    now: () => clock.now,
    deadline: BEGAN + 60_000,
    send(out) {
      limits.push(out.deadline_ms);
      clock.now += 1000;
      const bytes = new TextEncoder().encode('{"message":"Not Found"}');
      const headers = new Headers({ "content-type": "application/json" });
      const text = () => new TextDecoder().decode(bytes);
      const answer: Incoming = {
        status: 404,
        url: out.url,
        headers,
        bytes,
        text,
        json: () => JSON.parse(text()),
      };
      return Promise.resolve(answer);
    },
  };
  return { ctx, limits, clock };
}

Deno.test("a request has what is left of the whole, never more than it asked for itself, never nothing", async () => {
  const { ctx, limits, clock } = slow();
  const bounded = withDeadline(ctx, BEGAN + 2800);
  const out = { method: "GET", url: "https://a.example/", effect: "read" } as const;
  await bounded.send(out);
  await bounded.send({ ...out, deadline_ms: 500 });
  await bounded.send({ ...out, deadline_ms: 5000 });
  await bounded.send(out);
  assert.deepEqual(limits, [2800, 500, 800, 1]);
  assert.equal(bounded.now(), clock.now);
});

Deno.test("the look-ups of a repository's diagnosis share its end, and ask afresh", async () => {
  const { ctx, limits } = slow();
  const found = await health(withDeadline(ctx as SiteContext<RepoSettings>, BEGAN + 2800));
  assert.deepEqual(limits, [2800, 1800, 800], "by repository, user and organisation");
  assert.equal(found.app.error?.code, "E_REPO_APP_NOT_INSTALLED");
  assert.equal(found.branch.error, found.app.error);
});

Deno.test("the newest deployment is waited for as long as is said", async () => {
  const { ctx, limits } = slow();
  const client = await cloudflarePages.connect!(ctx);
  await assert.rejects(
    client.latest(undefined, 2800),
    (error: GatewayError) => error.code === "E_HOSTING_PROJECT_MISSING" && error.upstream === 404,
  );
  await assert.rejects(client.latest());
  assert.deepEqual(limits, [2800, undefined]);
});

Deno.test("a probe keeps a refusal as it is, and hides what a fault of the gateway says", async () => {
  const refusal = new GatewayError("E_UPSTREAM", "The site failed");
  assert.deepEqual(await probe(() => Promise.resolve(1)), { found: 1 });
  assert.equal((await probe(() => Promise.reject(refusal))).error, refusal);
  const { error } = await probe(() => Promise.reject(new Error("at /secret/place")));
  assert.equal(error?.code, "E_INTERNAL");
  assert.equal(error?.message, "Something failed inside the gateway while it asked");
});
