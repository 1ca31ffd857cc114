/** The demo's connected accounts: stand-ins of Google, its services and Meta, and a user connected with both. */
import type { Gateway } from "../gateway/wire.ts";
import type { DemoPart } from "./demo_part.ts";
import { SEEDED, startGoogle } from "./google/start.ts";
import { startAccounts } from "./google_accounts/start.ts";
import { startMeta } from "./meta_ads/start.ts";

/** Who the demo's sites are bound to. */
const DEMO_USER = "agency@demo.example";
const SITES = ["demo", "demo-live"];

/** The last days that are over. */
function lastDays(count: number) {
  const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
  return { start_date: day(count), end_date: day(1) };
}

/** Google's services for whoever holds an access token of those accounts; what is there is the first person's. */
export const googleOf = (accounts: ReturnType<typeof startAccounts>) =>
  startGoogle({
    account: accounts.people[0]!.email,
    holderOf(access_token) {
      const holder = accounts.holder(access_token);
      return holder && { account: holder.email, scopes: holder.scopes };
    },
  });

/** Starts it. */
export function startDemoAccounts() {
  const accounts = startAccounts();
  const meta = startMeta();
  const { email } = accounts.people[0]!;
  const google = googleOf(accounts);
  return {
    env: { ...accounts.env, ...google.env, ADS_DEVELOPER_TOKEN: "none", ...meta.env },
    async register({ store }: Pick<Gateway, "store">, baseUrl: string) {
      accounts.client.redirect_uris.push(`${baseUrl}/connect/callback`);
      const user = await store.users.create({
        email: DEMO_USER,
        role: "member",
        allowed_sites: ["*"],
        max_risk: 2,
      });
      if (user === null) throw new Error(`"${DEMO_USER}" is a user already; the demo needs an empty store`);
      await store.accounts.connect(user.id, "google", accounts.grant(email));
      const folder = google.folder({ name: "Documents of the demo" });
      google.file(folder.id, "baseline.md", { text: "# Baseline\n\nHow the site stood before any work.\n" });
      await store.accounts.connect(user.id, "meta_ads", meta.grant());
      for (const id of SITES) {
        await store.sites.update(id, {
          account_user_id: user.id,
          storage_user_id: user.id,
          analytics_property_id: SEEDED.property,
          search_site_url: SEEDED.search_site,
          ads_customer_id: SEEDED.customer,
          spreadsheet_ids: [SEEDED.spreadsheet],
          storage_folder_id: folder.id,
          social_ads_user_id: user.id,
          social_ad_account_id: meta.ad_account,
        });
      }
    },
    guide: (address, paste) => [
      `${DEMO_USER} has connected ${email} of a stand-in for Google, and an account of one for Meta ` +
      '(site ids "demo" and "demo-live"; "demo-live" may also save files). A report of the last four weeks:',
      paste("generate_seo_report", { site_id: "demo", ...lastDays(28) }),
      "",
      "What the ads of a made-up client did:",
      "",
      paste("get_social_ads_insights", { site_id: "demo", level: "campaign" }),
      "",
      "Connect another account in its place:",
      "",
      `npx -y deno@2.9 task admin connection start --user ${DEMO_USER} --kind google --url ${address}`,
    ],
    async stop() {
      await google.stop();
      await accounts.stop();
      await meta.stop();
    },
  } satisfies DemoPart;
}
