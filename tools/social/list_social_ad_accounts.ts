/** list_social_ad_accounts: what the bound user can see; of a narrower token, the accounts its sites are linked to. */
import metaAds from "../../platforms/meta_ads/connector.ts";
import { sameAccount } from "../../platforms/meta_ads/routes.ts";
import { tool } from "../../registry/tool.ts";
import { live } from "./_head.ts";

export default tool("list_social_ad_accounts", async (paged, ctx) => {
  const { items, paging } = await (await ctx.use(metaAds)).accounts(paged);
  const { token, owner } = ctx.caller;
  const now = ctx.now();
  const none = items.length === 0 && paged.after === undefined && paging.after === null;
  const seen =
    "The bound user can see no ad account at Meta; an administrator of the account has to add them";
  const all = live({ accounts: items, paging }, { now, notes: none ? [seen] : [] });
  if ([token, owner].every((one) => one === null || one.allowed_sites.includes("*"))) return all;
  const linked = (await ctx.sites.list()).map((site) => site.social_ad_account_id);
  const accounts = items.filter(({ id }) => linked.some((one) => one !== null && sameAccount(one, id)));
  const hidden = items.length - accounts.length;
  if (hidden === 0) return all;
  const note =
    `${hidden} more left out, which no site of this token is linked to; a token for all sites ("*") sees them`;
  return live({ accounts, paging }, { now, notes: [note] });
});
