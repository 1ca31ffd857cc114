/** A gateway whose every record has a hostile text in it, with who may look at its pages. */
import { site } from "../kit.ts";
import { ask, asking, edit } from "../tools/_approvals.ts";
import { hooked } from "../webhooks_kit.ts";
import type { Places } from "./console_kit.ts";
import { PersonBrowser, signedIn } from "./kit.ts";
import { masterBrowser } from "./master_kit.ts";

/** Ends attributes and elements, turns what follows around, rings a bell. */
export const HOSTILE = `"><script>alert(1)</script><b x='\u202e\u0007`;
/** The same at the length that callers and upstreams may fill. */
export const LONG = HOSTILE.repeat(Math.ceil(10_000 / HOSTILE.length));

/** How a person is hostile: control signs cannot stand in an address. */
const EMAIL = `"<b>evil</b>\u202e"@agency.example`;

/** The world, the browsers of who looks at it, and what addresses name. */
export async function hostileWorld() {
  const at = await asking();
  const { gw } = at.kit;
  const { store } = gw;
  await store.projects.create({ id: "evil", name: HOSTILE });
  await store.sites.create(site("evil", "cms", { name: HOSTILE, project_id: "evil", repo: "agency/evil" }));
  const owner = await signedIn(gw, EMAIL, { role: "member", allowed_sites: ["evil"], max_risk: 3 });
  const { token } = await store.tokens.create({
    ...{ name: HOSTILE, env: "prod", allowed_sites: ["evil"], allowed_tools: ["*"], max_risk: 1 },
    ...{ skip_write_confirm: false, owner_user_id: owner.user.id },
  });
  const granted = {
    ...{ user_id: owner.user.id, client_id: "https://client.example/x", client_name: LONG },
    ...{ redirect_host: "client.example", allowed_sites: ["evil"], groups: ["posts"], max_risk: 1 as const },
    expires_at: gw.clock.now + 86_400_000,
  };
  const order = { granted, redirect_uri: "https://client.example/back", challenge: "c", resource: null };
  await store.oauthGrants.redeem(await store.oauthGrants.issueCode(order), () => null);
  await store.accounts.connect(owner.user.id, "google", {
    ...{ access_token: "a", expires_in: 3600, refresh_token: "r", scopes: ["s"], account: HOSTILE.repeat(8) },
  });
  await store.freezes.set({ scope: "site", id: "evil", by: EMAIL, reason: LONG });
  const asked = await ask(at, edit(at, { title: HOSTILE }));
  // What happened before is not sent to it.
  const hook = await hooked(gw, { name: `"><b>hook</b>'`, url: "https://hooks.example/in" });
  const row = await hostileRow(gw, owner.user.id, token.id);
  const admins = { role: "admin", allowed_sites: ["*"], approve_sites: ["*"], max_risk: 3 } as const;
  const places: Places = {
    ...{ site: "evil", user: owner.user.id, token: token.id, approval: asked.approval.id, row },
    ...{ webhook: hook.webhook.id, tool: "none" },
  };
  return {
    at,
    gw,
    places,
    master: await masterBrowser(gw),
    admin: (await signedIn(gw, "adam@agency.example", admins)).browser,
    some:
      (await signedIn(gw, "sue@agency.example", { ...admins, allowed_sites: ["open"], approve_sites: [] }))
        .browser,
    member: (await signedIn(gw, "mia@agency.example", { role: "member", allowed_sites: ["open"] })).browser,
    owner: owner.browser,
    nobody: () => new PersonBrowser(gw),
    [Symbol.asyncDispose]: () => at[Symbol.asyncDispose](),
  };
}

/** A world with hostile texts. */
export type HostileWorld = Awaited<ReturnType<typeof hostileWorld>>;

/** Rows of a call that changed something, and of one that failed; the id of the first. */
async function hostileRow(gw: HostileWorld["gw"], owner_user_id: string, token_id: string): Promise<string> {
  const [known] = await gw.audit();
  const id = (n: number) => `01M8GH7CB0HT0873${String(n).padStart(10, "0")}`;
  const of = { token_id, token_name: HOSTILE, owner_user_id, site_id: "evil", tool: HOSTILE };
  const changes = [{ field: HOSTILE, from: HOSTILE, to: LONG.slice(0, 4000) }];
  const row = { ...known!, ...of, arguments: { [HOSTILE]: LONG.slice(0, 7000) } };
  await gw.store.audit.append(
    { ...row, id: id(1), request_id: id(1), outcome: "made", changes },
  );
  const failed = { ...row, tool: "ping_site", status: "error", error: HOSTILE } as const;
  await gw.store.audit.append({ ...failed, id: id(2), request_id: id(2) });
  return id(1);
}
