/** Connecting an account in a browser: the one-time link, the consent page, and what its answer becomes. */
import { createHash } from "node:crypto";
import { GatewayError } from "../../core/errors.ts";
import { isInvalidGrant } from "../../core/invalid_grant.ts";
import { lasts } from "../../core/lasting.ts";
import { LIMITS } from "../../core/model.ts";
import type { Right } from "../../platforms/_connector/connection.ts";
import type { Granted } from "../../platforms/_connector/connection.ts";
import type { ConnectLink, Presented } from "../../store/store.ts";
import { adminRow, byLink } from "../../guard/audit/admin_row.ts";
import * as pages from "./connect_pages.ts";
import type { ConnectPage } from "./connect_pages.ts";
import type { Connectable, Connections } from "./connections.ts";
import { isSame } from "./connection_view.ts";
import { makeOwnContext } from "../../guard/connector_context.ts";

/** What a browser is answered: a page or the address to go to; the cookie that binds it, where it gets one. */
export type Step = ({ readonly page: ConnectPage } | { readonly to: string }) & {
  readonly bind?: { readonly link_id: string; readonly value: string };
};

/** What went wrong inside is logged by this, and never shown. */
export type ReportFault = (request_id: string, thrown: unknown) => void;

/** The steps of one gateway. */
export class Connecting {
  constructor(private readonly connections: Connections, private readonly report: ReportFault) {}

  /** The page of a link. `claims`: a browser opens it, to which it is bound from now on. */
  async open(text: string, presented: Presented, claims: boolean): Promise<Step> {
    const found = await this.#enter(text, presented, claims);
    if ("page" in found) return found;
    const { link, bind } = found;
    const { spec } = this.connections.connectable(link.kind);
    const user = await this.connections.ports.store.users.get(link.user_id);
    if (user === null) return { page: pages.USER_GONE };
    const rights = link.rights.map((word) => spec.rights[word]?.meaning ?? word);
    return {
      page: pages.ready({ vendor: spec.vendor, email: user.email, rights, next: `/connect/${text}/consent` }),
      bind,
    };
  }

  /** Leads to the consent page. */
  async consent(text: string, presented: Presented): Promise<Step> {
    const found = await this.#enter(text, presented, true);
    if ("page" in found) return found;
    const { link, bind } = found;
    const { connector, spec } = this.connections.connectable(link.kind);
    const { store } = this.connections.ports;
    const attempt = await store.connectLinks.begin(link.id);
    if (attempt === null) return { page: pages.USED };
    const known = (await store.accounts.get(link.user_id, link.kind))?.account ?? "";
    try {
      const to = await spec.authorize(makeOwnContext(this.connections.ports, connector), {
        redirect_uri: this.#redirectUri(),
        state: attempt.state,
        code_challenge: createHash("sha256").update(attempt.code_verifier).digest("base64url"),
        scopes: scopesOf(spec.rights, link),
        login_hint: known.includes("@") ? known : null,
      });
      return { to, bind };
    } catch (thrown) {
      return { page: pages.failed(spec.vendor, this.#worded(thrown)), bind };
    }
  }

  /** What became of the consent. */
  async returned(parameters: URLSearchParams, presented: Presented): Promise<Step> {
    const { store } = this.connections.ports;
    const state = parameters.get("state") ?? "";
    const taken = await store.connectLinks.take(state, presented);
    if (taken.outcome !== "taken") return { page: pages.RETURNED[taken.outcome] };
    const { link, code_verifier } = taken;
    const one = this.connections.connectable(link.kind);
    if (link.state === "done") return { page: pages.USED };
    const error = parameters.get("error");
    if (error !== null) {
      const denied = error === "access_denied";
      await this.#audit(link, denied ? { status: "denied" } : { status: "error", error: "E_UPSTREAM" }, {
        reason: denied ? "the person did not agree" : "the consent page failed",
      });
      return {
        page: denied ? pages.denied(one.spec.vendor) : pages.notAsked(one.spec.vendor, error),
      };
    }
    if (!await store.connectLinks.finish(link.id)) return { page: pages.USED };
    const page = await this.#connect(one, link, { parameters, state, code_verifier });
    if (!page.connected) await store.connectLinks.reopen(link.id);
    return { page };
  }

