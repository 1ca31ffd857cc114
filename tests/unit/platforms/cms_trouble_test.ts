/** A CMS that misbehaves: every way not to answer. */
import assert from "node:assert/strict";
import type { Post } from "../../../platforms/_content/posts.ts";
import { startWordPressStandIn, type WordPressFault } from "../../../sandbox/wordpress_standin/start.ts";
import { draft, PNG } from "./_scenarios.ts";
import { gets, withDraft } from "./_stand_in.ts";
import { ahead, refused, World, worldOf } from "./_world.ts";

Deno.test("an upload whose texts fail names the image that stands", async () => {
  await using cms = await startWordPressStandIn();
  const world = worldOf(cms);
  cms.inject({ kind: "html", status: 500 }, { method: "POST", path: /^\/wp\/v2\/media\/\d+$/ });
  const args = { filename: "a.png", content_base64: PNG, alt_text: "x" };
  await world.refuses(
    "E_UPSTREAM",
    /uploaded as media \d+ .*texts were not set.*do not upload it again/,
    "upload_media",
    args,
  );
  assert.ok(Number(world.facts.result_id) > 0);
});

const READS: readonly (readonly [WordPressFault, RegExp, number])[] = [
  [{ kind: "hang" }, /gave no answer within 0\.4 s/, 504],
  [{ kind: "reset" }, /broke the connection off/, 504],
  [{ kind: "html" }, /CMS 500: .*not an answer of WordPress itself/, 500],
  [{ kind: "html", status: 200 }, /CMS 200: the answer is not JSON/, 502],
  [{ kind: "html", status: 403 }, /CMS 403: .*a firewall/, 403],
  [{ kind: "huge" }, /more than \d+ bytes/, 504],
  [{ kind: "partial" }, /broke the connection off/, 504],
  [{ kind: "partial", length: "true" }, /CMS 200: the answer is not JSON/, 502],
  [{ kind: "busy", status: 503, retry_after: 3600 }, /CMS 503/, 503],
  [{ kind: "busy", status: 429, retry_after: 1 }, /CMS 429/, 429],
  [{ kind: "unauthorized" }, /application password of the site was not accepted/, 401],
];

for (const [trouble, message, upstream] of READS) {
  Deno.test(`a read that meets ${JSON.stringify(trouble)} is an E_UPSTREAM that says what to do`, async () => {
    await withDraft(async ({ cms, world, id }) => {
      cms.inject(trouble, { ...gets(id), times: 3 });
      const error = await refused(
        "E_UPSTREAM",
        message,
        limited(world, trouble.kind === "hang" ? 400 : 10_000).call<Post>("get_post", { post_id: id }),
      );
      assert.equal(error.upstream, upstream);
    });
  });
}

const WRITES: readonly (readonly [WordPressFault, RegExp])[] = [
  [{ kind: "hang" }, /gave no answer within 0\.4 s.*outcome is unknown/],
  [{ kind: "reset" }, /broke the connection off.*outcome is unknown/],
  [{ kind: "reset", applied: true }, /outcome is unknown/],
  [{ kind: "html" }, /CMS 500: .*outcome is unknown/],
  [{ kind: "html", status: 200 }, /CMS 200: .*outcome is unknown/],
  [{ kind: "huge" }, /more than \d+ bytes.*outcome is unknown/],
  [{ kind: "partial" }, /outcome is unknown/],
  [{ kind: "partial", length: "true" }, /CMS 20[01]: .*outcome is unknown/],
  [{ kind: "busy", status: 503, retry_after: 1 }, /CMS 503/],
  [
    { kind: "redirect", to: "https://www.acme.example/wp-json/wp/v2/posts", status: 301 },
    /"https:\/\/www\.acme\.example".*set base_url/,
  ],
];

for (const [trouble, message] of WRITES) {
  Deno.test(`a write that meets ${JSON.stringify(trouble)} is sent once and says what is known`, async () => {
    await using cms = await startWordPressStandIn();
    cms.inject(trouble, { method: "POST", path: "/wp/v2/posts" });
    const args = { title: "Once", content_html: "x" };
    await refused(
      "E_UPSTREAM",
      message,
      limited(worldOf(cms), trouble.kind === "hang" ? 400 : 10_000).call("create_draft", args),
    );
    assert.equal(cms.writes.length, 1);
    assert.ok([...cms.posts.values()].filter(({ title }) => title === "Once").length <= 1);
  });
}

