/** One request to a Google service: signed for the person the site is bound to, renewed once, its answer read or refused. */
import type { z } from "zod";
import { GatewayError } from "../../core/errors.ts";
import type { AccessToken, AccountTokens } from "../_connector/context.ts";
import type { ConnectorContext } from "../_connector/connector.ts";
import { excerptOf } from "../_content/excerpt.ts";
import type { Incoming, Outgoing } from "../_http/request.ts";
import { errorWithin, isOverQuota, refusal, unreadable, unusable } from "./errors.ts";
import { type Service, type ServiceName, SERVICES, type ServiceSettings } from "./services.ts";

export type GoogleContext = ConnectorContext<ServiceSettings>;

/** A request without what signs it. */
export type Asked = Omit<Outgoing, "busy" | "turn" | "grant">;

/** How long a read waits that was refused with 403 for being asked too much. */
const QUOTA_PAUSE_MS = 1000;
const SERVER_PAUSE_MS = 500;

/** Asks one service. */
export class GoogleWire {
  readonly service: Service;
  /** The token that was sent last, which no message shows. */
  #sent = "";

  /** `access` is what a refusal of access is helped by, where that is not what the service says of itself. */
  constructor(readonly ctx: GoogleContext, readonly named: ServiceName, access?: string) {
    this.service = access === undefined ? SERVICES[named] : { ...SERVICES[named], access };
  }

  /** Refuses where there is no connection that may be used, as every request would; asks the service nothing. */
  async assertConnected(): Promise<void> {
    await this.#token();
  }

  /** The answer, a success. Throws what `refusal` makes of another one, and the service's own code without a connection. */
  async ask(asked: Asked): Promise<Incoming> {
    const answer = await this.attempt(asked);
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw this.refused(answer, asked);
  }

  /** The answer, whatever its status, but for a token that is not taken. */
  async attempt(asked: Asked): Promise<Incoming> {
    const first = await this.#token();
    let token = first;
    let answer = await this.#send(asked, token);
    if (answer.status === 401) {
      token = this.#scoped(await this.#tokens.renewed(first));
      answer = await this.#send(asked, token);
    }
    if (asked.effect === "read" && isOverQuota(answer)) {
      answer = await this.#send(asked, token, QUOTA_PAUSE_MS);
    }
    return answer;
  }

  /** The error of an answer that is no success. */
  refused(answer: Incoming, out: Asked): GatewayError {
    return refusal(this.service, {
      answer,
      out,
      secrets: this.#secrets,
      now: this.ctx.now(),
      user_id: this.#user,
    });
  }

  /** An answer as that shape. Throws E_UPSTREAM where it is none. */
  shaped<T>(shape: z.ZodType<T>, answer: Incoming, out: Asked): T {
    const json = answer.json();
    if (json === undefined) throw unreadable(this.service, out, "it is not JSON");
    const broken = errorWithin(json);
    if (broken !== null) {
      throw unreadable(this.service, out, "it ends with an error", excerptOf(broken, this.#secrets));
    }
    const read = shape.safeParse(json);
    if (read.success) return read.data;
    const at = read.error.issues[0]?.path.map(String).join(".") || "the answer";
    throw unreadable(this.service, out, `${at} is not of the form that was expected`);
  }

  /** Asks, and reads the answer as that shape. */
  async read<T>(shape: z.ZodType<T>, asked: Asked): Promise<T> {
    return this.shaped(shape, await this.ask(asked), asked);
  }

  get #secrets(): string[] {
    const { ADS_DEVELOPER_TOKEN: developer } = this.ctx.settings;
    return [developer, this.#sent].filter((one) => typeof one === "string" && one !== "") as string[];
  }

  get #tokens(): AccountTokens {
    const { account } = this.ctx;
    if (account) return this.named === "storage" ? account.of("storage") : account;
    throw new GatewayError("E_INTERNAL", "A call without an account asked for Google");
  }

  get #user(): string {
    return this.ctx.site?.[this.service.user] ?? "";
  }

  async #token(): Promise<AccessToken> {
    return this.#scoped(await this.#tokens.token());
  }

  /** Refuses a connection whose person left the service's permission out. */
  #scoped(token: AccessToken): AccessToken {
    if (token.scopes.includes(this.service.scope)) return token;
    throw unusable(this.service, this.#user, "was connected without the permission for it");
  }

  #send(asked: Asked, token: AccessToken, pause_ms = 0): Promise<Incoming> {
    let wait = pause_ms;
    this.#sent = token.access_token;
    const headers = { ...asked.headers, authorization: `Bearer ${token.access_token}` };
    return this.ctx.send({
      ...asked,
      headers,
      turn: () => {
        const left = wait;
        wait = 0;
        return left;
      },
      busy: ({ status }) => asked.effect === "read" && status === 500 ? SERVER_PAUSE_MS : null,
    });
  }
}
