/** Pictures and drawn pages of a request in a real browser: a page that tries everything reaches nobody. */
import assert from "node:assert/strict";
import type { Browser } from "../packages/puppeteer.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { PNG } from "../cms_kit.ts";
import { listen } from "../e2e/mcp_start.ts";
import type { Kit } from "../kit.ts";
import { approver, ask, asking, edit } from "../tools/_approvals.ts";
import { assertUsable, inChromium, pageOf, textOf } from "./browser.ts";

const WIDE = { width: 1280, height: 900 } as const;

/** A gateway on a port, and a page in which a person has signed in. */
async function place(browser: Browser) {
  const opened = Promise.withResolvers<Kit>();
  const { port, shutdown } = await listen(async () => (await opened.promise).gateway.fetch);
  const baseUrl = `http://localhost:${port}`;
  const at = await asking({ settings: { baseUrl } });
  opened.resolve(at.kit.gw);
  const bea = await approver(at);
  const context = await browser.createBrowserContext();
  const { page, complaints } = await pageOf(context);
  const value = bea.browser.cookies.get("gateway_person")!;
  await context.setCookie({
    ...{ name: "gateway_person", value, domain: "localhost", path: "/" },
    ...{ httpOnly: true, secure: false, sameSite: "Lax" },
  });
  return {
    ...{ at, context, page, complaints, baseUrl },
    async [Symbol.asyncDispose]() {
      await context.close();
      await shutdown();
      await at[Symbol.asyncDispose]();
    },
  };
}

/** Counts whoever connects to it: to look a name up, or to open a connection, is too much already. */
function listener() {
  const server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let count = 0;
  const ended = (async () => {
    for await (const connection of server) {
      count++;
      connection.close();
    }
  })();
  return {
    address: `http://127.0.0.1:${server.addr.port}`,
    get count() {
      return count;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      await ended;
    },
  };
}

/** Everything that a page can load, send, open or lead to by itself, or where somebody presses it. */
const everything = (evil: string) => `
<base href="${evil}/"><meta http-equiv="refresh" content="0; url=${evil}/refresh">
<meta http-equiv="Content-Security-Policy" content="default-src *"><meta name="referrer" content="unsafe-url">
<link rel="stylesheet" href="${evil}/a.css"><link rel="preconnect" href="${evil}"><link rel="dns-prefetch" href="${evil}">
<link rel="prefetch" href="${evil}/b"><link rel="preload" as="image" href="${evil}/c.png">
<link rel="modulepreload" href="${evil}/d.js"><link rel="icon" href="${evil}/e.ico"><link rel="manifest" href="${evil}/f">
<link rel="prerender" href="${evil}/g"><link rel="import" href="${evil}/h">
<style>@import "${evil}/i.css"; @font-face { font-family: x; src: url(${evil}/j.woff2) }
body { font-family: x; background: url(${evil}/k.png); cursor: url(${evil}/l.cur), auto; list-style: url(${evil}/m.png) }
h1::before { content: url(${evil}/n.png) } h1 { -webkit-mask-image: url(${evil}/o.png); border-image: url(${evil}/p.png) 1; color: rgb(1, 2, 3) }
</style>
<h1 id="drawn" style="background-image: url(${evil}/q.png)">Drawn</h1>
<script>top.document.title = "ran"; new Image().src = "${evil}/r"; fetch("${evil}/s"); location = "${evil}/t"; alert(1)</script>
<script src="${evil}/u.js"></script><script type="speculationrules">{"prefetch": [{"urls": ["${evil}/v"]}]}</script>
<img src="${evil}/w.png" srcset="${evil}/x.png 2x" onerror="alert(1)"><picture><source srcset="${evil}/y.png"><img src="/z.png"></picture>
<video src="${evil}/1" poster="${evil}/2.png" autoplay muted></video><audio src="${evil}/3" autoplay></audio>
<iframe src="${evil}/4"></iframe><iframe srcdoc="<script>parent.location='${evil}/5'</script>"></iframe>
<object data="${evil}/6"></object><embed src="${evil}/7"><body background="${evil}/8.png" onload="alert(1)">
<svg><image href="${evil}/9.png" /><use href="${evil}/10.svg#a" /><script href="${evil}/11.js" /><a href="${evil}/12"><text y="20">x</text></a></svg>
<form action="${evil}/13" method="post"><input name="a" value="b"><input type="image" src="${evil}/14.png" alt="c"><button id="send">Send</button></form>
<p><a id="away" href="${evil}/15" ping="${evil}/16">Away</a> <a id="top" target="_top" href="${evil}/17">Top</a>
<a id="blank" target="_blank" href="${evil}/18">New</a> <a id="script" href="javascript:alert(1)">Script</a>
<a id="ours" href="/admin/account">Ours</a> <a id="file" download href="data:text/plain,x">File</a></p>
`;

