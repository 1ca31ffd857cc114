/** The services of the Google account that a site is bound to. */
import { Ads } from "./ads.ts";
import { Analytics } from "./analytics.ts";
import { Drive } from "./drive.ts";
import { SearchConsole } from "./search_console.ts";
import { Sheets } from "./sheets.ts";
import { type GoogleContext, GoogleWire } from "./wire.ts";

/** What can be done with the account, of the one site of the call. */
export class Google {
  readonly analytics: Analytics;
  readonly search: SearchConsole;
  readonly sheets: Sheets;
  readonly ads: Ads;
  readonly storage: Drive;

  constructor(private readonly ctx: GoogleContext) {
    this.analytics = new Analytics(new GoogleWire(ctx, "analytics"));
    this.search = new SearchConsole(new GoogleWire(ctx, "search"));
    this.sheets = new Sheets(new GoogleWire(ctx, "sheets"));
    this.ads = new Ads(new GoogleWire(ctx, "ads"));
    this.storage = new Drive(new GoogleWire(ctx, "storage"));
  }

  /** Refuses with E_ANALYTICS_ACCOUNT_NOT_LINKED where nobody connected the account, or it must be connected again. */
  async assertConnected(): Promise<void> {
    await this.ctx.account?.token();
  }
}
