/** Who sees a request, and who decides on it: every person at every request, in the list, on its pages and over the admin API. */
import assert from "node:assert/strict";
import type { UserInput } from "../../store/store.ts";
import { approver, type Asked, asking, edit, master, refused } from "../tools/_approvals.ts";
import type { World } from "../tools/_stand_in.ts";
import { admin } from "../operator.ts";
import { said, unescaped } from "./kit.ts";

const LIST = "/admin/approvals";
type Approver = Awaited<ReturnType<typeof approver>>;

/** What people may do who look at the requests below. */
const PEOPLE: Readonly<Record<string, UserInput>> = {
  asker: { approve_sites: [] },
  "approver of both": { approve_sites: ["open", "acme"] },
  "approver of all": { approve_sites: ["*"] },
  "approver of one": { approve_sites: ["open"] },
  "approver who lost the site": { approve_sites: ["*"], allowed_sites: ["acme"] },
  "admin of both": { role: "admin", allowed_sites: ["open", "acme"], approve_sites: [] },
  "admin of one": { role: "admin", allowed_sites: ["open"], approve_sites: [] },
  "admin of another": { role: "admin", allowed_sites: ["shop"], approve_sites: [] },
  member: { approve_sites: [] },
};

/** By the request: who sees it, and who of those decides on it. */
const SEEN: Readonly<
  Record<string, { readonly sees: readonly string[]; readonly decides: readonly string[] }>
> = {
  "on one site": {
    sees: [
      "asker",
      "approver of both",
      "approver of all",
      "approver of one",
      "admin of both",
      "admin of one",
    ],
    decides: ["approver of both", "approver of all", "approver of one"],
  },
  "on two sites": {
    sees: ["asker", "approver of both", "approver of all", "admin of both"],
    decides: ["approver of both", "approver of all"],
  },
};

/** Requests of the asker's own token. */
async function requests(at: World, owner: string): Promise<Record<string, Asked>> {
  const { gw } = at.kit;
  const grants = { allowed_sites: ["*"], allowed_tools: ["*"], max_risk: 2, super_admin: false } as const;
  const { text } = await gw.store.tokens.create({
    ...{ ...grants, name: "hers", env: "prod", skip_write_confirm: false },
    ...{ confirm_policy: "human", owner_user_id: owner },
  });
  const call = async (tool: string, args: object) => {
    const response = await gw.http(`/api/v1/tools/${tool}`, {
      method: "POST",
      headers: { authorization: `Bearer ${text}`, "content-type": "application/json" },
      body: JSON.stringify(args),
    });
    const { result, error } = await response.json();
    assert.ok(result, JSON.stringify(error));
    return result as Asked;
  };
  const create = {
    tool: "create_draft",
    arguments: { site_id: "acme", title: "N", content_html: "<p>x</p>" },
  };
  return {
    "on one site": await call("update_draft", edit(at)),
    "on two sites": await call("prepare_changes", {
      title: "A set",
      changes: [{ tool: "update_draft", arguments: edit(at, { title: "Of a set" }) }, create],
    }),
  };
}

