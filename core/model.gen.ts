/** Written by `deno task gen` from the connectors; not edited by hand. */

/** What a site is. Operators' documentation names the product behind each kind. */
export type PlatformKind = "cms" | "crm" | "sitebuilder" | "static";

/** The fields of a site's record that connectors name. */
export interface SiteFields {
  readonly behavior_project_id: string | null;
  readonly hosting_project: string | null;
  readonly site_alias: string | null;
  readonly repo: string | null;
  readonly repo_branch: string | null;
  readonly repo_prefix: string | null;
  readonly analytics_property_id: string | null;
  readonly search_site_url: string | null;
  readonly ads_customer_id: string | null;
  readonly ads_login_customer_id: string | null;
  readonly account_user_id: string | null;
  readonly storage_folder_id: string | null;
  readonly storage_user_id: string | null;
  readonly spreadsheet_ids: (string)[];
  readonly crm_location_id: string | null;
  readonly social_ad_account_id: string | null;
  readonly social_ads_user_id: string | null;
  readonly topicmap_workspace_id: string | null;
  readonly available_builders: ("block" | "visual")[];
  readonly default_builder: "block" | "visual" | null;
  readonly seo: { "enabled": boolean; "channel": "rest" | "plugin" };
}

/** The secrets a site can hold, by kind. */
export interface Credentials {
  behavior?: { export_token: string };
  crm?: { integration_token: string };
  cms?: { username: string; application_password: string };
  companion?: { key_id: string; key: string };
}
export type CredentialKind = keyof Credentials;
