/** What of a repository host is taken away where an operator cleans: a preview branch of the gateway's own. */
import assert from "node:assert/strict";
import type { Site } from "../../../core/model.ts";
import type { Outgoing, PublishGrant } from "../../../platforms/_http/request.ts";
import github from "../../../platforms/github/connector.ts";
import { verdict } from "./_judged.ts";
import { site } from "./_site.ts";

const GRANT = { site_id: "acme", tool: "t" } as PublishGrant;
const HOST = "https://api.github.com";
const OWN = `${HOST}/repos/acme/site`;
const STATIC = { platform: "static", repo: "acme/site", repo_branch: "main" } as const;
const MARKDOWN = { platform: "cms", repo: "acme/site", repo_branch: "main" } as const;

type Rest = Partial<Outgoing>;

Deno.test("where an operator cleans a preview branch is taken away, and nothing else", () => {
  const said = (given: Partial<Site>, path: string, more: Rest = {}) => {
    const out = { method: "DELETE", url: `${OWN}${path}`, effect: "write", ...more } as const;
    return verdict(github, site(given), out, { cleaning: true, granted: () => true });
  };
  const own = "/git/refs/heads/mcp/a1/1700000000";
  assert.equal(said(STATIC, own), "passes");
  const refused: [Partial<Site>, string, Rest?][] = [
    [{ ...STATIC, repo_branch: "mcp/a1/1700000000" }, own],
    [MARKDOWN, own],
    [STATIC, own, { grant: GRANT }],
    [STATIC, own, { json: {} }],
    [STATIC, `${own}?a=1`],
    [STATIC, `${own}/../../main`],
    [STATIC, "/git/refs/heads/mcp%2Fa1%2F1700000000%2F..%2Fmain"],
    [STATIC, "/git/refs/heads/main"],
    [STATIC, "/git/refs/heads/mcp/trial"],
    [STATIC, "/git/refs/heads/mcp"],
    [STATIC, "/git/refs/tags/mcp/a1/1700000000"],
    [STATIC, "/contents/mcp/a1/1700000000"],
    [STATIC, "/git/refs/heads/"],
    [STATIC, ""],
  ];
  for (const [given, path, more] of refused) {
    assert.match(said(given, path, more), /only an operator who cleans|cannot be judged|elsewhere/, path);
  }
  const other = { method: "DELETE", url: `${HOST}/repos/acme/other${own}`, effect: "write" } as const;
  assert.match(verdict(github, site(STATIC), other, { cleaning: true }), /it writes elsewhere/);
});
