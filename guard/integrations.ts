/** Which integrations a site has set up: presence of what they need, nothing is asked. */
import type { Site } from "../model.ts";

/** The presence flags of a site: configured, not probed. */
export function integrations(site: Site): Record<string, boolean> {
  const has = (kind: Site["credentials"][number]) => site.credentials.includes(kind);
  return {
    crm: site.crm_location_id !== null && has("crm"),
    behavior: site.behavior_project_id !== null && has("behavior"),
    analytics: site.analytics_property_id !== null,
    search: site.search_site_url !== null,
    ads: site.ads_customer_id !== null,
    social_ads: site.social_ad_account_id !== null,
    storage: site.storage_folder_id !== null,
    repo: site.repo !== null,
    seoplugin: site.seo.enabled,
  };
}
