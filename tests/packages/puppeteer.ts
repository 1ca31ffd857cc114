/** Drives the browser that is installed. */
export {
  type Browser,
  type BrowserContext,
  default as puppeteer,
  type Page,
} from "npm:puppeteer-core@25.16.0";