Deno.test("an error whose code is a word of the language's own names a next step like any other", async () => {
  const fetch = () => Promise.resolve(Response.json({ code: "constructor", message: "No" }, { status: 400 }));
  const world = new World("http://127.0.0.1:9", { http: { fetch } });
  await world.refuses("E_UPSTREAM", /^CMS 400 constructor: No; change what was sent$/, "get_post", {
    post_id: 1,
  });
});

/** The same world, each request given that many milliseconds at most. */
function limited(world: World, deadline_ms: number): World {
  const reach = world.reach.bind(world);
  world.reach = (connector) => {
    const wide = reach(connector);
    return { ...wide, send: (out) => wide.send({ ...out, deadline_ms }) };
  };
  return world;
}

Deno.test("a diagnosis is over within three seconds, whatever the site does, and one failing probe hides no other", async () => {
  await using cms = await startWordPressStandIn({
    namespaces: ["elementor/v1", "mcp", "site-ops/v1"],
    plugins: [
      { plugin: "elementor/elementor", status: "active", name: "E", version: "3.20.0" },
      { plugin: "mcp-adapter/mcp-adapter", status: "inactive", name: "M", version: "0.5.0" },
    ],
  });
  const diagnose = async (world: World) => {
    const { checks } = await world.call<{ checks: { name: string; ok: boolean | null; detail: string }[] }>(
      "diagnose_site",
    );
    return Object.fromEntries(checks.map((check) => [check.name, check]));
  };
  const well = await diagnose(worldOf(cms));
  assert.deepEqual([well["page_builder"]?.ok, well["page_builder"]?.detail], [
    true,
    "The visual page builder 3.20.0 is active; the site's record does not offer it (available_builders)",
  ]);
  assert.equal(well["tool_adapter"]?.ok, false);
  const seen = await diagnose(worldOf(cms, "ed"));
  assert.deepEqual([seen["page_builder"]?.ok, seen["tool_adapter"]?.ok, seen["builder_tools"]?.ok], [
    true,
    true,
    null,
  ]);
  cms.state.namespaces.push("emcp-tools/oauth/v1");
  assert.equal((await diagnose(worldOf(cms, "ed")))["builder_tools"]?.ok, true, "the index shows it");
  cms.inject({ kind: "hang" }, { path: "/wp/v2/plugins", times: 9 });
  cms.inject({ kind: "html" }, { path: "/wp/v2/themes" });
  const began = Date.now();
  const hanging = await diagnose(worldOf(cms));
  assert.ok(Date.now() - began < 5000, "its probes share three seconds, on a machine that is busy too");
  assert.deepEqual([hanging["rest_api"]?.ok, hanging["credentials"]?.ok, hanging["theme"]?.ok], [
    true,
    true,
    null,
  ]);
  assert.equal(hanging["page_builder"]?.ok, true, "seen by its namespace");
  cms.inject({ kind: "hang" }, { times: 99 });
  const again = Date.now();
  const dead = await diagnose(worldOf(cms));
  assert.ok(Date.now() - again < 5000, "so do those of a dead one");
  assert.deepEqual([dead["rest_api"]?.ok, dead["credentials"]?.ok, dead["seo_bridge"]?.ok], [
    false,
    null,
    null,
  ]);
});

Deno.test("a clock that is far off is told", async () => {
  await using cms = await startWordPressStandIn();
  cms.skew(-300);
  const { checks } = await worldOf(cms).call<{ checks: { name: string; ok: boolean; detail: string }[] }>(
    "diagnose_site",
  );
  const clock = checks.find(({ name }) => name === "clock");
  assert.equal(clock?.ok, false);
  assert.match(clock!.detail, /(299|300|301) s behind/);
});

