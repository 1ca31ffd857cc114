/** A made-up OAuth upstream: what it knows of a grant, and a token endpoint on loopback that can be slow or break off. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { GatewayError } from "../../../core/errors.ts";
import { InvalidGrant } from "../../../core/invalid_grant.ts";
import type { RefreshAnswer } from "../../../store/store.ts";

/** How it treats refresh tokens: they stay, or each refresh replaces them. */
export type Rotation =
  /** The one token stays. */
  | "none"
  /** The replaced token is refused. */
  | "strict"
  /** The replaced token is refused, and whoever sends it ends the whole grant. */
  | "family"
  /** The replaced token works on for a while. */
  | "grace";

const LIFE_SECONDS = 3600;
const GRACE_MS = 120_000;

/** The upstream's side of one person's grant. */
export class Upstream {
  /** Refresh requests that arrived. */
  asked = 0;
  granted = 0;
  #counter = 0;
  /** When each refresh token was replaced; null while it was not. */
  readonly #refresh = new Map<string, number | null>();
  readonly #access = new Map<string, number>();

  constructor(readonly rotation: Rotation, readonly now: () => number) {}

  /** Begins a grant anew; what was before is gone. */
  grant(): RefreshAnswer & { refresh_token: string } {
    this.revoke();
    return { ...this.#issueAccess(), refresh_token: this.#issueRefresh() };
  }

  /** Ends everything. */
  revoke(): void {
    this.#refresh.clear();
    this.#access.clear();
  }

  /** Whether a refresh token would be taken now. */
  isLive(token: string): boolean {
    const replaced = this.#refresh.get(token);
    if (replaced === undefined) return false;
    return replaced === null || (this.rotation === "grace" && this.now() - replaced < GRACE_MS);
  }

  /** Whether it is the one that was not replaced. */
  isNewest(token: string): boolean {
    return this.#refresh.get(token) === null;
  }

  accepts(access_token: string): boolean {
    return this.now() < (this.#access.get(access_token) ?? 0);
  }

  refresh(token: string): RefreshAnswer {
    this.asked++;
    if (!this.isLive(token)) {
      if (this.rotation === "family" && this.#refresh.has(token)) this.revoke();
      throw new InvalidGrant();
    }
    this.granted++;
    const access = this.#issueAccess();
    if (this.rotation === "none") return access;
    for (const [one, replaced] of this.#refresh) if (replaced === null) this.#refresh.set(one, this.now());
    return { ...access, refresh_token: this.#issueRefresh() };
  }

  #issueRefresh(): string {
    const token = `refresh-${++this.#counter}-${"r".repeat(20)}`;
    this.#refresh.set(token, null);
    return token;
  }

  #issueAccess(): RefreshAnswer {
    const access_token = `access-${++this.#counter}-${"a".repeat(20)}`;
    this.#access.set(access_token, this.now() + LIFE_SECONDS * 1000);
    return { access_token, expires_in: LIFE_SECONDS };
  }
}

/** What may befall the next request. `lost`: carried out, and the connection broken off before the answer. */
export type Fault = "lost" | "held" | "failing";

/** A token endpoint on loopback. */
export class TokenServer implements AsyncDisposable {
  readonly faults: Fault[] = [];
  readonly #held: (() => void)[] = [];
  readonly #holding = Promise.withResolvers<void>();
  readonly #server: Server;

  private constructor(readonly upstream: Upstream) {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  /** Begins to listen. */
  static async open(upstream: Upstream): Promise<TokenServer> {
    const made = new TokenServer(upstream);
    const listening = Promise.withResolvers<void>();
    made.#server.listen(0, "127.0.0.1", listening.resolve);
    await listening.promise;
    return made;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/token`;
  }

  /** Resolves once a request was carried out that is held. */
  get holding(): Promise<void> {
    return this.#holding.promise;
  }

  /** Answers what is held. */
  release(): void {
    this.#held.splice(0).forEach((answer) => answer());
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request));
    const fault = this.faults.shift();
    if (fault === "failing") return void response.writeHead(503).end("busy");
    let [status, body]: [number, object] = [400, { error: "invalid_grant" }];
    try {
      [status, body] = [200, this.upstream.refresh(form.get("refresh_token") ?? "")];
    } catch (error) {
      if (!(error instanceof InvalidGrant)) throw error;
    }
    if (fault === "held") {
      await new Promise<void>((resolve) => {
        this.#held.push(resolve);
        this.#holding.resolve();
      });
    }
    if (fault === "lost") return void request.socket.destroy();
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
    const closed = Promise.withResolvers<void>();
    this.#server.close(() => closed.resolve());
    this.#server.closeAllConnections();
    await closed.promise;
  }
}

/** A refresh over HTTP, as a connector would have one. */
export function refreshAt(address: string): (refresh_token: string) => Promise<RefreshAnswer> {
  return async (refresh_token) => {
    const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token });
    const response = await fetch(address, { method: "POST", body });
    const answer = await response.text();
    if (response.status === 400 && JSON.parse(answer).error === "invalid_grant") throw new InvalidGrant();
    if (!response.ok) throw new GatewayError("E_UPSTREAM", "The upstream is busy", { retryAfter: 60 });
    return JSON.parse(answer);
  };
}
