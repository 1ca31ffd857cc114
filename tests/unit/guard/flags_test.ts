/** Site flags: each with its own code, and the only place where the right to publish is made. */
import assert from "node:assert/strict";
import type { Code } from "../../../core/errors.ts";
import { flagStep, isGenuine, liveFlag } from "../../../guard/pipeline/flags.ts";
import { type Flag, FLAGS, type Site } from "../../../core/model.ts";
import type { PublishGrant } from "../../../platforms/_http/request.ts";
import { site as cms } from "../platforms/_site.ts";
import { manifest, refusal } from "./_callers.ts";

const CODES: Record<Flag, Code> = {
  allow_publish: "E_PUBLISH_NOT_ALLOWED",
  allow_seo_on_published: "E_FORBIDDEN_OP",
  allow_main_branch_push: "E_MAIN_BRANCH_LOCKED",
  allow_full_repo_write: "E_FULL_REPO_WRITE_NOT_ALLOWED",
  allow_storage_write: "E_STORAGE_WRITE_NOT_ALLOWED",
  allow_topicmap_write: "E_TOPICMAP_WRITE_NOT_ALLOWED",
  allow_crm_write: "E_CRM_WRITE_NOT_ALLOWED",
};

/** The flags that let something go live. */
const PUBLISHING: readonly Flag[] = ["allow_publish", "allow_main_branch_push"];

const NONE = Object.fromEntries(FLAGS.map((flag) => [flag, false])) as Record<Flag, boolean>;
const site = (flags: Partial<Site["flags"]> = {}): Site => ({ ...cms({}), flags: { ...NONE, ...flags } });
const withFlags = (...flags: Record<string, unknown>[]) => manifest({ tier: "T1", flags, input: INPUT });
const INPUT = {
  properties: { branch: { type: "string", description: "b" }, loud: { type: "boolean", description: "l" } },
};

for (const flag of FLAGS) {
  Deno.test(`${flag}: without it its own code, naming flag and site; with it the call goes on`, async () => {
    const needing = withFlags({ flag });
    const { message } = await refusal(() => flagStep(needing, {}, site()), CODES[flag]);
    assert.equal(message, `"toy" needs ${flag} on site "acme"; a super-admin can set it`);
    const grant = flagStep(needing, {}, site({ [flag]: true }));
    assert.equal(grant !== undefined, PUBLISHING.includes(flag));
    const others = Object.fromEntries(FLAGS.filter((one) => one !== flag).map((one) => [one, true]));
    await refusal(() => flagStep(needing, {}, site(others)), CODES[flag]);
  });
}

Deno.test("a flag's own code in the manifest stands before the usual one", async () => {
  await refusal(
    () => flagStep(withFlags({ flag: "allow_crm_write", code: "E_FORBIDDEN" }), {}, site()),
    "E_FORBIDDEN",
  );
});

Deno.test("a flag under a condition is needed only while every part of it holds", async () => {
  const needing = withFlags({ flag: "allow_publish", when: { branch: "main", platform: "cms" } });
  for (const args of [{}, { branch: "preview" }]) assert.equal(flagStep(needing, args, site()), undefined);
  const elsewhere: Site = { ...site(), platform: "static" };
  assert.equal(flagStep(needing, { branch: "main" }, elsewhere), undefined);
  await refusal(() => flagStep(needing, { branch: "main" }, site()), "E_PUBLISH_NOT_ALLOWED");
  assert.equal(
    flagStep(needing, { branch: "preview" }, site({ allow_publish: true })),
    undefined,
    "no grant unasked",
  );
});

Deno.test("a live flag is left to the tool's plan, and mints nothing", () => {
  const needing = withFlags({ flag: "allow_publish", live: true });
  for (const allow_publish of [false, true]) {
    assert.equal(flagStep(needing, {}, site({ allow_publish })), undefined);
  }
});

for (const flag of FLAGS) {
  Deno.test(`${flag}, live: judged when the plan asks, and by its own code`, async () => {
    const needing = withFlags({ flag, live: true });
    await refusal(() => liveFlag(needing, flag, site(), { because: "of that" }), CODES[flag]);
    const grant = liveFlag(needing, flag, site({ [flag]: true }), { because: "of that" });
    assert.equal(grant !== undefined, PUBLISHING.includes(flag));
    if (grant) assert.ok(isGenuine(grant, "acme"));
    await refusal(
      () => liveFlag(withFlags({ flag }), flag, site({ [flag]: true }), { because: "of that" }),
      "E_INTERNAL",
    );
  });
}

Deno.test("a tool of tier 4 holds the right to publish, guarded by super-admin and confirm", () => {
  const grant = flagStep(manifest({ tier: "T4" }), {}, site());
  assert.ok(grant && isGenuine(grant, "acme"));
});

Deno.test("a grant is genuine for its own site only, and no copy of it is", () => {
  const grant = flagStep(withFlags({ flag: "allow_publish" }), {}, site({ allow_publish: true }))!;
  assert.deepEqual({ ...grant }, { site_id: "acme", tool: "toy" });
  assert.ok(isGenuine(grant, "acme"));
  assert.ok(!isGenuine(grant, "other"));
  assert.throws(() => Object.assign(grant, { site_id: "other" }), TypeError);
  const forged = [
    { ...grant },
    structuredClone(grant),
    Object.create(grant),
    JSON.parse(JSON.stringify(grant)),
  ];
  for (const one of forged) assert.ok(!isGenuine(one as PublishGrant, "acme"));
});

Deno.test("of two flags the first that is missing is told", async () => {
  const needing = withFlags({ flag: "allow_crm_write" }, { flag: "allow_publish" });
  await refusal(() => flagStep(needing, {}, site()), "E_CRM_WRITE_NOT_ALLOWED");
  await refusal(() => flagStep(needing, {}, site({ allow_crm_write: true })), "E_PUBLISH_NOT_ALLOWED");
  assert.ok(flagStep(needing, {}, site({ allow_crm_write: true, allow_publish: true })));
});
