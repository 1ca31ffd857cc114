/** The pages of sites in a real browser: at a phone's width and a desk's, in light and in dark, and by keyboard. */
import assert from "node:assert/strict";
import type { Browser } from "../packages/puppeteer.ts";
import { gateway, type Kit, site } from "../kit.ts";
import { visited } from "../tools/_visited.ts";
import { heldWorld } from "../tools/_held.ts";
import { inChromium, led, looked, pageOf, signInAsMaster, tabTo, textOf, titleOf } from "./browser.ts";
import { listen } from "../e2e/mcp_start.ts";

const LONG = "Ω".repeat(60) + " <b>a name that does not end</b>";

async function place() {
  const opened = Promise.withResolvers<Kit>();
  const { port, shutdown } = await listen(async () => (await opened.promise).gateway.fetch);
  const baseUrl = `http://localhost:${port}`;
  const gw = await gateway({
    realClock: true,
    settings: { baseUrl },
    sites: [
      site("acme", "cms", { name: "Acme", project_id: "north" }),
      site("bakery", "static", { name: LONG, repo: "agency/bakery", repo_branch: "main" }),
      site("clinic", "crm", { name: "Clinic" }),
    ],
  });
  opened.resolve(gw);
  await gw.store.projects.create({ id: "north", name: "North", confirm_policy: "flag" });
  await gw.store.sites.update("acme", {
    flags: { allow_publish: true, allow_seo_on_published: true },
    credentials: {
      cms: { username: "gateway", application_password: "abcd" },
      behavior: { export_token: "e".repeat(40) },
    },
    behavior_project_id: "clar1ty",
  });
  return {
    gw,
    baseUrl,
    async [Symbol.asyncDispose]() {
      await shutdown();
      await gw[Symbol.asyncDispose]();
    },
  };
}

/** Fourteen days of visits, one of them missing. */
async function history(gw: Kit): Promise<void> {
  const [{ default: clarity }, { newestDate, daysUpTo }] = await Promise.all([
    import("../../platforms/clarity/connector.ts"),
    import("../../rules/snapshot_days.ts"),
  ]);
  const dates = daysUpTo(newestDate(Date.now()), 14);
  for (const [at, date] of dates.entries()) {
    if (at === 5) continue;
    await gw.store.snapshots.put(clarity.name, {
      site_id: "acme",
      date,
      source: "clar1ty",
      status: "ok",
      error: null,
      attempts: 1,
      retry: false,
      credentials_version: 1,
      pulled_at: `${date}T01:30:00.000Z`,
      window_start: null,
      window_end: null,
      late: false,
      metrics: { sessions: 40 + at * 7 % 33, distinct_users: 20 + at * 5 % 17 },
    }, 400);
  }
}