  /** The link as this browser may use it. */
  async #enter(
    text: string,
    presented: Presented,
    claims: boolean,
  ): Promise<{ link: ConnectLink; bind?: { link_id: string; value: string } } | { page: ConnectPage }> {
    const { store: { connectLinks }, now } = this.connections.ports;
    const found = await connectLinks.find(text, presented);
    if (found === null) return { page: pages.UNKNOWN };
    const { link, browser } = found;
    if (browser === "other") return { page: pages.OTHER_BROWSER };
    if (link.state === "done") return { page: pages.USED };
    if (!lasts(link.expires_at, LIMITS.CONNECT_LINK_MS, now())) return { page: pages.EXPIRED };
    if (browser === "own" || !claims) return { link };
    const value = await connectLinks.bind(link.id);
    return value === null ? { page: pages.OTHER_BROWSER } : { link, bind: { link_id: link.id, value } };
  }

  async #connect(
    { connector, account, spec }: Connectable,
    link: ConnectLink,
    answer: { parameters: URLSearchParams; state: string; code_verifier: string },
  ): Promise<ConnectPage> {
    const { ports } = this.connections;
    const { store } = ports;
    const { user_id, kind } = link;
    const { vendor } = spec;
    const id = await this.#audit(link, { status: "started" });
    let granted: Granted | null = null;
    let kept = false;
    try {
      granted = await spec.exchange(makeOwnContext(ports, connector), {
        ...answer,
        redirect_uri: this.#redirectUri(),
        scopes: scopesOf(spec.rights, link),
      });
      const { scopes } = granted;
      const has = ([, { scope }]: [string, Right]) => scopes.includes(scope);
      const rights = Object.entries(spec.rights);
      const missing = rights.filter((each) => link.rights.includes(each[0]) && !has(each));
      if (!rights.some(has)) {
        await this.#giveBack({ connector, account, spec }, granted);
        await this.#audit(link, { status: "denied" }, { reason: "no right was granted" }, id);
        return pages.noRights(vendor);
      }
      const before = await store.accounts.get(user_id, kind);
      await store.accounts.connect(user_id, account.kind, granted);
      kept = true;
      const words = {
        granted: rights.filter(has).map(([word]) => word),
        missing: missing.map(([word]) => word),
      };
      await this.#audit(link, { status: "ok" }, { account: granted.account, ...words }, id);
      const replaced = before !== null && before.account !== granted.account ? before.account : null;
      return pages.connected({
        vendor,
        account: granted.account,
        granted: rights.filter(has).map(([, { meaning }]) => meaning),
        missing: missing.map(([, { meaning }]) => meaning),
        replaced,
        manage_url: spec.manage_url,
      });
    } catch (thrown) {
      const why = this.#worded(thrown);
      if (granted !== null && !kept) await this.#giveBack({ connector, account, spec }, granted);
      const error = thrown instanceof GatewayError
        ? thrown.code
        : isInvalidGrant(thrown)
        ? "E_UPSTREAM"
        : "E_INTERNAL";
      await this.#audit(link, { status: "error", error }, {}, id);
      return pages.failed(vendor, why);
    }
  }

  /**
   * What was granted and is not kept is ended again, unless the same account is connected already, which would end with
   * it. Where that fails, nothing of it is held here all the same.
   */
  async #giveBack({ connector, account: { kind }, spec }: Connectable, granted: Granted): Promise<void> {
    const { ports } = this.connections;
    const { access_token, refresh_token = null } = granted;
    try {
      const standing = (await ports.store.accounts.list()).filter((one) => one.kind === kind);
      if (standing.some(({ account, account_id }) => isSame({ account, account_id }, granted))) return;
      await spec.revoke(makeOwnContext(ports, connector), { access_token, refresh_token });
    } catch (thrown) {
      this.#worded(thrown); // reports what is a fault of the gateway's own
    }
  }

  async #audit(
    { user_id, kind, rights }: ConnectLink,
    ending: { status: "started" | "ok" | "denied" | "error"; error?: string },
    more: object = {},
    id: string = this.connections.ports.newId(),
  ): Promise<string> {
    const { store: { audit }, now } = this.connections.ports;
    const row = adminRow(id, byLink(user_id), now(), "connection.connect", {
      user_id,
      kind,
      rights,
      ...more,
    });
    await audit.append({ ...row, ...ending });
    return id;
  }

  #redirectUri(): string {
    return `${this.connections.ports.baseUrl}/connect/callback`;
  }

  /** A sentence for the person; what is nobody's fault but the gateway's is reported and not shown. */
  #worded(thrown: unknown): string {
    if (thrown instanceof GatewayError) return thrown.message;
    if (isInvalidGrant(thrown)) return "Its answer was used already or is too old";
    const id = this.connections.ports.newId();
    this.report(id, thrown);
    return `Something failed inside the gateway; give request id ${id} to its operator`;
  }
}

function scopesOf(rights: Readonly<Record<string, Right>>, link: ConnectLink): string[] {
  return link.rights.flatMap((word) => rights[word]?.scope ?? []);
}
