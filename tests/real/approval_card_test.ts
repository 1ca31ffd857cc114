/** The card of a change in a browser, embedded by the official host kit: it shows what was answered, and leads to the page alone. */
import assert from "node:assert/strict";
import { CARD_EXTENSION, CARD_TYPE } from "../../doors/mcp_card.ts";
import { CARD_URI } from "../../registry/listing.ts";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { listen, start } from "../e2e/mcp_start.ts";
import { type Kit, site } from "../kit.ts";
import { operator } from "../people/kit.ts";
import { AXE } from "../packages/axe.ts";
import { AppBridge } from "../packages/mcp_apps.ts";
import { Client2, Transport2 } from "../packages/mcp_clients.ts";
import type { Browser, Page } from "../packages/puppeteer.ts";
import { until as untilWithin } from "../e2e/running.ts";
import { inChromium, pageOf, PHONE } from "./browser.ts";

const HOST = { name: "test host", version: "1.0.0" };
const HOSTILE = `<img src=x onerror="parent.postMessage('stolen','*')"><b>Sale</b> \u202egnp.exe`;

const DEADLINE_MS = 10_000;
const until = (fits: () => Promise<boolean>) => untilWithin(fits, DEADLINE_MS);

/** What the default of the protocol allows, where a card names no places. */
const POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; media-src 'self' data:; connect-src 'none'";
const PAGE =
  `<!DOCTYPE html><title>Host</title><iframe id="view" title="card" sandbox="allow-scripts" width="375"></iframe>
<script>addEventListener("message", ({ source, data }) => {
  if (source === document.getElementById("view").contentWindow) toHost(JSON.stringify(data));
});</script>`;

type Answer = Parameters<AppBridge["sendToolResult"]>[0];
type Transport = Parameters<AppBridge["connect"]>[0];

/** A card that shows an answer, and what it asked of its host. */
interface Shown {
  readonly page: Page;
  text(): Promise<string>;
  evaluate(source: string): Promise<unknown>;
  readonly opened: string[];
  readonly sizes: number[];
  readonly loaded: string[];
  readonly complaints: string[];
}

/**
 * Embeds the card as a host does. The kit runs in this process, and its messages go through the page: bundled into the page
 * it would need a bundler, which the project has none of.
 */
async function shown(browser: Browser, html: string, answer: Answer, openLinks = true): Promise<Shown> {
  const host = await listen(() => () =>
    new Response(PAGE, { headers: { "content-type": "text/html", "content-security-policy": POLICY } })
  );
  const { page, complaints } = await pageOf(await browser.createBrowserContext());
  const address = `http://127.0.0.1:${host.port}/`;
  const loaded: string[] = [];
  page.on("request", (request) => {
    if (request.frame() !== page.mainFrame() && !request.url().startsWith("about:")) {
      loaded.push(request.url());
    }
  });
  const transport: Transport = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send: async (message) => {
      const sent = JSON.stringify(message);
      await page.evaluate(`document.getElementById("view").contentWindow.postMessage(${sent}, "*")`);
    },
  };
  const bridge = new AppBridge(null, HOST, openLinks ? { openLinks: {} } : {}, {
    hostContext: { theme: "light", displayMode: "inline" },
  });
  const opened: string[] = [];
  const sizes: number[] = [];
  bridge.onsizechange = ({ height }) => void sizes.push(height ?? 0);
  if (openLinks) {
    bridge.onopenlink = ({ url }) => {
      opened.push(url);
      return Promise.resolve({});
    };
  }
  const ready = Promise.withResolvers<void>();
  bridge.oninitialized = () => ready.resolve();
  await page.exposeFunction("toHost", (text: string) => transport.onmessage?.(JSON.parse(text)));
  await page.goto(address);
  await bridge.connect(transport);
  await page.evaluate(`document.getElementById("view").srcdoc = ${JSON.stringify(html)}`);
  await ready.promise;
  await bridge.sendToolInput({ arguments: {} });
  await bridge.sendToolResult(answer);
  const frame = () => page.frames().find((one) => one !== page.mainFrame())!;
  const evaluate = async (source: string) => await frame().evaluate(source);
  await until(async () =>
    await evaluate("document.querySelector('.state').textContent") !== "Waiting for the answer"
  );
  await host.shutdown();
  return {
    page,
    text: async () => await evaluate("document.body.innerText") as string,
    evaluate,
    opened,
    sizes,
    loaded,
    complaints,
  };
}

