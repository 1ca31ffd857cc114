/** What tools over a connected Google account cost: each at the stand-in beside the bare requests, and a report of two sections. */
import assert from "node:assert/strict";
import { readRegistry } from "../gateway/wire.ts";
import { type GoogleStandIn, SEEDED, startGoogle } from "../sandbox/google/start.ts";
import { startAccounts } from "../sandbox/google_accounts/start.ts";
import { openStore } from "../store/kv.ts";
import { type Gateway, inFolder, startGateway } from "./gateway.ts";
import { type Call, standInRows } from "./stand_in.ts";
import { type Line, ms } from "./table.ts";
import { inTurn, stepsOf } from "./timing.ts";

const SITE = "acme";
/** What a real service takes, about. */
const LATENCY_MS = 150;
const DAY_MS = 86_400_000;

/** The rows. */
export async function googleRows(rounds: number): Promise<Line[]> {
  await using accounts = startAccounts();
  const { email } = accounts.people[0]!;
  await using google = startGoogle({
    account: email,
    holderOf(token) {
      const holder = accounts.holder(token);
      return holder && { account: holder.email, scopes: holder.scopes };
    },
  });
  return await inFolder(async (folder) => {
    const key = crypto.getRandomValues(new Uint8Array(32)).toBase64();
    const user = await connected(`${folder}/store`, key, email, accounts.grant(email));
    const files = google.folder();
    google.file(files.id, "baseline.md", { text: "# Baseline" });
    const site = {
      id: SITE,
      name: SITE,
      platform: "cms",
      base_url: "https://acme.example",
      account_user_id: user,
      storage_user_id: user,
      analytics_property_id: SEEDED.property,
      search_site_url: SEEDED.search_site,
      ads_customer_id: SEEDED.customer,
      spreadsheet_ids: [SEEDED.spreadsheet],
      storage_folder_id: files.id,
      flags: { allow_storage_write: true },
    };
    await using gateway = await startGateway(folder, [site], {
      ...accounts.env,
      ...google.env,
      ENCRYPTION_KEYS: key,
      ALLOW_PRIVATE_UPSTREAMS: "127.0.0.1",
      ADS_DEVELOPER_TOKEN: "none",
    });
    const file = google.file(files.id, "audit.md", { text: "# Audit" });
    return [
      ...await standInRows(gateway, google, calls(file.id), { rounds }),
      await saveRow(gateway, google, { folder: files.id, token: accounts.grant(email).access_token }, rounds),
      await reportRow(gateway, google, rounds),
    ];
  });
}

/** A user with a connected account in a store that the gateway then opens. */
async function connected(
  path: string,
  key: string,
  email: string,
  tokens: ReturnType<ReturnType<typeof startAccounts>["grant"]>,
): Promise<string> {
  const { connectors } = await readRegistry();
  const keys = [Uint8Array.fromBase64(key)];
  const store = await openStore({ path, keys, siteShape: connectors.siteShape(), tokenPrefix: "gate" });
  const member = { role: "member", allowed_sites: ["*"], max_risk: 2 } as const;
  const user = await store.users.create({ email, ...member });
  assert.ok(user);
  await store.accounts.connect(user.id, "google", tokens);
  await store.close();
  return user.id;
}

function days() {
  const day = (back: number) => new Date(Date.now() - back * DAY_MS).toISOString().slice(0, 10);
  return { start_date: day(28), end_date: day(1) };
}

function calls(file_id: string): Call[] {
  const call = (tool: string, args: Readonly<Record<string, unknown>> = {}): Call => ({
    tool,
    args: () => ({ site_id: SITE, ...args }),
  });
  const query = "SELECT campaign.name, metrics.clicks, metrics.cost_micros FROM campaign LIMIT 100";
  return [
    call("get_analytics_report", { ...days(), metrics: ["sessions"], dimensions: ["date"] }),
    call("get_search_analytics", { ...days(), dimensions: ["query"] }),
    call("generate_seo_report", days()),
    call("read_sheet", { spreadsheet_id: SEEDED.spreadsheet, range: "Plan" }),
    call("get_ads_report", { query }),
    call("storage_get_site_folder"),
    call("storage_list_site_files"),
    call("storage_read_file", { file_id }),
    call("storage_get_baseline"),
  ];
}

/** A file of 10 KB saved: the folder and the name looked up, then the upload. */
async function saveRow(
  gateway: Gateway,
  google: GoogleStandIn,
  { folder, token }: { readonly folder: string; readonly token: string },
  rounds: number,
): Promise<Line> {
  const content = "Some words of an audit. ".repeat(420);
  const authorization = `Bearer ${token}`;
  const drive = google.env["STORAGE_API_BASE"]!;
  const all = "supportsAllDrives=true";
  const get = async (query: string) => {
    const answer = await fetch(`${drive}/files${query}`, { headers: { authorization } });
    await answer.bytes();
    assert.ok(answer.ok, `files${query} answered ${answer.status}`);
  };
  const took = await inTurn(rounds, {
    gateway: (round) =>
      gateway.call("storage_save_audit", { site_id: SITE, title: `Audit ${round}`, content }),
    async bare(round) {
      const q = encodeURIComponent(
        `'${folder}' in parents and trashed = false and name = 'bare ${round}.md'`,
      );
      await get(`/${folder}?fields=id,name&${all}`);
      await get(`?q=${q}&fields=files(id)&includeItemsFromAllDrives=true&${all}`);
      const head = JSON.stringify({ name: `bare ${round}.md`, parents: [folder], mimeType: "text/markdown" });
      const part = (type: string, text: string) => `--part\r\nContent-Type: ${type}\r\n\r\n${text}\r\n`;
      const answer = await fetch(
        `${google.env["STORAGE_UPLOAD_BASE"]}/files?uploadType=multipart&fields=id&${all}`,
        {
          method: "POST",
          headers: { authorization, "content-type": "multipart/related; boundary=part" },
          body: `${part("application/json", head)}${part("text/markdown", content)}--part--\r\n`,
        },
      );
      await answer.bytes();
      assert.ok(answer.ok, `the upload answered ${answer.status}`);
    },
  });
  assert.deepEqual(google.violations, []);
  return {
    name: "storage_save_audit, 10 KB",
    figure: `${ms(took.gateway)}, 3 requests`,
    beside: `${ms(took.bare)} for the same by a bare client`,
    aim: "",
  };
}

/** Both sections at once: a report takes as long as its slowest request. */
async function reportRow(gateway: Gateway, google: GoogleStandIn, rounds: number): Promise<Line> {
  google.latency = LATENCY_MS;
  const call = (tool: string, args: object = {}) => gateway.call(tool, { site_id: SITE, ...days(), ...args });
  let steps = 0;
  const took = await inTurn(rounds, {
    async report() {
      google.clear();
      await call("generate_seo_report");
      steps = stepsOf(google.requests, LATENCY_MS);
    },
    one: () => call("get_search_analytics", { dimensions: ["query"] }),
  });
  google.latency = 0;
  assert.equal(steps, 1, "its requests are sent at the same time");
  return {
    name: `generate_seo_report, each answer after ${LATENCY_MS} ms`,
    figure: `${ms(took.report)}, 4 requests in ${steps} step`,
    beside: `${ms(took.one)} for get_search_analytics alone`,
    aim: "its slowest section",
  };
}
