/** Connecting gateways to a site with the companion plugin, as an administrator and a gateway do it. */
import assert from "node:assert/strict";
import { type Answer, type Companion, type Json, type PairedKey, Screens } from "./site.ts";

/** The plugin's page in the admin area. */
export const PAGE = "/wp-admin/tools.php?page=site-ops";

/** Presses a button of the page; the page after it. */
export async function press(screens: Screens, button: RegExp): Promise<string> {
  const page = await screens.ask(PAGE);
  const form = page.split("<form").find((text) => button.test(text)) ?? assert.fail(`no ${button}: ${page}`);
  const [, nonce] = /name="_wpnonce" value="(\w+)"/.exec(form)!;
  const [, name, value] = /name="(site_ops_\w+)" value="(\w+)"/.exec(form)!;
  return await screens.ask(PAGE, new URLSearchParams({ _wpnonce: nonce!, [name!]: value! }));
}

/** The sentence of a refusal. */
export const message = ({ body }: Answer) => String(body["message"]);

/** Whose account a gateway uses. */
export type Login = "admin" | "ed" | "auth";

/** The gateways of one site. */
export class Gateways {
  constructor(readonly wp: Companion) {}

  /** A code as the page shows it. */
  async newCode(): Promise<string> {
    const page = await press(await Screens.login(this.wp.site, "admin"), />Connect a gateway</);
    return /<code[^>]*>(\w{4}-\w{4})<\/code>/.exec(page)![1]!;
  }

  /** Asks to be connected. */
  connect(login: Login, more: Json = {}): Promise<Answer> {
    return this.wp.call(login, "POST", "/gateways", { name: "Gateway", ...more });
  }

  /** Connects with a fresh code where one is needed, beside the gateways that there are; the key. */
  async furtherKey(login: Login, more: Json = {}): Promise<PairedKey> {
    const code = login === "admin" ? {} : { code: await this.newCode() };
    const answer = await this.connect(login, { ...code, ...more });
    assert.deepEqual([answer.status, Object.keys(answer.body)], [201, ["key_id", "key"]]);
    return answer.body as unknown as PairedKey;
  }

  /** The same after all gateways were disconnected. */
  async keyOf(login: Login): Promise<PairedKey> {
    await this.wp.peek({ options: { site_ops_gateways: [] } });
    return await this.furtherKey(login);
  }

  /** Disconnects one, as an administrator does it. */
  async disconnect({ key_id }: PairedKey): Promise<void> {
    await press(await Screens.login(this.wp.site, "admin"), new RegExp(`value="${key_id}"`));
  }
}