/** The card, and what a client of a site on which a person approves is answered. */
async function answers(
  run: (at: {
    html: string;
    kit: Kit;
    call(name: string, args: Record<string, unknown>): Promise<Answer>;
  }) => Promise<void>,
): Promise<void> {
  const cms = await startWordPressStandIn();
  const { username, application_password } = cms.users.admin;
  const credentials = { cms: { username, application_password } };
  const blog = site("blog", "cms", { base_url: cms.base_url, credentials, confirm_policy: "human" });
  let kit: Kit | undefined;
  const started = await start(
    { fetch: "network", allowPrivate: ["127.0.0.1"], sites: [blog] },
    (opened) => kit = opened,
  );
  const client = new Client2(HOST, {
    capabilities: { extensions: { [CARD_EXTENSION]: { mimeTypes: [CARD_TYPE] } } },
    versionNegotiation: { mode: { pin: "2026-07-28" } },
  });
  const requestInit = { headers: { Authorization: `Bearer ${started.token}` } };
  await client.connect(new Transport2(new URL(started.url), { requestInit }));
  try {
    const { tools } = await client.listTools();
    const tool = tools.find(({ name }) => name === "create_draft")!;
    const { resourceUri } = (tool._meta as { ui: { resourceUri: string } }).ui;
    assert.equal(resourceUri, CARD_URI);
    const [content] = (await client.readResource({ uri: resourceUri })).contents;
    const { text: html } = content as { text: string };
    const call = async (name: string, args: Record<string, unknown>) =>
      await client.callTool({ name, arguments: args }) as Answer;
    await run({ html, kit: kit!, call });
  } finally {
    await client.close();
    await started.stop();
    await cms.stop();
  }
}

const told = (answer: Answer) => JSON.parse((answer.content[0] as { text: string }).text);
const DRAFT = { site_id: "blog", title: HOSTILE, content_html: "<p>Hello</p>" };

async function assertAccessible(card: Shown): Promise<void> {
  for (const value of ["light", "dark"]) {
    await card.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
    await card.evaluate(`document.documentElement.style.colorScheme = ${JSON.stringify(value)}`);
    const { violations } = await card.evaluate(`${AXE}; axe.run()`) as {
      violations: { id: string; impact: string }[];
    };
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    assert.deepEqual(serious, []);
    if (Deno.env.has("SCREENSHOTS")) {
      await card.page.evaluate(`document.getElementById("view").height = ${card.sizes.at(-1)}`);
      const path = `${Deno.env.get("SCREENSHOTS")}/card-${value}-${card.sizes.at(-1)}.png` as const;
      await card.page.screenshot({ path: path as `${string}.png`, fullPage: true });
    }
  }
  const [width, room] = await card.evaluate("[document.documentElement.scrollWidth, innerWidth]") as number[];
  assert.ok(width! <= room!, `${width} px on ${room}`);
  assert.ok(room! <= PHONE.width);
}

