/** The attributes that link a site to something beyond its platform, and what each may hold. */
import { z } from "zod";
import { PLAIN_BRANCH } from "../rules/branch.ts";
import { SITE_LINK_FIELDS, type SiteLinkField } from "../model.ts";
import { expected } from "./faults.ts";

/** What is allowed, in words and as a pattern. Most of them end up in the path of an upstream's address. */
type Rule = readonly [allowed: string, pattern: RegExp];

const ID: Rule = ["an id of letters, digits, - and _", /^[A-Za-z0-9_-]{1,128}$/];
const USER: Rule = ["a user id", /^[A-Za-z0-9_-]{1,64}$/];
const CUSTOMER: Rule = ["a customer id such as 123-456-7890", /^\d[\d-]{0,18}\d$/];

const RULES: Readonly<Record<SiteLinkField, Rule>> = {
  repo: [
    "a repository as owner/repo, without .git",
    /^(?!.*(\.\.|\.git$))[A-Za-z0-9-]{1,39}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/i,
  ],
  repo_branch: ["a branch name such as main", PLAIN_BRANCH],
  repo_prefix: [
    "a folder such as content/posts, without a leading or trailing slash",
    /^(?![/ ])(?!.*(\/\/|[/ ]$))(?!(.*\/)?\.{1,2}(\/|$))[^\p{Cc}\\]{1,200}$/u,
  ],
  hosting_project: ["a project name of a-z, 0-9 and -", /^[a-z0-9][a-z0-9-]{0,62}$/],
  analytics_property_id: ["a property id such as 123456 or properties/123456", /^(properties\/)?\d{1,20}$/],
  search_site_url: [
    "a property such as sc-domain:example.com or https://example.com/",
    /^(sc-domain:[^\s\p{Cc}/?#]{1,253}|https?:\/\/[^\s\p{Cc}\\?#@]{1,2000})$/u,
  ],
  ads_customer_id: CUSTOMER,
  ads_login_customer_id: CUSTOMER,
  social_ad_account_id: ["an ad account id such as act_123456", /^(act_)?\d{1,30}$/],
  behavior_project_id: ID,
  topicmap_workspace_id: ID,
  storage_folder_id: ID,
  storage_user_id: USER,
  account_user_id: USER,
  social_ads_user_id: USER,
  site_alias: ["a site alias of letters, digits, - and _", /^[A-Za-z0-9_-]{1,64}$/],
  crm_location_id: ID,
};

function field([allowed, pattern]: Rule) {
  const error = expected(`${allowed}, or null`);
  return z.string({ error }).regex(pattern, { error }).nullish();
}

/** A schema a field; null forgets what was set. */
export const linkFields = Object.fromEntries(
  SITE_LINK_FIELDS.map((name) => [name, field(RULES[name])]),
) as Record<SiteLinkField, ReturnType<typeof field>>;
