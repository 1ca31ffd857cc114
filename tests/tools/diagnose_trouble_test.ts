/** diagnose_site on CMS sites that hang or give secrets back, and asked for single checks. */
import assert from "node:assert/strict";
import { NOW } from "../kit.ts";
import { diagnose, REPORT, reporting, says } from "./_diagnose.ts";

const INDEX = /^\/$/;
const HEALTH = "/site-ops/v1/health";

Deno.test("a diagnosis asked for single checks answers those alone, and refuses those of other platforms", async () => {
  await using at = await reporting(REPORT);
  const found = await diagnose(at.kit.both.bind(at.kit), { site_id: "plugin", checks: ["theme", "clock"] });
  assert.deepEqual(Object.keys(found), ["clock", "theme"]);
  at.cms.clear();
  await at.kit.refuses(
    "diagnose_site",
    { site_id: "plugin", checks: ["clock", "hosting"] },
    "E_NOT_SUPPORTED",
    /^checks: only static sites have "hosting"; "plugin" is a cms site, /,
  );
  assert.deepEqual(at.cms.requests, []);
});

Deno.test("all probes of a CMS share one end, by the gateway's clock, and a front page that hangs hides nothing", async () => {
  const clock = { ahead: 0 };
  const now = () => NOW + clock.ahead;
  const slow: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    if (init?.method === "HEAD") clock.ahead = at.kit.gw.clock.now - NOW + 2700;
    at.kit.gw.clock.now = now();
    return answer;
  };
  await using at = await reporting(REPORT, {}, { fetch: slow, http: { now } });
  at.cms.inject({ kind: "hang" }, { method: "GET", times: 99 });
  const found = await at.kit.gw.call<
    { checks: { name: string; ok: boolean | null; detail: string; next_step: string | null }[] }
  >("diagnose_site", { site_id: "plugin" });
  const by = Object.fromEntries(found.checks.map((check) => [check.name, check]));
  for (const name of ["rest_api", "credentials", "theme", "companion"]) {
    assert.equal(by[name]?.ok, name === "rest_api" ? false : null);
    assert.match(by[name]!.detail, /gave no answer within 0\.1 s/, name);
  }
  for (const name of ["credentials", "clock", "theme", "companion", "page_builder", "tool_adapter"]) {
    assert.equal(by[name]!.next_step, "Repair rest_api first", name);
  }
  assert.deepEqual(
    [by["seo_settings"]?.ok, by["page_builder"]?.ok, by["topicmap_link"]?.ok],
    [null, null, true],
  );
});

Deno.test("a front page that hangs does not hide the API behind it", async () => {
  const http = { now: () => NOW + 59_700 };
  await using at = await reporting(REPORT, {}, { http });
  at.cms.inject({ kind: "hang" }, { method: "HEAD", times: 99 });
  const found = await diagnose(at.kit.both.bind(at.kit), { site_id: "plugin" });
  const unmet = Object.values(found).filter(({ name, ok }) => ok !== true && name !== "google_account");
  assert.deepEqual(unmet, []);
});

Deno.test("a root that was only guessed for a diagnosis is not kept for the calls after it", async () => {
  const http = { now: () => NOW + 59_700 };
  await using at = await reporting(REPORT, { plain_permalinks: true }, { http });
  at.cms.inject({ kind: "hang" }, { method: "HEAD", times: 1 });
  const { checks } = await at.kit.gw.call<{ checks: { name: string; ok: boolean | null }[] }>(
    "diagnose_site",
    { site_id: "plugin" },
  );
  assert.equal(checks.find(({ name }) => name === "rest_api")?.ok, false);
  await says(at.kit.both.bind(at.kit), "plugin", {
    rest_api: [true, /answers/],
    companion: [true, / is active/],
  });
});

Deno.test("one probe that hangs leaves the other checks as they are", async () => {
  const http = { now: () => NOW + 59_700 };
  const paths: [string | RegExp, string][] = [
    [INDEX, "rest_api"],
    ["/users/me", "credentials"],
    ["/themes", "theme"],
    [HEALTH, "companion"],
  ];
  for (const [path, name] of paths) {
    await using at = await reporting(REPORT, {}, { http });
    at.cms.inject({ kind: "hang" }, { method: "GET", path, times: 99 });
    const found = await diagnose(at.kit.both.bind(at.kit), { site_id: "plugin" });
    assert.match(found[name]!.detail, /gave no answer within 0\.3 s/);
    for (const [, other] of paths) {
      assert.equal(found[other]?.ok === true, other !== name, `${other}, ${name} hangs`);
    }
  }
});

Deno.test("a site that gives its own password back in what it says of itself does not get it shown", async () => {
  let secret = "";
  const echoing: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    const text = (await answer.text()).replaceAll(
      /"(Test Site|twentytwentyfour|admin|administrator)"/g,
      `"${secret}"`,
    );
    return new Response(init?.method === "HEAD" ? null : text, answer);
  };
  await using at = await reporting(REPORT, {}, { fetch: echoing });
  const { username, application_password } = at.cms.users.admin;
  const blankless = application_password.replaceAll(" ", "");
  for (const one of [btoa(`${username}:${application_password}`), application_password, blankless]) {
    secret = one;
    const found = await diagnose(at.kit.both.bind(at.kit), { site_id: "plugin" });
    assert.equal(found["rest_api"]?.detail, '"[redacted]" answers');
    assert.equal(found["credentials"]?.detail, 'Signed in as "[redacted]" ([redacted])');
    assert.equal(found["theme"]?.detail, "The theme is [redacted] 1.1");
    assert.ok(!JSON.stringify(found).includes(secret));
  }
});