inChromium("the card of a change", {
  "a preview that waits is shown with what changes, as texts, and its button leads to the page of the request":
    (browser) =>
      answers(async ({ html, kit, call }) => {
        const preview = await call("create_draft", DRAFT);
        const { approval } = told(preview);
        const card = await shown(browser, html, preview);
        const text = await card.text();
        for (
          const part of [
            "Waits for a person",
            "blog",
            "create_draft",
            "What changes",
            "<b>Sale</b>",
            "U+202E",
          ]
        ) {
          assert.ok(text.includes(part), `${part} in ${text}`);
        }
        assert.ok(!text.includes("\u202e"));
        assert.equal(
          await card.evaluate("document.querySelectorAll('img, b, a, form, input, script[src]').length"),
          0,
        );
        const buttons = await card.evaluate(
          "[...document.querySelectorAll('button')].map((one) => one.textContent)",
        );
        assert.deepEqual(buttons, ["Open the page of this request"], "it takes no decision");
        await card.evaluate("document.querySelector('button').click()");
        await until(() => Promise.resolve(card.opened.length > 0));
        assert.deepEqual(card.opened, [approval.url]);
        assert.ok(card.sizes.at(-1)! > 100, "the host is told how high it is");
        await assertAccessible(card);
        assert.deepEqual([card.loaded, card.complaints], [[], []]);
        assert.equal(
          (await kit.store.approvals.find(approval.id))!.state,
          "pending",
          "and nothing is decided",
        );
      }),

  "a change set is shown with its sites and the changes of all its items": (browser) =>
    answers(async ({ html, call }) => {
      const { site_id, ...rest } = DRAFT;
      const changes = ["one", "two"].map((title) => ({
        tool: "create_draft",
        arguments: { site_id, ...rest, title },
      }));
      const answer = await call("prepare_changes", { title: "Two drafts", changes });
      const text = await (await shown(browser, html, answer)).text();
      for (
        const part of [
          "Waits for a person",
          "Two drafts: 2 changes",
          "blog",
          "item 1: title",
          "item 2: title",
        ]
      ) {
        assert.ok(text.includes(part), `${part} in ${text}`);
      }
    }),

  "what was decided is shown by get_approval, by a refusal, and by what was done": (browser) =>
    answers(async ({ html, kit, call }) => {
      const preview = told(await call("create_draft", DRAFT));
      const { id } = preview.approval;
      const confirming = { ...DRAFT, confirm: true, confirm_token: preview.confirm_token };
      const pending = await shown(browser, html, await call("create_draft", confirming));
      assert.match(await pending.text(), /Waits for a person[\s\S]*E_APPROVAL_PENDING/);
      const words = `No ${HOSTILE}`;
      await operator(kit, "POST", `approvals/${id}/reject`, { words });
      for (
        const answer of [
          await call("get_approval", { approval_id: id }),
          await call("create_draft", confirming),
        ]
      ) {
        const card = await shown(browser, html, answer);
        const text = await card.text();
        assert.match(text, /Rejected[\s\S]*The person's words[\s\S]*U\+202E/);
        assert.equal(await card.evaluate("document.querySelectorAll('img, b').length"), 0);
        assert.deepEqual(card.complaints, []);
      }
    }),

  "an answer that names another address, is no JSON, or comes from elsewhere leads nowhere": (browser) =>
    answers(async ({ html, call }) => {
      const preview = told(await call("create_draft", DRAFT));
      const saying = (value: unknown): Answer => ({
        content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }],
      });
      const own = new URL(preview.approval.url).origin;
      for (
        const url of [
          "https://evil.example/admin/approvals/x",
          `${own}.evil.example/admin/approvals/x`,
          "javascript:alert(1)",
          `${own}/admin/tokens`,
          7,
        ]
      ) {
        const card = await shown(
          browser,
          html,
          saying({ ...preview, approval: { ...preview.approval, url } }),
        );
        assert.equal(await card.evaluate("document.querySelectorAll('button').length"), 0, String(url));
      }
      const text = await shown(browser, html, saying("<script>alert(1)</script> [a](javascript:alert(1))"));
      assert.match(await text.text(), /Answered[\s\S]*<script>alert\(1\)<\/script>/);
      const forged = { jsonrpc: "2.0", method: "ui/notifications/tool-result", params: saying("forged") };
      await text.evaluate(`postMessage(${JSON.stringify(forged)}, "*")`);
      await text.evaluate("new Promise((done) => setTimeout(done, 0))");
      assert.doesNotMatch(await text.text(), /forged/, "only its host is listened to");
      const closed = await shown(browser, html, saying(preview), false);
      await closed.evaluate("document.querySelector('button').click()");
      await until(async () => (await closed.text()).includes("This program opens no pages"));
      assert.ok((await closed.text()).includes(preview.approval.url));
      assert.deepEqual(closed.complaints, []);
    }),
});
