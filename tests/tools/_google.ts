/** A kit whose sites are bound to Google accounts of a stand-in, every request held to the contract. */
import assert from "node:assert/strict";
import { ACCOUNT, type GoogleStandIn, SEEDED, startGoogle } from "../../sandbox/google/start.ts";
import type { NewSite } from "../../store/store.ts";
import { Calls } from "../cms_kit.ts";
import { gateway, type Kit, type KitOptions, NOW, owned, site } from "../kit.ts";
import { scenes } from "../scenes.ts";

/** The access token of the agency's account, as a connection holds it. */
export const TOKEN = "ya29.token-of-the-agency";
/** The token that makes access tokens anew. */
const REFRESH = "1//refresh-of-the-agency";
const SCOPES = ["analytics.readonly", "webmasters.readonly", "spreadsheets.readonly", "adwords", "drive.file"]
  .map((name) => `https://www.googleapis.com/auth/${name}`);
/** A range of days in which the seeded world has figures. */
export const DAYS = { start_date: "2026-11-01", end_date: "2026-11-14" };
/** The fields of a site that has everything. */
const LINKED = {
  analytics_property_id: `properties/${SEEDED.property}`,
  search_site_url: SEEDED.search_site,
  ads_customer_id: "123-456-7890",
  spreadsheet_ids: [SEEDED.spreadsheet],
};

/** A kit and its stand-in, which lives by the kit's clock. */
export class GoogleWorld extends Calls {
  protected readonly secrets = /ya29|1\/\/refresh|-of-the-/;

  constructor(
    gw: Kit,
    readonly google: GoogleStandIn,
    readonly user: string,
    /** The folder of the site "linked". */
    readonly folder: string,
  ) {
    super(gw);
  }

  /**
   * Opens one. "linked" has everything, "closed" may not be written to, "files" is a static site, "bound" has an account
   * and nothing else, "bare" has nothing, "alone" has all but an account.
   */
  static async open(
    options: KitOptions = {},
    env: Readonly<Record<string, string | null>> = {},
    scopes: readonly string[] = SCOPES,
  ): Promise<GoogleWorld> {
    let now = () => NOW;
    const google = startGoogle({ now: () => now() });
    google.grant(TOKEN, { scopes });
    const gw = await gateway({
      fetch: "network",
      allowPrivate: ["127.0.0.1"],
      ...options,
      settings: {
        upstream: {
          ...google.env,
          ACCOUNT_TOKEN_URL: `${google.base_url}/token`,
          ACCOUNT_CLIENT_ID: "client",
          ACCOUNT_CLIENT_SECRET: "secret-of-the-client",
          ADS_DEVELOPER_TOKEN: "developer-token-of-the-operator",
          ...env,
        },
      },
      http: { sleep: () => Promise.resolve(), ...options.http },
    });
    now = () => gw.clock.now;
    const { user } = await owned(gw.store, { email: "agency@a.example" });
    const at = new GoogleWorld(gw, google, user.id, google.folder().id);
    await at.connect(user.id, TOKEN, scopes);
    const bound = { account_user_id: user.id, storage_user_id: user.id };
    const linked = { ...LINKED, ...bound, storage_folder_id: at.folder };
    const flags = { allow_storage_write: true };
    for (
      const one of [
        site("linked", "cms", { ...linked, flags }),
        site("files", "static", { ...linked, flags }),
        site("closed", "crm", linked),
        site("bound", "cms", { ...bound, flags }),
        site("bare", "cms", { flags }),
        site("alone", "cms", { ...LINKED, storage_folder_id: at.folder, flags }),
      ] as NewSite[]
    ) {
      assert.ok(await gw.store.sites.create(one));
    }
    return at;
  }

  /** Connects an account for a user. */
  async connect(user: string, access_token: string, scopes: readonly string[] = SCOPES): Promise<void> {
    await this.gw.store.accounts.connect(
      user,
      "google",
      { account: ACCOUNT, access_token, expires_in: 3600, refresh_token: REFRESH, scopes },
    );
  }

  protected override written(): number {
    return this.google.writes.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gw[Symbol.asyncDispose]();
    await this.google.stop();
    assert.deepEqual(this.google.violations, [], "what was asked is in the contract");
  }
}

/** A test in such a world of its own. */
export const test = scenes(() => GoogleWorld.open());
