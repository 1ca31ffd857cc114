/** From the 401 over consent to a confirmed draft in a real WordPress, by official clients that know nothing but the address. */
import assert from "node:assert/strict";
import { inChromium, pageOf } from "./browser.ts";
import { callback, member, sayYes, signIn } from "./oauth_browser.ts";
import { call, draft, first, type Line, second } from "../e2e/oauth_client.ts";
import { allowed } from "../guard/oauth_kit.ts";
import { operator } from "../people/kit.ts";
import { inPlace, onPort } from "./_oauth.ts";
import { fresh, HIDDEN, ignore, on, onWordPress, type Real } from "./_wordpress.ts";

type Test = Parameters<typeof onWordPress>[0][string];

/** That a post stands in WordPress as a draft, which no visitor sees. */
async function assertDraft(at: Real, id: number, title: string): Promise<void> {
  const stored = await at.stored(id);
  assert.equal(stored["status"], "draft");
  assert.equal((stored["title"] as { raw: string }).raw, title);
  assert.deepEqual(await at.visitor(id), HIDDEN);
}

const drafts = (line: Line): Test => async (site) =>
  await inPlace(site, async ({ at, baseUrl, user }) => {
    const stranger = line(`${baseUrl}/mcp`);
    const connected = await stranger.goOn((await allowed(await stranger.ask())).searchParams);
    try {
      const title = fresh("By a client that was let in");
      await assertDraft(at, await draft(connected, "acme", title), title);
      const { oauthGrants } = at.kit.gw.store;
      const [listed] = await oauthGrants.list(user.id);
      await oauthGrants.end(listed!.grant.id, "its user ended it");
      await assert.rejects(connected.listTools(), /the connection has ended/);
    } finally {
      await connected.close();
    }
  });

/** A client for which a person approves: nothing is made before, and by the yes what its preview showed. */
const approved = (line: Line): Test => async (site) =>
  await inPlace(site, async ({ at, baseUrl }) => {
    const stranger = line(`${baseUrl}/mcp`);
    const choice = { confirm_policy: "human" };
    const connected = await stranger.goOn((await allowed(await stranger.ask(), choice)).searchParams);
    try {
      const title = fresh("Of a client that asks a person");
      const args = { site_id: "acme", title, content_html: "<p>Hello</p>" };
      const { approval, confirm_token } = await call(connected, "create_draft", args);
      const confirmed = { ...args, confirm: true, confirm_token };
      await assert.rejects(call(connected, "create_draft", confirmed), /E_APPROVAL_PENDING/);
      const { result } = await operator(at.kit.gw, "GET", `approvals/${approval.id}`);
      const { preview } = result as unknown as { preview: { shown: string } };
      const yes = await operator(at.kit.gw, "POST", `approvals/${approval.id}/approve`, {
        shown: preview.shown,
      });
      assert.equal(yes.status, 200, JSON.stringify(yes.error));
      const made = await call(connected, "create_draft", confirmed);
      assert.equal(made.replayed, true);
      await assertDraft(at, made.id, title);
    } finally {
      await connected.close();
    }
  });

const wordpress = onWordPress({
  "a client of SDK line 1 that asks a person makes its draft once somebody has approved": approved(first),
  "a client of SDK line 2 that asks a person makes its draft once somebody has approved": approved(second()),
  "a client of SDK line 1 that was let in makes the draft its preview showed, and is ended": drafts(first),
  "a client of SDK line 2 that was let in makes the draft its preview showed, and is ended": drafts(second()),
});

inChromium(`letting a client in on ${on}`, {
  "a person signs in and says yes by keyboard on a phone, and the client makes its draft": (browser) =>
    onPort(wordpress(), "localhost", {}, async (at, baseUrl) => {
      await using back = callback();
      const email = await member(at.kit.gw, baseUrl);
      const { page, complaints } = await pageOf(await browser.createBrowserContext());
      const stranger = first(`${baseUrl}/mcp`, "Desk", back.url);
      await page.goto((await stranger.ask()).href);
      await signIn(page, email);
      await sayYes(page, "acme");
      assert.deepEqual(complaints, [], "the policy let the form lead there");
      const connected = await stranger.goOn(back.answers[0]!);
      try {
        const title = fresh("By a client that was let in with a browser");
        await assertDraft(at, await draft(connected, "acme", title), title);
      } finally {
        await connected.close();
      }
    }),
}, ignore);