Deno.test("each person finds the requests that are theirs to see, and no other, wherever they are looked for", async () => {
  await using at = await asking();
  const people = new Map<string, Approver>();
  for (const [name, grants] of Object.entries(PEOPLE)) {
    const email = `${name.replaceAll(" ", ".")}@agency.example`;
    people.set(name, await approver(at, email, grants));
  }
  const asked = await requests(at, people.get("asker")!.user.id);
  const never = "01M8H9WNN6T3QNFBA8SN1VPJ4M";
  for (const [name, who] of people) {
    const { browser } = who;
    const list = await browser.open(LIST);
    const listed = (await browser.api("GET", "approvals")).result.approvals.map(({ id }: { id: string }) =>
      id
    );
    const missing = await browser.open(`${LIST}/${never}`);
    let yours = 0;
    for (const [of, { approval: { id } }] of Object.entries(asked)) {
      const about = `${name}, ${of}`;
      const sees = SEEN[of]!.sees.includes(name);
      const decides = SEEN[of]!.decides.includes(name);
      if (decides) yours++;
      assert.equal(list.text.includes(`${LIST}/${id}"`), sees, about);
      assert.equal(list.text.includes(`value="${id}"`), decides, about);
      assert.equal(listed.includes(id), sees, about);
      assert.equal((await who.show(id)).status, sees ? 200 : 404, about);
      const page = await browser.open(`${LIST}/${id}`);
      assert.equal(page.status, sees ? 200 : 404, about);
      assert.equal(/\/approve"/.test(page.text), decides, about);
      if (!sees) {
        assert.equal(said(page).replace(id, never), said(missing), "as one that was never asked for");
      }
      assert.equal((await browser.open(`${LIST}/together?id=${id}`)).status, sees ? 200 : 404, about);
      for (const way of ["pictures/0123456789abcdef0123", "documents/0", "documents/0/code", "edit"]) {
        const { status, text } = await browser.open(`${LIST}/${id}/${way}`);
        assert.equal(/There is no request/.test(unescaped(text)), !sees, `${about}, ${way}: ${status}`);
        if (!sees) assert.equal(status, 404, `${about}, ${way}`);
      }
      if (decides) continue;
      const code = sees ? "E_FORBIDDEN" : "E_NOT_FOUND";
      refused(await who.approve(id, "new.0"), code, /approve|no request/);
      refused(await who.reject(id, "no"), code, /approve|no request/);
      const csrf = /name="csrf" value="([^"]+)"/.exec(list.text)![1]!;
      for (const way of ["approve", "reject", "undo"]) {
        const sent = await browser.post(
          `${LIST}/${id}/${way}`,
          new URLSearchParams({ csrf, shown: "new.0" }),
        );
        assert.equal(sent.status, sees ? 403 : 404, `${about}, ${way}`);
      }
    }
    const count = new RegExp(
      `<span class="count" data-waiting="true"${yours === 0 ? ' hidden=""' : ""}>${yours}<`,
    );
    assert.match(list.text, count, name);
  }
  assert.equal(at.kit.writes, 0);
});

Deno.test("who sees what is asked is set by command: the role and the sites of a person", async () => {
  await using at = await asking();
  const asker = await approver(at, "asker@agency.example", { approve_sites: [] });
  const cleo = await approver(at, "cleo@agency.example", { approve_sites: [], allowed_sites: ["acme"] });
  const { approval: { id } } = (await requests(at, asker.user.id))["on one site"]!;
  const statuses: number[] = [];
  for (const [role, sites] of [["admin", "acme"], ["admin", "acme,open"], ["member", "acme,open"]] as const) {
    const { err } = await admin(at.kit.gw, "user", "update", cleo.user.id, "--role", role, "--sites", sites);
    assert.equal(err, "");
    statuses.push((await cleo.browser.open(`${LIST}/${id}`)).status);
  }
  assert.deepEqual(statuses, [404, 200, 404]);
});

Deno.test("an admin's way to a request is the role and the sites, and ends with either", async () => {
  await using at = await asking();
  const asker = await approver(at, "asker@agency.example", { approve_sites: [] });
  const dan = await approver(at, "dan@agency.example", {
    ...{ role: "admin", allowed_sites: ["open"], approve_sites: [] },
  });
  const { approval: { id } } = (await requests(at, asker.user.id))["on one site"]!;
  const page = await dan.browser.open(`${LIST}/${id}`);
  assert.match(
    page.text,
    /<div class="notice note"[^>]*><p>You can read this, and not decide on it\. You may not approve on open[\s\S]*<dl class="facts"/,
    "said before all else",
  );
  const { users } = at.kit.gw.store;
  for (
    const [narrowed, back] of [
      [{ role: "member" }, { role: "admin" }],
      [{ allowed_sites: ["acme"] }, { allowed_sites: ["open"] }],
    ] as const
  ) {
    await users.update(dan.user.id, narrowed);
    assert.equal((await dan.browser.open(`${LIST}/${id}`)).status, 404);
    await users.update(dan.user.id, back);
    assert.equal((await dan.browser.open(`${LIST}/${id}`)).status, 200);
  }
});

Deno.test("the master token decides only where nobody asks for four eyes, over each way that it has, and its rows say so", async () => {
  await using at = await asking();
  const { gw } = at.kit;
  const asker = await approver(at, "asker@agency.example", { approve_sites: [] });
  const asked = await requests(at, asker.user.id);
  await gw.store.sites.update("acme", { four_eyes: true });
  const two = asked["on two sites"]!.approval.id;
  refused(await master(at).approve(two), "E_FORBIDDEN", /On site "acme" the master token may not approve/);
  refused(await master(at).reject(two), "E_FORBIDDEN", /the master token may not approve/);
  assert.equal(at.kit.writes, 0);
  const one = asked["on one site"]!.approval.id;
  assert.equal((await master(at).approve(one)).status, 200);
  const row = (await gw.audit()).find(({ approval_id, outcome }) =>
    approval_id === one && outcome === "made"
  )!;
  assert.deepEqual([row.approved_by, row.door], ["master token", "admin"]);
});
