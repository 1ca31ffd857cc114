/** Letting a client in as a person does: an official client, real pages in a browser on a phone, a confirmed draft. */
import assert from "node:assert/strict";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { gateway, type Kit, site } from "../kit.ts";
import { AXE } from "../packages/axe.ts";
import { Client2, Transport2 } from "../packages/mcp_clients.ts";
import type { Browser, Page } from "../packages/puppeteer.ts";
import { invited, PASSPHRASE, person, PersonBrowser } from "../people/kit.ts";
import { inChromium, pageOf } from "./browser.ts";

interface Place extends AsyncDisposable {
  readonly gw: Kit;
  readonly baseUrl: string;
  /** Where the client waits for the answer, and what it got. */
  readonly redirectUrl: string;
  readonly answers: URLSearchParams[];
}

/** A gateway on a port over a stand-in of WordPress, and the port of a client on the same machine. */
async function place(): Promise<Place> {
  const cms = await startWordPressStandIn();
  const serving = Promise.withResolvers<Kit>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request, info) => {
    return await (await serving.promise).gateway.fetch(request, info);
  });
  const answers: URLSearchParams[] = [];
  const client = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, ({ url }) => {
    if (new URL(url).pathname === "/callback") answers.push(new URL(url).searchParams);
    return new Response("<title>Client</title><h1>Back at the client</h1>", {
      headers: { "content-type": "text/html" },
    });
  });
  const { username, application_password } = cms.users.admin;
  const baseUrl = `http://localhost:${server.addr.port}`;
  const blog = site("blog", "cms", {
    name: "The blog",
    base_url: cms.base_url,
    credentials: { cms: { username, application_password } },
  });
  const gw = await gateway({
    fetch: "network",
    realClock: true,
    allowPrivate: ["127.0.0.1"],
    settings: { baseUrl },
    sites: [blog, site("acme", "cms")],
  });
  serving.resolve(gw);
  return {
    gw,
    baseUrl,
    redirectUrl: `http://127.0.0.1:${client.addr.port}/callback`,
    answers,
    async [Symbol.asyncDispose]() {
      await Promise.all([server.shutdown(), client.shutdown()]);
      await gw[Symbol.asyncDispose]();
      await cms.stop();
    },
  };
}

/** An official client that asks its person at `asks`, and how to go on once the person has answered. */
function clientOf(at: Place) {
  const asks: URL[] = [];
  const kept: Record<string, unknown> = {};
  const authProvider = {
    redirectUrl: at.redirectUrl,
    clientMetadata: { client_name: "<b>Desk</b>", redirect_uris: [at.redirectUrl] },
    clientInformation: () => kept.client,
    saveClientInformation: (client: unknown) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens: unknown) => void (kept.tokens = tokens),
    codeVerifier: () => kept.verifier,
    saveCodeVerifier: (verifier: unknown) => void (kept.verifier = verifier),
    discoveryState: () => kept.discovered,
    saveDiscoveryState: (discovered: unknown) => void (kept.discovered = discovered),
    state: () => "a state",
    redirectToAuthorization: (url: URL) => void asks.push(url),
  };
  type Options = ConstructorParameters<typeof Transport2>[1];
  const transport = () =>
    new Transport2(new URL(`${at.baseUrl}/mcp`), { authProvider } as unknown as Options);
  const client = () => new Client2({ name: "desk", version: "1.0.0" }, {});
  return {
    async ask(): Promise<string> {
      await assert.rejects(client().connect(transport()), /Unauthorized/);
      return asks.at(-1)!.href;
    },
    async goOn(answer: URLSearchParams) {
      await transport().finishAuth(answer);
      const connected = client();
      await connected.connect(transport());
      return connected;
    },
  };
}

const titleOf = (page: Page) => page.$eval("h1", (one) => one.textContent);
const textOf = (page: Page) => page.$eval("body", (one) => one.innerText);

/** Does something, and waits for where it leads. */
async function led(page: Page, work: Promise<unknown>): Promise<void> {
  await Promise.all([page.waitForNavigation(), work]);
}