inChromium("what a request shows", {
  "a page from code that tries everything is drawn, and reaches nobody": async (browser) => {
    await using here = await place(browser);
    await using evil = listener();
    const { at, page, context } = here;
    const asked = await ask(at, edit(at, { content_html: everything(evil.address) }));
    let dialogs = 0;
    page.on("dialog", (dialog) => void (dialogs++, dialog.dismiss()));
    for (const id of [null, "send", "away", "top", "blank", "script", "ours", "file"]) {
      await page.goto(asked.approval.url);
      await page.$eval("iframe", (one) => one.scrollIntoView());
      const frame = await page.waitForFrame((one) => one.url().endsWith("/documents/0"));
      await frame.waitForSelector("#drawn");
      assert.match(await textOf(page), /Its links lead nowhere/);
      if (id !== null) {
        const element = await frame.waitForSelector(`#${id}`);
        await element!.focus();
        await page.keyboard.press("Enter");
        await page.waitForNetworkIdle({ idleTime: 100 });
      } else await page.waitForNetworkIdle({ idleTime: 500 });
      assert.equal(page.url(), asked.approval.url, `${id} leads nowhere`);
      assert.equal((await context.pages()).length, 1, `${id} opens nothing`);
      assert.equal(evil.count, 0, `${id ?? "opening it"} reaches nobody`);
      assert.doesNotMatch(await page.title(), /ran/);
    }
    assert.equal(dialogs, 0);
    await fetch(evil.address).catch(() => {});
    assert.equal(evil.count, 1, "who does reach it is counted");
  },

  "pictures and a drawn page at a phone's width and on a desk, in light and in dark": async (browser) => {
    await using here = await place(browser);
    const { at, page, complaints } = here;
    const file = (name: string, alt_text: string) =>
      addPost(at.cms.state, {
        ...{ type: "attachment", author: 1, status: "inherit", title: name, slug: name },
        file: {
          ...{ path: `2026/11/${name}`, mime_type: "image/png", width: 1, height: 1, alt_text },
          bytes: Uint8Array.fromBase64(PNG),
        },
      }).id;
    at.edit(at.draft, { featured_media: file("old.png", "The team of last year, in front of the shop") });
    const content_html = `<style>h2 { color: #0a4 }</style><h2>Spring</h2><p>We repair bicycles.</p>
<img src="/wp-content/uploads/2026/11/new.png" alt="The shop">
<img src="/wp-content/uploads/2026/11/none.png" alt="A picture that is not there">`;
    const asked = await ask(at, edit(at, { featured_media_id: file("new.png", ""), content_html }));
    for (const viewport of [{ width: 375, height: 700 }, WIDE]) {
      await page.setViewport(viewport);
      await page.goto(`${asked.approval.url}?frame=${viewport.width}`);
      await page.$$eval("figure, iframe", (all) => all.forEach((one) => one.scrollIntoView()));
      await page.waitForNetworkIdle({ idleTime: 200 });
      const frame = await page.waitForFrame((one) => one.url().endsWith("/documents/0"));
      assert.equal(
        await frame.evaluate('getComputedStyle(document.querySelector("h2")).color'),
        "rgb(0, 170, 68)",
      );
      assert.equal(await frame.evaluate("innerWidth"), viewport.width);
      const drawn = await page.$$eval("figure img", (all) => all.map((one) => one.naturalWidth > 0));
      assert.deepEqual(drawn, [true, false, true, true]);
      await assertUsable(page, complaints.filter((one) => !one.includes("Failed to load")));
      const folder = Deno.env.get("SCREENSHOTS");
      for (const value of folder ? ["light", "dark"] : []) {
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
        const path = `${folder}/views-${viewport.width}-${value}.png`;
        await page.screenshot({ path: path as `${string}.png`, fullPage: true });
        await page.$eval("#drawn", (one) => one.scrollIntoView());
        await page.screenshot({ path: path.replace("views", "drawn") as `${string}.png` });
      }
    }
  },
});
