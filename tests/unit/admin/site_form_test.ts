/** What the form of a site asks for, and what it makes of what was filled in. */
import assert from "node:assert/strict";
import type { Site } from "../../../core/model.ts";
import { askedOf, bodyOf, faultsOf, FLAG_WORDS, mergedForm, textsOf } from "../../../admin/site_form.ts";
import { refused } from "../../../core/faults.ts";
import { CONNECTORS } from "../../connectors.ts";
import { site } from "../../kit.ts";

const groups = (platform: string, of: Site | null = null, withFlags = true) =>
  askedOf({ connectors: CONNECTORS, platform, site: of, withFlags });
const names = (platform: string, withFlags = true) =>
  groups(platform, null, withFlags).flatMap(({ fields }) => fields).map(({ name }) => name);

Deno.test("each kind is asked for what is its own, and who may set no flags is asked for none", () => {
  assert.ok(names("cms").includes("credentials.cms.application_password"));
  assert.ok(!names("cms").includes("credentials.companion.key"), "pairing sets it");
  assert.ok(!names("cms").includes("site_alias"));
  assert.ok(names("sitebuilder").includes("site_alias"));
  assert.ok(!names("static").includes("available_builders"));
  assert.ok(names("crm").includes("credentials.crm.integration_token"));
  assert.ok(!names("cms", false).some((name) => name.startsWith("flags.") || name === "confirm_policy"));
  for (const kind of CONNECTORS.kinds) assert.ok(CONNECTORS.ofKind(kind)!.form, kind);
});

Deno.test("the body names what differs, and what the form does not hold stays", () => {
  const one = {
    ...site("one", "cms"),
    ...CONNECTORS.blank({ platform: "cms" }),
    credentials: [],
    repo: "acme/site",
  } as unknown as Site;
  const asked = groups("cms", one);
  const before = textsOf(one, asked);
  assert.deepEqual(bodyOf(asked, before, before), {});
  const form = new URLSearchParams(before);
  form.set("name", " New ");
  form.set("repo", "");
  form.set("spreadsheet_ids", "abcdefghijk, lmnopqrstuv");
  form.set("flags.allow_publish", "true");
  form.set("credentials.cms.application_password", " kept as typed ");
  form.append("forget", "behavior");
  form.delete("base_url");
  assert.deepEqual(bodyOf(asked, form, before), {
    name: "New",
    repo: null,
    spreadsheet_ids: ["abcdefghijk", "lmnopqrstuv"],
    flags: { allow_publish: true },
    credentials: { cms: { application_password: " kept as typed " }, behavior: null },
  });
});

Deno.test("what somebody else changed is taken over where it was not touched, and told where it was", () => {
  const asked = groups("cms");
  const was = new URLSearchParams({ name: "A", repo: "a/a", repo_branch: "main" });
  const now = new URLSearchParams({ name: "B", repo: "a/b", repo_branch: "main" });
  const { form, meanwhile } = mergedForm(asked, new URLSearchParams({ name: "C", repo: "a/a" }), was, now);
  assert.deepEqual([form.get("name"), form.get("repo")], ["C", "a/b"]);
  assert.deepEqual(meanwhile.map(({ field, mine }) => [field.name, mine]), [["name", ["C"]], ["repo", null]]);
});

Deno.test("a fault stands under its field, with all of its words", () => {
  const said = ['id: "one; name: B" is taken; change that site', "name is required", "odd: what"];
  assert.deepEqual(faultsOf(refused(said).faults, ["id", "name"]), {
    id: '"one; name: B" is taken; change that site',
    name: "Is required; odd: what",
  });
});

Deno.test("the documentation says of each flag what the pages say", async () => {
  const text = await Deno.readTextFile(new URL("../../../docs/CONNECTING.md", import.meta.url));
  for (const [flag, words] of Object.entries(FLAG_WORDS)) {
    assert.ok(text.includes(`| \`${flag}\` | ${words} |`), flag);
  }
});