inChromium("sites", {
  "every page of sites is usable at both widths, in light and in dark": async (browser: Browser) => {
    await using at = await place();
    await history(at.gw);
    const { page, complaints } = await pageOf(await browser.createBrowserContext());
    await signInAsMaster(page, at.baseUrl);
    const pages = [
      ["list", "/admin/sites"],
      ["none", "/admin/sites?q=nothing"],
      ["kinds", "/admin/sites/new"],
      ["add-cms", "/admin/sites/new?platform=cms"],
      ["add-static", "/admin/sites/new?platform=static"],
      ["add-crm", "/admin/sites/new?platform=crm"],
      ["site", "/admin/sites/acme"],
      ["site-static", "/admin/sites/bakery"],
      ["snapshots", "/admin/snapshots"],
      ["snapshots-of-one", "/admin/snapshots?site=acme&days=31"],
      ["edit", "/admin/sites/acme/edit"],
      ["remove", "/admin/sites/acme/remove"],
    ] as const;
    for (const [name, path] of pages) {
      await page.goto(at.baseUrl + path);
      await looked(page, complaints, name);
    }
    await page.goto(`${at.baseUrl}/admin/sites/acme`);
    await led(page, page.click('form[action="/admin/sites/acme/test"] button'));
    assert.match(await textOf(page), /What was found, what is to do/);
    await looked(page, complaints, "tested");
  },

  "a held tool with its changes, a dry run of it, and what it is refused with": async (browser: Browser) => {
    const opened = Promise.withResolvers<Kit>();
    const { port, shutdown } = await listen(async () => (await opened.promise).gateway.fetch);
    const baseUrl = `http://localhost:${port}`;
    const at = await heldWorld({ kit: { settings: { baseUrl } } });
    opened.resolve(at.gw);
    try {
      const { page, complaints } = await pageOf(await browser.createBrowserContext());
      await signInAsMaster(page, baseUrl);
      await page.goto(`${baseUrl}/admin/sites/acme`);
      await looked(page, complaints, "site-with-tools");
      await page.goto(`${baseUrl}/admin/sites/acme/tools/builder-mcp-create-post`);
      await looked(page, complaints, "tool");
      await page.select("#class", "write");
      await page.select("#effect", "new");
      await tabTo(page, "#arguments");
      await page.keyboard.type('{"title": "A title", "status": "draft"}');
      await tabTo(page, 'button[formaction$="/try"]');
      await led(page, page.keyboard.press("Enter"));
      assert.match(await textOf(page), /Run dry; nothing was kept/);
      await looked(page, complaints, "tool-tried");
    } finally {
      await shutdown();
      await at[Symbol.asyncDispose]();
    }
  },

  "what a site's pages lack, found by a button": async (browser: Browser) => {
    const opened = Promise.withResolvers<Kit>();
    const { port, shutdown } = await listen(async () => (await opened.promise).gateway.fetch);
    const baseUrl = `http://localhost:${port}`;
    const weak =
      "<title>A title that is much too long for what search engines show of one anywhere</title><p>a";
    const at = await visited({ "/": () => weak }, { settings: { baseUrl } });
    opened.resolve(at);
    try {
      const { page, complaints } = await pageOf(await browser.createBrowserContext());
      await signInAsMaster(page, baseUrl);
      await page.goto(`${baseUrl}/admin/sites/files`);
      await led(page, page.click('form[action$="/gaps"] button'));
      assert.match(await textOf(page), /1 of 1 page, the weakest first/);
      await looked(page, complaints, "gaps");
    } finally {
      await shutdown();
      await at[Symbol.asyncDispose]();
    }
  },

  "a site is added by keyboard; what is wrong is said beside its field, and a second change is not overwritten":
    async (
      browser: Browser,
    ) => {
      await using at = await place();
      const { page, complaints } = await pageOf(await browser.createBrowserContext());
      await signInAsMaster(page, at.baseUrl);
      await page.goto(`${at.baseUrl}/admin/sites/new?platform=cms`);
      await tabTo(page, "#id");
      await page.keyboard.type("Not An Id");
      await tabTo(page, "#name");
      await page.keyboard.type("Dairy");
      await tabTo(page, "#base_url");
      await page.keyboard.type("https://dairy.example");
      await led(page, page.keyboard.press("Enter"));
      assert.match(await textOf(page), /Nothing was saved/);
      assert.equal(await page.$eval("#name", (one) => (one as unknown as { value: string }).value), "Dairy");
      await looked(page, complaints, "wrong");
      await page.$eval("#id", (one) => void ((one as unknown as { value: string }).value = "dairy"));
      await tabTo(page, "#id");
      await led(page, page.keyboard.press("Enter"));
      assert.equal(await titleOf(page), "Dairy");
      await page.goto(`${at.baseUrl}/admin/sites/dairy/edit`);
      await at.gw.store.sites.update("dairy", { name: "Dairy & sons", repo: "agency/dairy" });
      await page.type("#name", " two");
      await led(page, page.click("form.site button"));
      assert.match(await textOf(page), /Somebody else changed this site/);
      await looked(page, complaints, "meanwhile");
      await page.deleteCookie(...await page.cookies());
      await led(page, page.click("form.site button"));
      assert.equal(await titleOf(page), "Your session has ended");
      await looked(page, complaints, "ended");
    },
});
