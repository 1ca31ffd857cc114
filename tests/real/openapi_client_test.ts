/** A client's types made from the OpenAPI document: named bodies that let right calls pass and hold wrong ones. */
import assert from "node:assert/strict";
import { openapi } from "../../doors/openapi.ts";
import { CODES } from "../../core/errors.ts";
import { TOOLS } from "../unit/doors/openapi_tools.ts";
import { runTool } from "../e2e/mcp_outside.ts";
import { folder } from "../folder.ts";

const USE = `
import type { components, operations } from "./api.ts";

type Draft = components["schemas"]["CreateDraftArguments"];
export const right: Draft = { site_id: "acme", title: "Hello", tags: ["a"], confirm: true };
export const least: Draft = { site_id: "acme", title: "Hello" };
// @ts-expect-error the title is missing
export const short: Draft = { site_id: "acme" };
// @ts-expect-error tags are a list
export const wrong: Draft = { site_id: "acme", title: "Hello", tags: "a" };
// @ts-expect-error no such argument
export const more: Draft = { site_id: "acme", title: "Hello", titel: "Hello" };
export const code: components["schemas"]["ErrorCode"] = "E_SCOPE_DENIED";
export type Same = operations["create_draft"]["requestBody"]["content"]["application/json"];
export const same: Same = right;
`;

Deno.test("a generated client knows each tool's arguments by name and checks them", async () => {
  await using place = await folder();
  await Deno.writeTextFile(
    `${place.path}/api.json`,
    openapi(TOOLS, "https://gate.test", CODES, ["cms", "crm", "sitebuilder", "static"]),
  );
  // Its own default would make every argument that has a default a required one.
  const options = ["--output", `${place.path}/api.ts`, "--default-non-nullable=false"];
  const made = await runTool("openapi", `${place.path}/api.json`, ...options);
  assert.equal(made.code, 0, made.stderr);
  await Deno.writeTextFile(`${place.path}/use.ts`, USE);
  const check = new Deno.Command(Deno.execPath(), {
    args: ["check", "--quiet", "--no-config", "--no-lock", "--no-remote", `${place.path}/use.ts`],
  });
  const { success, stderr } = await check.output();
  assert.ok(success, new TextDecoder().decode(stderr));
});