Deno.test("a site that is gone says that nothing was sent", async () => {
  const cms = await startWordPressStandIn();
  await cms.stop();
  await refused("E_UPSTREAM", /could not be reached, nothing was sent/, worldOf(cms).call("ping_site"));
});

Deno.test("a front page without the Link header does not keep the API from being found", async () => {
  for (const plain_permalinks of [false, true]) {
    await using cms = await startWordPressStandIn({ plain_permalinks });
    const world = worldOf(cms, "admin", {
      http: {
        fetch: async (input, init) => {
          const answer = await fetch(input, init);
          if (init?.method !== "HEAD") return answer;
          await answer.body?.cancel();
          return new Response(null, { status: 403 });
        },
      },
    });
    assert.equal((await draft(world)).status, "draft");
  }
});

Deno.test("a site that has moved is told where its base_url should point", async () => {
  await using cms = await startWordPressStandIn();
  const moved = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    const { pathname, search } = new URL(request.url);
    return new Response(null, { status: 301, headers: { location: `${cms.base_url}${pathname}${search}` } });
  });
  const { world } = {
    world: worldOf(cms, "admin", { site: { base_url: `http://127.0.0.1:${moved.addr.port}` } }),
  };
  await world.refuses(
    "E_UPSTREAM",
    new RegExp(
      `redirects to "${cms.base_url}", which was not followed: .*; if it has moved, set its new address, which is the site's base_url or the setting of a service`,
    ),
    "get_post",
    {
      post_id: 1,
    },
  );
  assert.ok(cms.requests.every(({ headers }) => headers["authorization"] === undefined));
  await moved.shutdown();
});

Deno.test("a site without base_url is refused with the command that sets it", async () => {
  await using cms = await startWordPressStandIn();
  await worldOf(cms, "admin", { site: { base_url: null } }).refuses(
    "E_MISSING_SECRET",
    /base_url, .* site update \w+ --base-url/,
    "get_post",
    {
      post_id: 1,
    },
  );
});

Deno.test("content of a site that has none is refused in a sentence, and nothing is sent", async () => {
  await using cms = await startWordPressStandIn();
  const other = worldOf(cms, "admin", { site: { platform: "crm", base_url: null } });
  const calls: [string, Record<string, unknown>][] = [
    ["get_post", { post_id: "abc" }],
    ["list_drafts", { page: 1, per_page: 20 }],
    ["create_draft", { title: "x", content_html: "y" }],
    ["schedule_draft", { post_id: "abc", scheduled_at: ahead(7200) }],
    ["publish_post", { post_id: "abc" }],
    ["diagnose_site", { checks: ["page_builder"] }],
  ];
  for (const [name, args] of calls) await other.refuses("E_NOT_SUPPORTED", /crm/, name, args);
  const crm = worldOf(cms, "admin", { site: { platform: "crm", base_url: null, storage_folder_id: "f1" } });
  const { checks } = await crm.call<{ checks: { name: string; ok: boolean | null }[] }>("diagnose_site");
  const by = Object.fromEntries(checks.map(({ name, ok }) => [name, ok]));
  assert.deepEqual([by["storage_folder"], by["behavior"], by["allow_crm_write"], by["topicmap_link"]], [
    false,
    false,
    false,
    false,
  ]);
  assert.deepEqual([other.sent, crm.sent, cms.requests.length], [[], [], 0]);
});

Deno.test("a site in maintenance or without an API is reported as such, not as another", async () => {
  const down = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response("<h1>Down for maintenance</h1>", { status: 503, headers: { "retry-after": "3600" } }),
  );
  const none = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response("<h1>Hello</h1>"),
  );
  await using cms = await startWordPressStandIn();
  const at = (server: Deno.HttpServer<Deno.NetAddr>) =>
    worldOf(cms, "admin", { site: { base_url: `http://127.0.0.1:${server.addr.port}` } });
  await at(down).refuses("E_UPSTREAM", /CMS 503: Down for maintenance/, "ping_site");
  await at(none).refuses("E_UPSTREAM", /shows no WordPress REST API; check that base_url/, "ping_site");
  await down.shutdown();
  await none.shutdown();
});
