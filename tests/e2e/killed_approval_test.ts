/** A gateway killed between a person's yes on the page and the write: it is carried out once at most, and the page says what is known. */
import assert from "node:assert/strict";
import { startWordPressStandIn, type WordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { BASE, PersonBrowser, plain } from "../people/kit.ts";
import { inFolder, type Running, start } from "./running.ts";

/** The minute of a call, another until its doubt is judged, and some. */
const LATER_MS = 125_000;
const LIST = "/admin/approvals";
const EMAIL = "bea@agency.example";

const gatewayAt = (folder: string, env: Record<string, string>) =>
  start(folder, { BASE_URL: BASE, ...env }, {
    run: ["-A", "--no-check", "--unstable-kv", "--unstable-cron", "tests/e2e/stopping_gateway.ts"],
  });

/** A browser that reaches whichever process answers by now. */
function browserOf(running: { now: Running }): PersonBrowser {
  return new PersonBrowser({
    async http(path, { as: _, ...init } = {}) {
      return await fetch(`${await running.now.address()}${path}`, { ...init, redirect: "manual" });
    },
  });
}

/** What is kept of a site whose writes wait for a person, of an agent's token, and of a person who may approve. */
async function setUp(gateway: Running, cms: WordPressStandIn): Promise<{ token: string; link: string }> {
  const { username, application_password } = cms.users.admin;
  await gateway.admin("POST", "/sites", {
    ...{ id: "acme", name: "Acme", platform: "cms", base_url: cms.base_url, confirm_policy: "human" },
    credentials: { cms: { username, application_password } },
  });
  const { user_id } = await gateway.admin<{ user_id: string }>("POST", "/users", {
    ...{ email: EMAIL, role: "member", allowed_sites: ["acme"], approve_sites: ["acme"] },
  });
  const { link } = await gateway.admin<{ link: string }>("POST", `/users/${user_id}/invite`, {});
  return { link, token: (await gateway.token()).token };
}

/** At each point: whether it is written by then, and what the page says afterwards. */
const POINTS = {
  spent: { written: 0, says: /Your decision/ },
  begun: { written: 0, says: /It was cut off, and nobody knows whether it was done\. Look at the site/ },
  written: { written: 1, says: /It was cut off, and nobody knows whether it was done\. Look at the site/ },
  kept: { written: 1, says: /Approved by bea@agency\.example.*Verified/ },
} as const;

Deno.test("killed at any point behind a person's yes: the page says what is known, and nothing is written twice", async (t) => {
  await using cms = await startWordPressStandIn();
  const drafts = (title: string) => [...cms.posts.values()].filter((post) => post.title === title).length;
  await inFolder(async (folder) => {
    const first = gatewayAt(folder, {});
    const running = { now: first };
    const browser = browserOf(running);
    const { token, link } = await setUp(first, cms);
    await browser.join(link);
    const paths = new Map<string, string>();
    for (const point of Object.keys(POINTS)) {
      const args = { site_id: "acme", title: point, content_html: "<p>x</p>" };
      const asked = await first.call<{ approval: { id: string } }>(token, "create_draft", args);
      paths.set(point, `${LIST}/${asked.result.approval.id}`);
    }
    first.kill("SIGTERM");
    await first.ended;
    for (const [point, { written }] of Object.entries(POINTS)) {
      await using killed = gatewayAt(folder, { STOP_AT: point });
      running.now = killed;
      const path = paths.get(point)!;
      assert.match((await browser.open(path)).text, /\/approve"/, point);
      await assert.rejects(browser.submit(`${path}/approve`, {}), TypeError);
      assert.equal((await killed.ended).signal, "SIGKILL");
      assert.equal(drafts(point), written, point);
    }
    await using after = gatewayAt(folder, { AHEAD_MS: String(LATER_MS) });
    running.now = after;
    for (const [point, { written, says }] of Object.entries(POINTS)) {
      await t.step(point, async () => {
        const path = paths.get(point)!;
        const page = await browser.open(path);
        assert.match(plain(page.text), says);
        assert.equal(/\/approve"/.test(page.text), point === "spent", "only what was not begun has a form");
        if (point === "spent") {
          assert.match(
            plain((await browser.submit(`${path}/approve`, {})).text),
            /Approved by bea@.*Verified/,
          );
        }
        const args = { site_id: "acme", title: point, content_html: "<p>x</p>" };
        const again = await after.call(token, "create_draft", { ...args, confirm: true });
        assert.equal(again.error, undefined, "without its token the agent's confirm is a new question");
        assert.equal(drafts(point), point === "spent" ? 1 : written, "once at most");
      });
    }
  });
});