/** No wider than the phone, nothing serious for axe, in light and in dark, and nothing tried to load or run. */
async function assertUsable(page: Page, complaints: readonly string[]): Promise<void> {
  for (const value of ["light", "dark"]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
    const [width, shown] = await page.evaluate(
      "[document.documentElement.scrollWidth, innerWidth]",
    ) as number[];
    assert.ok(width! <= shown!, `${width} px wide on ${shown}`);
    const { violations } = await page.evaluate(`${AXE}; axe.run()`) as {
      violations: readonly { id: string; impact: string | null; nodes: readonly { html: string }[] }[];
    };
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    assert.deepEqual(serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
  }
  assert.deepEqual(complaints, []);
}

/** Presses Tab until what has the focus fits the selector. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
  }
  assert.fail(`the keyboard does not reach ${selector} on ${page.url()}`);
}

/** A person who has joined before. */
async function member(at: Place): Promise<string> {
  const ann = await person(at.gw, "ann@agency.example");
  const link = await invited(at.gw, ann);
  const path = new URL(link).pathname;
  const browser = new PersonBrowser(at.gw);
  await browser.open(path);
  const joined = await browser.submit(path, { passphrase: PASSPHRASE, again: PASSPHRASE }, {
    headers: { origin: at.baseUrl },
  });
  assert.equal(joined.status, 200, joined.text);
  return ann.email;
}

inChromium("letting a client in", {
  "from the client's 401 over sign-in and consent, by keyboard on a phone, to a confirmed draft": async (
    browser: Browser,
  ) => {
    await using at = await place();
    const email = await member(at);
    const { page, complaints } = await pageOf(await browser.createBrowserContext());
    const client = clientOf(at);
    await page.goto(await client.ask());
    assert.equal(await titleOf(page), "Sign in");
    await tabTo(page, 'input[name="email"]');
    await page.keyboard.type(email);
    await tabTo(page, 'input[name="passphrase"]');
    await page.keyboard.type(PASSPHRASE);
    await led(page, page.keyboard.press("Enter"));
    assert.equal(await titleOf(page), "Let “<b>Desk</b>” in?");
    const text = await textOf(page);
    assert.match(text, /Nobody has verified that name/);
    assert.match(text, /a program on the machine you are at \(127\.0\.0\.1\)/);
    assert.doesNotMatch(text, /create_draft/, "what the groups hold is folded away");
    await tabTo(page, 'input[name="groups"][value="posts"] + div summary');
    await page.keyboard.press("Enter");
    assert.match(await textOf(page), /create_draft/);
    await assertUsable(page, complaints);

    const [allow, deny] = await page.$$eval(
      "button[name=answer]",
      (all) => all.map((one) => one.getBoundingClientRect().toJSON()),
    );
    assert.ok(deny.left - allow.right >= 8 || deny.top - allow.bottom >= 8, "a yes is no slip of the thumb");
    await tabTo(page, 'button[value="allow"]');
    await led(page, page.keyboard.press("Enter"));
    assert.match(await textOf(page), /Tick at least one site/, "no site of several is ticked");
    await assertUsable(page, complaints);
    await tabTo(page, 'input[name="sites"][value="blog"]');
    await page.keyboard.press("Space");
    await tabTo(page, 'button[value="allow"]');
    await led(page, page.keyboard.press("Enter"));
    assert.equal(await titleOf(page), "Back at the client");
    assert.deepEqual(complaints, [], "the policy let the form lead there");
    assert.equal(at.answers[0]!.get("state"), "a state");

    const connected = await client.goOn(at.answers[0]!);
    try {
      const call = async (args: Record<string, unknown>) => {
        const { content } = await connected.callTool({ name: "create_draft", arguments: args });
        return JSON.parse((content as { text: string }[])[0]!.text);
      };
      const draft = { site_id: "blog", title: "Written by the desk", content_html: "<p>Hello</p>" };
      const { confirm_token } = await call(draft);
      assert.equal((await call({ ...draft, confirm: true, confirm_token })).status, "draft");
      await page.goto(`${at.baseUrl}/admin/clients`);
      assert.match(await textOf(page), /<b>Desk<\/b>/);
      await assertUsable(page, complaints);
      await led(page, page.click('form[action="/admin/clients/end"] button'));
      await assert.rejects(connected.listTools(), /the connection has ended/);
    } finally {
      await connected.close();
    }
  },

  "who denies is led back with a refusal, and a frame shows nothing": async (browser: Browser) => {
    await using at = await place();
    const email = await member(at);
    const { page, complaints } = await pageOf(await browser.createBrowserContext());
    const address = await clientOf(at).ask();
    await page.goto(address);
    await page.type('input[name="email"]', email);
    await page.type('input[name="passphrase"]', PASSPHRASE);
    await led(page, page.keyboard.press("Enter"));
    await led(page, page.click('button[value="deny"]'));
    assert.equal(await titleOf(page), "Back at the client");
    assert.equal(at.answers[0]!.get("error"), "access_denied");
    assert.deepEqual(complaints, []);

    await page.setContent(`<iframe src="${address.replaceAll("&", "&amp;")}"></iframe>`);
    const frame = await (await page.waitForSelector("iframe"))!.contentFrame();
    assert.ok(!(await frame!.content()).includes("Desk"));
    assert.deepEqual(await at.gw.store.oauthGrants.list(), []);
  },
});
