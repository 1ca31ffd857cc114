/** Which requests may be sent to the topic-planning service: those of its tools, in the site's workspace, and no other. */
import assert from "node:assert/strict";
import { load } from "js-yaml";
import { forbidden } from "../../../platforms/topic_map/routes.ts";
import { AUDIT_STEPS, BRIEF_SECTIONS, BRIEF_STEPS, JOB_STEPS } from "../../../platforms/topic_map/steps.ts";
import { STEPS as STAND_IN } from "../../../sandbox/topic_map/start.ts";
import type { Outgoing } from "../../../platforms/_http/request.ts";
import type { Site } from "../../../core/model.ts";
import { CONTRACT } from "../../sandbox/topic_map_openapi.ts";

const BASE = "https://topics.example/api";
const settings = { TOPICMAP_BASE_URL: BASE, TOPICMAP_BOT_TOKEN: "t" };
const judge = (
  method: string,
  path: string,
  effect: Outgoing["effect"],
  workspace: string | null = "w",
  more: Partial<Outgoing> = effect === "write" ? { json: {} } : {},
) => {
  const site = workspace === null ? undefined : { topicmap_workspace_id: workspace } as Site;
  const out = { method, url: `${BASE}${path}`, effect, ...more } as Outgoing;
  return forbidden(out, { site, settings, now: 0 });
};

Deno.test("what the contract has may be sent, each by its own method, and nothing else", () => {
  let routes = 0;
  for (const [path, operations] of Object.entries(CONTRACT.paths)) {
    const real = path.replace("{ws}", "w").replace("{id}", "x_1-Y");
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]) {
      for (const effect of ["read", "write"] as const) {
        const fits = method === "GET" ? effect === "read" : method === "POST" && effect === "write";
        const listed = fits && method.toLowerCase() in operations;
        assert.equal(judge(method, real, effect) === null, listed, `${method} ${real} ${effect}`);
        if (listed) routes++;
      }
    }
  }
  assert.equal(routes, 17);
});

Deno.test("another workspace, another path and another id are never reached", () => {
  for (
    const path of [
      "/v1/workspaces/w2/topical-maps",
      "/v1/workspaces/w/../w2/topical-maps",
      "/v1/workspaces/w/%2e%2e/w2/topical-maps",
      "/v1/workspaces/w/topical-maps/a%2Fb",
      "/v1/workspaces/w/topical-maps/x/publish",
      "/v1/workspaces/w/topical-maps/",
      "/v1/workspaces/w",
      "/v2/workspaces",
      "/../v1/workspaces/w/topical-maps",
      `/v1/workspaces/w/content-jobs/${"a".repeat(65)}`,
    ]
  ) assert.notEqual(judge("GET", path, "read"), null, path);
  for (const path of ["/v1/workspaces", "/v1/workspaces/w/topical-maps", "/v1/workspaces/w/content-briefs"]) {
    assert.notEqual(judge("POST", path, "write"), null, path);
  }
  assert.equal(judge("GET", "/v1/workspaces", "read", null), null);
  assert.notEqual(judge("GET", "/v1/workspaces/w/topical-maps", "read", null), null);
});

Deno.test("a write says what the contract's request has and nothing more, and a read says nothing", () => {
  type Reference = { $ref: string };
  const { schemas } = CONTRACT["components"] as unknown as {
    schemas: Record<string, { properties: Record<string, unknown> }>;
  };
  const write = (path: string, more: Partial<Outgoing>) =>
    judge("POST", path.replace("{ws}", "w").replace("{id}", "x"), "write", "w", more);
  let writes = 0;
  for (const [path, operations] of Object.entries(CONTRACT.paths)) {
    const post = (operations as Record<string, unknown>)["post"] as {
      requestBody: { content: Record<string, { schema: Reference }> };
    } | undefined;
    if (!post) continue;
    writes++;
    const { $ref } = post.requestBody.content["application/json"]!.schema;
    const names = Object.keys(schemas[$ref.split("/").at(-1)!]!.properties);
    const whole = Object.fromEntries(names.map((name) => [name, "x"]));
    assert.equal(write(path, { json: whole }), null, path);
    for (const name of ["approval_status", "status", "publish", "workspace_id"]) {
      assert.match(
        write(path, { json: { ...whole, [name]: "x" } }) ?? "sent",
        /is never sent$/,
        `${path} ${name}`,
      );
    }
    for (const more of [{}, { json: [] }, { json: "x" }, { json: null }, { body: "{}" }]) {
      assert.match(write(path, more) ?? "sent", /not a list of fields$/, path);
    }
    assert.match(write(`${path}?publish=1`, { json: whole }) ?? "sent", /no query$/, path);
  }
  assert.equal(writes, 5);
  assert.match(judge("GET", "/v1/workspaces", "read", "w", { json: {} }) ?? "sent", /no body$/);
});

/** What the contract lists for a property, wherever its schema has it. */
function listed(schema: string, property: string): string[] {
  const found: string[][] = [];
  const look = (at: unknown, name: string) => {
    if (typeof at !== "object" || at === null) return;
    if (name === property && "enum" in at) found.push(at.enum as string[]);
    for (const [key, value] of Object.entries(at)) look(value, key);
  };
  look((CONTRACT["components"] as { schemas: Record<string, unknown> }).schemas[schema], "");
  assert.equal(found.length, 1, `${schema}, ${property}`);
  return found[0]!;
}

Deno.test("the sections of a brief are those of the contract, in their order", () => {
  const { Brief } = (CONTRACT["components"] as { schemas: Record<string, unknown> }).schemas;
  assert.ok(JSON.stringify(Brief).includes(`In this order: ${BRIEF_SECTIONS.join(", ")}. `));
});

Deno.test("the steps that the stand-in goes through are those of the contract, in their order", () => {
  assert.deepEqual(STAND_IN.audit, listed("AuditRerunRequest", "from_step"));
  assert.deepEqual(STAND_IN.brief, listed("BriefRerunRequest", "from_step"));
  assert.deepEqual(STAND_IN.job, listed("JobRerunRequest", "from_step"));
});

Deno.test("the steps are those of the contract and of the manifests, in their order", async () => {
  for (
    const [tool, schema, steps] of [
      ["topicmap_rerun_job", "JobRerunRequest", JOB_STEPS],
      ["topicmap_rerun_audit", "AuditRerunRequest", AUDIT_STEPS],
      ["topicmap_rerun_content_brief", "BriefRerunRequest", BRIEF_STEPS],
    ] as const
  ) {
    const url = new URL(`../../../manifests/topicmap/${tool}.yaml`, import.meta.url);
    const { input } = load(await Deno.readTextFile(url)) as {
      input: { properties: { from_step: { enum: string[] } } };
    };
    assert.deepEqual(input.properties.from_step.enum, [...steps]);
    assert.deepEqual(listed(schema, "from_step"), [...steps]);
  }
});
