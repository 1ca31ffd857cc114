/** A new operator's whole way in a real browser, by pages only: from the master token over a real WordPress to a revoked token. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { call, type Connected } from "../e2e/oauth_client.ts";
import { listen } from "../e2e/mcp_start.ts";
import { gateway, type Kit, MASTER } from "../kit.ts";
import { Client2, Transport2 } from "../packages/mcp_clients.ts";
import type { Browser } from "../packages/puppeteer.ts";
import { PASSPHRASE } from "../people/kit.ts";
import { Asker } from "../sandbox/asker.ts";
import { startWordPress } from "../wordpress.ts";
import { inChromium, textOf, titleOf } from "./browser.ts";
import { type Means, Operator } from "./_operator.ts";
import { ignore } from "./_wordpress.ts";

const EMAIL = "olga@agency.example";
const CONTENT =
  "<!-- wp:paragraph -->\n<p>Teh workshop is open from nine to five.</p>\n<!-- /wp:paragraph -->";
const ASKS = { site_id: "bikes", replacements: [{ find: "Teh workshop", replace: "The workshop" }] };

/** Nothing is set up: a gateway as it is right after it was started, and a WordPress that knows nothing of it. */
async function place(browser: Browser) {
  const site = await startWordPress();
  const opened = Promise.withResolvers<Kit>();
  const { port, shutdown } = await listen(async () => (await opened.promise).gateway.fetch);
  const baseUrl = `http://localhost:${port}`;
  const gw = await gateway({
    fetch: "network",
    realClock: true,
    allowPrivate: ["127.0.0.1"],
    settings: { baseUrl, privateUpstreams: ["127.0.0.1"] },
  });
  for (const { id } of await gw.store.tokens.list()) await gw.store.tokens.revoke(id);
  opened.resolve(gw);
  const post = { title: "Opening hours", content: CONTENT, status: "publish" };
  const { body } = await new Asker(site).rest("admin", "POST", "/posts", post);
  return {
    ...{ gw, baseUrl, site, post_id: body["id"] as number },
    async [Symbol.asyncDispose]() {
      // With their streams, which the server would wait for: also where an assertion ended the journey.
      for (const context of browser.browserContexts().slice(1)) await context.close();
      await shutdown();
      await gw[Symbol.asyncDispose]();
      await site.stop();
    },
  };
}
type Place = Awaited<ReturnType<typeof place>>;

/** An agent that was given the token of that text. */
async function agentOf(baseUrl: string, text: string): Promise<Connected> {
  const client = new Client2({ name: "agent", version: "1.0.0" });
  const headers = { authorization: `Bearer ${text}` };
  await client.connect(new Transport2(new URL(`${baseUrl}/mcp`), { requestInit: { headers } }));
  return client as unknown as Connected;
}

/** Signs in with the master token, finds the guide, and invites the person; answers the link. */
async function invites(master: Operator, { baseUrl }: Place): Promise<string> {
  await master.opens(baseUrl);
  await master.presses("Sign in with the master token");
  await master.fills("Master token", MASTER);
  await master.presses("Sign in");
  await master.reads(/Set this gateway up[^]*Invite yourself[^]*Nothing was changed yet/);
  await master.presses("Invite yourself");
  await master.presses("Invite somebody");
  await master.fills("E-mail address", EMAIL);
  await master.ticks("admin");
  const every = (name: string) => `input[name="${name}"][value="*"]`;
  for (const name of ["allowed_sites", "approve_sites"]) await master.page.click(every(name));
  await master.page.click('input[name="max_risk"][value="3"]');
  await master.presses("Make the invitation");
  return await master.copies();
}

/** Follows the link, and chooses how to sign in: a passkey where scripts run, else a passphrase. */
async function joins(person: Operator, link: string): Promise<void> {
  await person.opens(link);
  await person.reads(new RegExp(`Choose how ${EMAIL}`));
  if (person.means.scripts) {
    const session = await person.page.createCDPSession();
    await session.send("WebAuthn.enable");
    await session.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        ...{ protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true },
        ...{ isUserVerified: true, automaticPresenceSimulation: true },
      },
    });
    await person.presses("Make a passkey");
  } else {
    await person.fills("Passphrase", PASSPHRASE);
    await person.fills("The same again", PASSPHRASE);
    await person.presses("Set the passphrase");
  }
  assert.equal(await titleOf(person.page), "Overview");
}

