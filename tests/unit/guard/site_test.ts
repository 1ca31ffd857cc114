/** Step 9: which site a call is about; what a stranger learns of sites that are not theirs, which is nothing. */
import assert from "node:assert/strict";
import { sitesInScope } from "../../../guard/pipeline/scope.ts";
import { findSite } from "../../../guard/pipeline/site.ts";
import { site } from "../platforms/_site.ts";
import { caller, refusal } from "./_callers.ts";

const asked: string[] = [];
const sites = {
  get(id: string) {
    asked.push(id);
    return id === "acme" ? site({}) : null;
  },
};
const ACME = { allowed_sites: ["acme", "gone"] };

Deno.test("a registered site in scope is found, at once or by a promise", async () => {
  assert.equal((await findSite(sites, caller(ACME), "acme")).id, "acme");
  const slow = { get: (id: string) => Promise.resolve(sites.get(id)) };
  assert.equal((await findSite(slow, caller(), "acme")).id, "acme");
});

Deno.test("a missing site is required by the name of its argument", async () => {
  const { message } = await refusal(
    () => findSite(sites, caller(), undefined, "target_site_id"),
    "E_BAD_INPUT",
  );
  assert.match(message, /^target_site_id is required; list_sites names/);
});

Deno.test("out of the token's scope, or of its owner's, is denied without a look whether the site exists", async () => {
  const strangers = [
    caller({ allowed_sites: ["other"] }),
    caller({ allowed_sites: [] }),
    caller({}, { allowed_sites: ["other"] }),
    caller(ACME, { allowed_sites: ["other"] }),
    caller({ allowed_sites: ["other"] }, { allowed_sites: ["acme"] }),
  ];
  for (const stranger of strangers) {
    asked.length = 0;
    const there = await refusal(() => findSite(sites, stranger, "acme"), "E_SCOPE_DENIED");
    const nowhere = await refusal(() => findSite(sites, stranger, "nowhere"), "E_SCOPE_DENIED");
    assert.equal(there.message.replace("acme", "nowhere"), nowhere.message);
    assert.deepEqual([there.audit, nowhere.audit, asked], ["denied", "denied", []]);
  }
});

Deno.test("a site that is not registered is told so to who may see all, and to who was given its name", async () => {
  const all = await refusal(() => findSite(sites, caller(), "gone"), "E_NOT_FOUND");
  assert.match(all.message, /^site_id: no site "gone" is registered; list_sites names/);
  const named = await refusal(() => findSite(sites, caller(ACME), "gone"), "E_NOT_FOUND");
  assert.match(named.message, /the token names it, yet it is not there$/);
  const limited = caller({}, { allowed_sites: ["gone"] });
  assert.match((await refusal(() => findSite(sites, limited, "gone"), "E_NOT_FOUND")).message, /not there$/);
});

Deno.test("a star among sites is a scope only where it stands alone as an entry, never inside a name", async () => {
  await refusal(() => findSite(sites, caller({ allowed_sites: ["ac*"] }), "acme"), "E_SCOPE_DENIED");
  assert.equal((await findSite(sites, caller({ allowed_sites: ["*"] }), "acme")).id, "acme");
});

Deno.test("a long name is shown in part", async () => {
  const { message } = await refusal(() => findSite(sites, caller(), "x".repeat(5000)), "E_NOT_FOUND");
  assert.ok(message.length < 200);
});

Deno.test("a caller is told of the sites in scope alone, whether none was named or one by another name", async () => {
  const all = [site({ id: "acme", name: "Acme" }), site({ id: "secret", name: "Secret" })];
  const listed = { ...sites, list: () => Promise.resolve(all) };
  const none = await refusal(() => findSite(listed, caller(ACME), undefined), "E_BAD_INPUT");
  assert.match(none.message, /: "acme" \(cms\)$/);
  const meant = await refusal(() => findSite(listed, caller(ACME), "Acme"), "E_SCOPE_DENIED");
  assert.match(meant.message, /did you mean "acme"/);
  const other = await refusal(() => findSite(listed, caller(ACME), "Secret"), "E_SCOPE_DENIED");
  assert.doesNotMatch(other.message, /did you mean/);
});

Deno.test("the sites of a token with an owner are those that both name", () => {
  const scopes: [token: string[], owner: string[] | null, both: string[]][] = [
    [["*"], null, ["*"]],
    [["a", "b"], null, ["a", "b"]],
    [["a", "b"], ["*"], ["a", "b"]],
    [["*"], ["b", "c"], ["b", "c"]],
    [["a", "b"], ["b", "c"], ["b"]],
    [["a"], ["c"], []],
  ];
  for (const [token, owner, both] of scopes) {
    const who = caller({ allowed_sites: token }, owner && { allowed_sites: owner });
    assert.deepEqual(sitesInScope(who), both);
  }
});
