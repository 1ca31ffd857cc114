/** A headless Chromium for tests; where there is none they are skipped and say so, with CI=true they fail. */
import { type Browser, type BrowserContext, type Page, puppeteer } from "../packages/puppeteer.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

function find(): string | null {
  const given = Deno.env.get("CHROMIUM");
  if (given) return given;
  const folders = (Deno.env.get("PATH") ?? "").split(":");
  for (const path of folders.flatMap((folder) => NAMES.map((name) => `${folder}/${name}`))) {
    try {
      if (Deno.statSync(path).isFile) return path;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory)) throw error;
    }
  }
  return null;
}

const PATH = find();
/** Whether there is no Chromium here; with CI=true there must be. */
const ignore = PATH === null && Deno.env.get("CI") !== "true";
const on = ignore
  ? "in a Chromium (not run: no chromium on the PATH; install it, or name it in CHROMIUM)"
  : "in a Chromium";

/** Tests that share a browser, which takes seconds to start; each makes contexts of its own, which share nothing. */
export function inChromium(
  what: string,
  tests: Readonly<Record<string, (browser: Browser) => Promise<void>>>,
): void {
  Deno.test({
    name: `${what}, ${on}`,
    ignore,
    sanitizeOps: false, // what the library leaves behind is its own
    sanitizeResources: false,
    async fn(t) {
      if (PATH === null) throw new Error("There is no Chromium: install one, or name it in CHROMIUM");
      const browser = await puppeteer.launch({ executablePath: PATH, args: ["--no-sandbox"] });
      try {
        for (const [name, test] of Object.entries(tests)) {
          await t.step({ name, fn: () => test(browser), sanitizeOps: false, sanitizeResources: false });
        }
      } finally {
        await browser.close();
      }
    },
  });
}

/** A phone's width. */
export const PHONE = { width: 375, height: 700 } as const;

/** A page of a context, and whatever it complained of. */
export async function pageOf(context: BrowserContext): Promise<{ page: Page; complaints: string[] }> {
  const page = await context.newPage();
  const complaints: string[] = [];
  await page.setViewport(PHONE);
  page.on("pageerror", (error) => void complaints.push(String(error)));
  page.on("console", (message) => {
    // That a refusal's status is one is no complaint about the page.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) {
      complaints.push(message.text());
    }
  });
  return { page, complaints };
}
