/** The demo's connected account: a stand-in of the authorization server, and a user who has connected with it. */
import type { Gateway } from "../gateway.ts";
import { startAccounts } from "./google_accounts/start.ts";

/** Who the demo's sites are bound to. */
export const DEMO_USER = "agency@demo.example";
const SITES = ["demo", "demo-live"];

/** What stands behind the demo's connected account. */
export interface DemoAccounts {
  /** What leads the gateway there. */
  readonly env: Readonly<Record<string, string>>;
  /** Makes the user, connects the account, and binds the demo's sites to it. */
  register(gateway: Pick<Gateway, "store">, baseUrl: string): Promise<void>;
  /** What to try. */
  guide(address: string): string[];
  stop(): Promise<void>;
}

/** Starts it. */
export function startDemoAccounts(): DemoAccounts {
  const accounts = startAccounts();
  const { email } = accounts.people[0]!;
  return {
    env: accounts.env,
    async register({ store }, baseUrl) {
      accounts.client.redirect_uris.push(`${baseUrl}/connect/callback`);
      const user = await store.users.create({
        email: DEMO_USER,
        role: "member",
        allowed_sites: ["*"],
        max_risk: 2,
      });
      if (user === null) throw new Error(`"${DEMO_USER}" is a user already; the demo needs an empty store`);
      await store.accounts.connect(user.id, "google", accounts.grant(email));
      for (const id of SITES) {
        await store.sites.update(id, { account_user_id: user.id, storage_user_id: user.id });
      }
    },
    guide: (address) => [
      `7. ${DEMO_USER} has connected ${email}, an account of a stand-in. Connect another in its place:`,
      "",
      `npx -y deno@2.9 task admin connection start --user ${DEMO_USER} --kind google --url ${address}`,
      "",
    ],
    stop: () => accounts.stop(),
  };
}
