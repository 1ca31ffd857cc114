/** Tasks of an operator's week, by links and forms from the overview on: a write in doubt, a change taken back, a held tool. */
import assert from "node:assert/strict";
import { listen } from "../e2e/mcp_start.ts";
import { startGitHub } from "../../sandbox/github/start.ts";
import { gateway, type Kit, MASTER } from "../kit.ts";
import type { Browser } from "../packages/puppeteer.ts";
import { signedIn } from "../people/kit.ts";
import { heldWorld } from "../tools/_held.ts";
import { world } from "../tools/_stand_in.ts";
import { settingsAt } from "../tools/_static.ts";
import { inChromium, titleOf } from "./browser.ts";
import { Operator } from "./_operator.ts";

const DESK = { width: 1280, scripts: true } as const;

/** A browser's way to a gateway that opens with that address as its own. */
async function served<At extends AsyncDisposable>(
  open: (baseUrl: string) => Promise<At>,
  gatewayOf: (at: At) => Kit,
) {
  const opened = Promise.withResolvers<Kit>();
  const { port, shutdown } = await listen(async () => (await opened.promise).gateway.fetch);
  const baseUrl = `http://localhost:${port}`;
  const at = await open(baseUrl);
  opened.resolve(gatewayOf(at));
  return {
    ...{ at, baseUrl },
    async [Symbol.asyncDispose]() {
      await shutdown();
      await at[Symbol.asyncDispose]();
    },
  };
}

/** Somebody who has just signed in with the master token, on the overview. */
async function master(browser: Browser, baseUrl: string, name: string): Promise<Operator> {
  const one = await Operator.at(browser, { ...DESK, name });
  await one.opens(`${baseUrl}/admin/login`);
  await one.fills("Master token", MASTER);
  await one.presses("Sign in");
  await one.opens(`${baseUrl}/admin`);
  return one;
}

/** Ends what a browser still holds open, so that the server can stop. */
async function leaves({ page }: Operator): Promise<void> {
  await page.browserContext().close();
}

const worldAt = (baseUrl: string) => world({ realClock: true, settings: { baseUrl } });

inChromium("an operator's tasks", {
  "a write in doubt is settled: found from the overview, what the site holds is said, and it is in doubt no more":
    async (
      browser,
    ) => {
      await using on = await served(worldAt, (at) => at.kit.gw);
      const { at } = on;
      at.cms.inject({ kind: "answer", status: 500, body: {}, applied: true }, { method: "POST" });
      at.cms.inject({ kind: "answer", status: 500, body: {} }, { method: "GET" });
      const args = { site_id: "open", post_id: at.draft.id, title: "After", confirm: true };
      await at.kit.gw.end("update_draft", args);
      const one = await master(browser, on.baseUrl, "doubt");
      await one.reads(/Writes in doubt/);
      await one.presses("Open writes in doubt");
      await one.presses("update_draft");
      await one.reads(/Nobody knows whether/);
      await one.ticks("was made");
      await one.fills("How you saw it", "Opened the post: it has the new title");
      await one.presses("Record it");
      await one.reads(/found it made: Opened the post/);
      await one.goes("Overview");
      assert.doesNotMatch(await one.page.$eval("main", (main) => main.innerText), /Writes in doubt/);
      await leaves(one);
    },

  "a member takes back what an agent changed: found on the overview, before and after read, undone": async (
    browser,
  ) => {
    await using on = await served(worldAt, (at) => at.kit.gw);
    const { at } = on;
    const grants = { role: "member", allowed_sites: ["open"], max_risk: 2 } as const;
    const mia = await signedIn(at.kit.gw, "mia@agency.example", grants);
    const { text } = await at.kit.gw.store.tokens.create({
      ...{ name: "agent", env: "prod", allowed_sites: ["open"], allowed_tools: ["*"], max_risk: 1 },
      ...{ skip_write_confirm: false, owner_user_id: mia.user.id },
    });
    const body = JSON.stringify({
      site_id: "open",
      post_id: at.draft.id,
      title: "Half price",
      confirm: true,
    });
    const headers = { authorization: `Bearer ${text}`, "content-type": "application/json" };
    const made = await at.kit.gw.http("/api/v1/tools/update_draft", {
      method: "POST",
      as: null,
      body,
      headers,
    });
    assert.equal(made.status, 200);
    await made.body?.cancel();
    const one = await Operator.at(browser, { ...DESK, name: "undo" });
    await one.page.browserContext().setCookie({
      ...{ name: "gateway_person", value: mia.browser.cookies.get("gateway_person")!, domain: "localhost" },
      ...{ path: "/", httpOnly: true, secure: false, sameSite: "Lax" },
    });
    await one.opens(`${on.baseUrl}/admin`);
    await one.presses("Take it back");
    await one.reads(/Before[\s\S]*Half price/);
    await one.presses("Take it back");
    assert.equal(await titleOf(one.page), "Take it back?");
    await one.reads(/Half price[\s\S]*Before/);
    await one.presses("Put it back");
    assert.equal(await titleOf(one.page), "Taken back");
    assert.equal(at.draft.title, "Before");
    await leaves(one);
  },

  "a static site is added with its repository, and the page says whether the app may write there": async (
    browser,
  ) => {
    await using host = await startGitHub();
    await host.make("acme/site");
    await using on = await served(
      (baseUrl) =>
        gateway({
          fetch: "network",
          allowPrivate: ["127.0.0.1"],
          settings: { ...settingsAt(host, {}), baseUrl },
          http: { sleep: () => Promise.resolve() },
        }),
      (gw) => gw,
    );
    const one = await master(browser, on.baseUrl, "static");
    await one.goes("Sites");
    await one.presses("Add a site");
    await one.presses("A static site on GitHub");
    await one.fills("Id", "bakery");
    await one.fills("Name", "The bakery");
    await one.fills("Address", "https://bakery.example");
    await one.fills("Repository", "acme/site");
    await one.fills("Branch", "main");
    await one.fills("Project at Cloudflare Pages", "bakery");
    await one.presses("Add the site");
    await one.reads(/The bakery/);
    await one.presses("Test the connection");
    await one.reads(/acme\/site/);
    await one.goes("Repository app");
    await one.reads(/The bakery[\s\S]*acme\/ ?site[\s\S]*acme/);
    await leaves(one);
  },

  "a held tool of a site is let on: found from the overview, run dry, approved, and the agent's call goes through":
    async (
      browser,
    ) => {
      const tool = "builder-mcp-create-post";
      await using on = await served(
        (baseUrl) => heldWorld({ kit: { settings: { baseUrl } } }),
        (at) => at.gw,
      );
      const { at } = on;
      const one = await master(browser, on.baseUrl, "held");
      await one.reads(/Tools nobody has looked at/);
      await one.presses("Open acme");
      await one.presses(tool);
      await one.chooses("What it does", "write: it changes");
      await one.chooses("Where it writes", "new: only adds");
      await one.fills("Arguments of a dry run", '{"title": "From the tool"}');
      const before = at.site();
      await one.presses("Run it dry");
      await one.reads(/Run dry; nothing was kept/);
      assert.equal(at.site(), before);
      await one.presses("Approve");
      await one.reads(/let through on this site/);
      const { proof } = await at.gw.proven(tool, { site_id: "acme", title: "From the tool" });
      assert.equal(proof.verified, true);
      await leaves(one);
    },
});
