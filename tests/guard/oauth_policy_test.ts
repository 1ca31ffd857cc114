/** Who confirms a client's changes: what the page of consent offers, what is granted, and that the strictest holds. */
import assert from "node:assert/strict";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { site } from "../kit.ts";
import { operator } from "../people/kit.ts";
import { oauth, test, type World } from "./oauth_kit.ts";

const BOX = /name="confirm_policy" value="human" type="checkbox"( checked)?/;

/** The page of consent, and whether it has the box ticked. */
async function asked(at: World, client_id?: string): Promise<{ text: string; ticked: boolean }> {
  const id = client_id ?? (await at.register()).body.client_id;
  const text = await (await at.browse(at.address(id))).text();
  const box = BOX.exec(text);
  assert.ok(box, "the box is offered");
  return { text, ticked: box[1] !== undefined };
}

const POST = { title: "By a client", content_html: "<p>Hello</p>" };

/** A test in a world whose sites stand at a WordPress. */
function withSites(name: string, run: (at: World) => Promise<void>): void {
  Deno.test(name, async () => {
    const cms = await startWordPressStandIn();
    const { username, application_password } = cms.users.admin;
    const credentials = { cms: { username, application_password } };
    const at = await oauth({
      fetch: "network",
      allowPrivate: ["127.0.0.1"],
      sites: ["acme", "other", "third"].map((id) => site(id, "cms", { base_url: cms.base_url, credentials })),
    });
    try {
      await run(at);
    } finally {
      await at[Symbol.asyncDispose]();
      await cms.stop();
    }
  });
}

/** What a write of a client is answered first. */
async function writes(at: World, token: string, site_id = "acme") {
  const answer = await at.with(token, "/api/v1/tools/create_draft", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ site_id, ...POST }),
  });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.result;
}

const policies = async (at: World) =>
  (await at.gw.store.oauthGrants.list()).map(({ grant }) => grant.confirm_policy);

withSites(
  "where a client may write what visitors get the box is ticked, and what is granted waits for a person",
  async (at) => {
    assert.equal((await asked(at)).ticked, true);
    const { access_token, refresh_token, client_id } = await at.connect({ confirm_policy: "human" });
    assert.deepEqual(await policies(at), ["human"]);
    const preview = await writes(at, access_token);
    assert.ok(preview.approval.id, JSON.stringify(preview));
    const confirmed = await at.with(access_token, "/api/v1/tools/create_draft", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        site_id: "acme",
        ...POST,
        confirm: true,
        confirm_token: preview.confirm_token,
      }),
    });
    assert.equal(confirmed.body.error.code, "E_APPROVAL_PENDING");
    const renewed = await at.refresh(client_id, refresh_token);
    assert.equal(renewed.status, 200);
    assert.ok((await writes(at, renewed.body.access_token)).approval, "a renewed token has the same policy");
    const granted = (await at.gw.audit()).find(({ tool }) => tool === "client.grant");
    assert.match(JSON.stringify(granted), /confirm_policy.{1,5}human/);
  },
);

withSites("unticked the client confirms itself, and the lists say which it is", async (at) => {
  const { access_token } = await at.connect({ confirm_policy: [] });
  assert.deepEqual(await policies(at), ["preview"]);
  const preview = await writes(at, access_token);
  assert.equal(preview.needs_confirmation, true);
  assert.equal(preview.approval, undefined);
  await at.connect({ confirm_policy: "human" });
  const { result } = await operator(at.gw, "GET", "clients");
  const listed = (result as unknown as { clients: { confirm_policy: string }[] }).clients;
  assert.deepEqual(listed.map(({ confirm_policy }) => confirm_policy), ["preview", "human"]);
});

test("a form can ask for no less than a preview, whatever it sends", async (at) => {
  const sent: [string | string[], string][] = [
    ["flag", "human"],
    ["preview", "human"],
    ["", "human"],
    [["human", "flag"], "human"],
    [[], "preview"],
  ];
  for (const [confirm_policy, granted] of sent) {
    await at.connect({ confirm_policy, policy: "flag", skip_write_confirm: "true" });
    assert.equal((await policies(at)).at(-1), granted, JSON.stringify(confirm_policy));
  }
});

Deno.test("for a person who may grant drafts alone the box is not ticked, until a client has it", async () => {
  await using at = await oauth({}, { max_risk: 1 });
  assert.equal((await asked(at)).ticked, false);
  const { client_id } = await at.connect({ confirm_policy: "human" });
  const again = await asked(at, client_id);
  assert.equal(again.ticked, true, "asked again it keeps what it has");
  assert.match(again.text, /So far a person approves each change of this program/);
  assert.equal((await asked(at)).ticked, false, "another client has its own");
  for (const { grant } of await at.gw.store.oauthGrants.list()) {
    await at.gw.store.oauthGrants.end(grant.id, "its user ended it");
  }
  assert.equal((await asked(at, client_id)).ticked, false, "what has ended says nothing");
});

withSites("a site's and a project's policy are said on the page, and hold whatever is ticked", async (at) => {
  const { store } = at.gw;
  assert.ok(!(await asked(at)).text.includes("in any case"));
  await store.sites.update("acme", { confirm_policy: "human" });
  await store.projects.create({ id: "north", name: "North", confirm_policy: "human" });
  await store.sites.update("other", { project_id: "north" });
  assert.match((await asked(at)).text, /On acme, other a person approves each change in any case/);
  const { access_token } = await at.connect({ confirm_policy: [], sites: ["acme", "other", "third"] });
  for (const [id, waits] of [["acme", true], ["other", true], ["third", false]] as const) {
    assert.equal((await writes(at, access_token, id)).approval !== undefined, waits, id);
  }
});

test("the page says where its person may approve", async (at) => {
  assert.match((await asked(at)).text, /You have no right to approve; the operator gives it/);
  await at.gw.store.users.update(at.user.id, { approve_sites: ["acme"] });
  assert.match(
    (await asked(at)).text,
    /You may approve on acme; elsewhere it is somebody who has that right/,
  );
  await at.gw.store.users.update(at.user.id, { approve_sites: ["*"] });
  assert.match((await asked(at)).text, /You may approve on all of these sites/);
});
