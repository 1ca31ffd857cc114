/** The pages of people and of the repository app in a real browser: at a phone's width and a desk's, in light and in dark, and by keyboard. */
import assert from "node:assert/strict";
import type { Browser } from "../packages/puppeteer.ts";
import { gateway, type Kit, site } from "../kit.ts";
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
  await gw.store.users.create({
    email: `${"x".repeat(60)}<b>@agency.example`,
    role: "member",
    allowed_sites: ["acme", "bakery", "clinic"],
    max_risk: 3,
    approve_sites: ["*"],
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

inChromium("people", {
  "every page of people is usable at both widths, in light and in dark; somebody is invited by keyboard":
    async (
      browser: Browser,
    ) => {
      await using at = await place();
      const { page, complaints } = await pageOf(await browser.createBrowserContext());
      await signInAsMaster(page, at.baseUrl);
      const [user] = await at.gw.store.users.list();
      const pages = [
        ["people", "/admin/users"],
        ["nobody", "/admin/users?q=nothing"],
        ["person", `/admin/users/${user!.id}`],
        ["person-remove", `/admin/users/${user!.id}/remove`],
        ["github", "/admin/github"],
        ["invite", "/admin/users/new"],
      ] as const;
      for (const [name, path] of pages) {
        await page.goto(at.baseUrl + path);
        await looked(page, complaints, name);
      }
      await tabTo(page, "#email");
      await page.keyboard.type("joe@agency.example");
      await led(page, page.keyboard.press("Enter"));
      assert.equal(await titleOf(page), "The invitation");
      await looked(page, complaints, "invitation");
      await page.goto(`${at.baseUrl}/admin/users/new`);
      await page.type("#email", "joe@agency.example");
      await led(page, page.keyboard.press("Enter"));
      assert.match(await textOf(page), /is another user's/);
      await looked(page, complaints, "invite-wrong");
    },
});