/** Adds the WordPress by the form, tests the connection, and has the operator permit what goes live. */
async function adds(person: Operator, master: Operator, site: CmsSandbox): Promise<void> {
  await person.presses("Add the first site");
  await person.presses("Add a site");
  await person.presses("A site on WordPress");
  const { username, application_password } = site.users.admin;
  await person.fills("Id", "bikes");
  await person.fills("Name", "Bicycle workshop");
  await person.fills("Address", site.base_url);
  await person.fills("The account the gateway uses", username);
  await person.fills("Application password", application_password);
  await person.presses("Add the site");
  await person.reads(/Nothing was sent to it yet/);
  await person.presses("Test the connection");
  await person.reads(/The site answers, after \d+ ms, and takes the credentials/);
  assert.doesNotMatch(await textOf(person.page), /deno task admin/, "what is to do is done on pages");
  await master.goes("Sites");
  await master.presses("Bicycle workshop");
  await master.presses("Change its settings");
  await master.ticks("allow_publish");
  await master.presses("Save");
  await master.reads(/The site is changed/);
}

/** Makes a token whose changes a person approves; answers its text. */
async function makes(person: Operator): Promise<string> {
  await person.goes("Tokens");
  await person.fills("Name", "Desk agent");
  await person.ticks("Bicycle workshop");
  await person.page.select("#max_risk", "3");
  await person.page.select("#confirm_policy", "human");
  await person.presses("Make the token");
  return await person.copies();
}

/** Has what waits approved, and answers the address of its page. */
async function approves(person: Operator, title: string): Promise<string> {
  await person.goes("Approvals");
  await person.presses(title);
  const { page } = person;
  const address = page.url();
  await person.fills("Type", "Bicycle workshop");
  await person.presses("Approve");
  await person.reads(/Approved by olga@[^]*Verified:/);
  return address;
}

/** Opens the public page, as a visitor does. */
async function visits(browser: Browser, means: Means, { site, post_id }: Place): Promise<string> {
  const visitor = await Operator.at(browser, means);
  await visitor.opens(`${site.base_url}/?p=${post_id}`);
  return /Teh workshop|The workshop/.exec(await textOf(visitor.page))?.[0] ?? "";
}

async function whole(browser: Browser, means: Means): Promise<void> {
  await using at = await place(browser);
  const { baseUrl, post_id } = at;
  const [master, person] = [await Operator.at(browser, means), await Operator.at(browser, means)];
  await joins(person, await invites(master, at));
  await adds(person, master, at.site);
  const agent = await agentOf(baseUrl, await makes(person));
  const args = { ...ASKS, post_id };
  const asked = await call(agent, "revise_published", args);
  assert.equal(await visits(browser, means, at), "Teh workshop");
  const approval = await approves(person, "Change the post");
  assert.equal(approval, asked.approval.url);
  assert.equal(await visits(browser, means, at), "The workshop");

  await person.presses("Take it back");
  await person.reads(/Take back a change on Bicycle workshop/);
  await person.fills("Type", "Bicycle workshop");
  await person.presses("Approve");
  await person.reads(/Approved by olga@[^]*Verified:/);
  assert.equal(await visits(browser, means, at), "Teh workshop");

  await person.goes("Audit");
  await person.fills("Tool", "revise_published");
  await person.chooses("Change", "made");
  await person.presses("Show");
  await person.presses("revise_published");
  await person.reads(/Approved by olga@[^]*Before and after[^]*Teh workshop[^]*Taken back by/);

  await person.goes("Tokens");
  await person.presses("Desk agent");
  await person.presses("Revoke it");
  await person.reads(/The token is revoked/);
  await assert.rejects(call(agent, "list_sites", {}), /401|E_AUTH|revoked|not accepted/i);
  await agent.close();
  await master.goes("Overview");
  await master.reads(/What needs somebody[^]*The last changes/);
}

inChromium("a new operator", {
  "goes the whole way on a desk, with scripts and a passkey": (browser: Browser) =>
    whole(browser, { name: "desk", width: 1280, scripts: true }),
  "goes the whole way on a phone, without scripts": (browser: Browser) =>
    whole(browser, { name: "phone", width: 375, scripts: false }),
}, ignore);
