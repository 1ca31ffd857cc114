/** Clients made from the OpenAPI document by three generators: named bodies and results that hold wrong calls, and let right ones pass. */
import assert from "node:assert/strict";
import { describedTools, openapi } from "../../doors/openapi.ts";
import { CODES } from "../../core/errors.ts";
import { loadTools } from "../../registry/load.ts";
import EXAMPLES from "../../registry/examples.gen.json" with { type: "json" };
import { CONNECTORS } from "../connectors.ts";
import { runTool } from "../e2e/mcp_outside.ts";
import { folder } from "../folder.ts";

const ROOT = new URL("../../", import.meta.url);
const TOOLS = describedTools((await loadTools({ roots: [ROOT], known: CONNECTORS })).values());
const PARTS = { baseUrl: "https://gate.test", codes: CODES, kinds: CONNECTORS.kinds, examples: EXAMPLES };

/** What each client's types must let pass and hold, by the names that its generator gives them. */
const USE = `
export const right: Draft = { site_id: "acme", title: "Hello", content_html: "<p>Hi</p>", tags: ["a"], confirm: true };
export const least: Draft = { site_id: "acme", title: "Hello", content_html: "" };
// @ts-expect-error the title is missing
export const short: Draft = { site_id: "acme", content_html: "" };
// @ts-expect-error tags are a list
export const wrong: Draft = { site_id: "acme", title: "Hello", content_html: "", tags: "a" };
// @ts-expect-error no such argument
export const more: Draft = { site_id: "acme", title: "Hello", content_html: "", titel: "Hello" };
// What has a default may be left out.
export const listed: List = { site_id: "acme" };

export function urlOf(answer: Answer): string {
  if ("needs_confirmation" in answer) return answer.confirm_token;
  const { url, verified } = answer;
  // @ts-expect-error nothing of that name is answered
  void answer.titel;
  // @ts-expect-error it may be null
  const proven: boolean = verified;
  return proven ? url : answer.warnings.join();
}
`;

/** A generator: what it is asked, the module that it writes, and its names of what the use needs. */
interface Generator {
  readonly tool: "openapi" | "heyapi" | "orval";
  args(api: string, place: string): string[];
  readonly names: string;
}

const GENERATORS: readonly Generator[] = [{
  tool: "openapi",
  args: (api, place) => [api, "--output", `${place}/api.ts`],
  names: `
import type { components, operations } from "./api.ts";
type Draft = components["schemas"]["CreateDraftArguments"];
type List = operations["list_drafts"]["requestBody"]["content"]["application/json"];
type Answer = operations["create_draft"]["responses"][200]["content"]["application/json"]["result"];
export const code: components["schemas"]["ErrorCode"] = "E_SCOPE_DENIED";
`,
}, {
  tool: "heyapi",
  args: (api, place) => ["-i", api, "-o", `${place}/client`, "-p", "@hey-api/typescript"],
  names: `
import type { CreateDraftData, CreateDraftResponse, ListDraftsData } from "./client/types.gen.ts";
type Draft = CreateDraftData["body"];
type List = ListDraftsData["body"];
type Answer = CreateDraftResponse["result"];
export const keyed: CreateDraftData["headers"] = { "Idempotency-Key": "k-1" };
`,
}, {
  tool: "orval",
  args: (api, place) => ["--input", api, "--output", `${place}/api.ts`, "--client", "fetch"],
  names: `
import type { CreateDraftArguments, createDraft, createDraftResponse200, ListDraftsArguments } from "./api.ts";
type Draft = CreateDraftArguments;
type List = ListDraftsArguments;
type Answer = createDraftResponse200["data"]["result"];
export type Called = Parameters<typeof createDraft>[0];
export const called: Called = { site_id: "acme", title: "Hello", content_html: "" };
`,
}];

for (const { tool, args, names } of GENERATORS) {
  for (const version of ["3.0", "3.1"] as const) {
    Deno.test(`a client that ${tool} makes of ${version} knows each tool's arguments and result by name`, async () => {
      await using place = await folder();
      const api = `${place.path}/openapi.json`;
      await Deno.writeTextFile(api, openapi(TOOLS, PARTS, version));
      const made = await runTool(tool, ...args(api, place.path));
      assert.equal(made.code, 0, made.stderr || made.stdout);
      await Deno.writeTextFile(`${place.path}/use.ts`, names + USE);
      const check = new Deno.Command(Deno.execPath(), {
        args: ["check", "--quiet", "--no-config", "--no-lock", "--no-remote", `${place.path}/use.ts`],
      });
      const { success, stderr } = await check.output();
      assert.ok(success, new TextDecoder().decode(stderr));
    });
  }
}
