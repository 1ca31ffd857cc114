/** The rounds of a call that waits for a person: what its client carries from one to the next, and how long it is kept waiting. */
import { type Caller, LIMITS } from "../../core/model.ts";
import { isFields } from "../../core/values.ts";
import { approvalsPort } from "../pipeline/approvals_port.ts";
import type { ContextPorts } from "../pipeline/context_ports.ts";

/** What a client carries, and cannot read. */
export interface Round {
  readonly approval_id: string;
  /** The confirm token of the preview, where the call itself had none. */
  readonly token: string | null;
  /** How often the client has come back. */
  readonly count: number;
  /** Whether it said that its person has the page open. */
  readonly opened: boolean;
}

/** A text that only this gateway can have made, and that opens for the record alone that it was made for. */
interface Sealed {
  readonly key: string;
  readonly iv: Uint8Array;
  readonly data: Uint8Array;
}

/** What it depends on. */
export interface RoundsPorts extends Pick<ContextPorts, "store" | "delay" | "baseUrl" | "stopping"> {
  sealer(): Promise<{
    seal(text: string, record: readonly string[]): Promise<Sealed>;
    unseal(sealed: Sealed, record: readonly string[]): Promise<string>;
  }>;
  now(): number;
}

const BASE64URL = { alphabet: "base64url", omitPadding: true } as const;
/** No state of ours is longer. */
const STATE_CHARACTERS_MAX = 1000;

/** Each state is for one grant and one tool; the confirm token in it is for the arguments as well. */
const boundTo = ({ token }: Caller, tool: string) => ["mcp_rounds", token.id, tool];

/** The rounds of one gateway. */
export class Rounds {
  readonly #ports: RoundsPorts;
  /** How many calls of a token are kept waiting here. */
  readonly #waiting = new Map<string, number>();

  constructor(ports: RoundsPorts) {
    this.#ports = ports;
  }

  /** The text that a client sends back. It lasts a day. */
  async seal(caller: Caller, tool: string, round: Round): Promise<string> {
    const until = this.#ports.now() + LIMITS.IDEMPOTENCY_MS;
    const sealer = await this.#ports.sealer();
    const { key, iv, data } = await sealer.seal(JSON.stringify({ ...round, until }), boundTo(caller, tool));
    return [key, iv.toBase64(BASE64URL), data.toBase64(BASE64URL)].join(".");
  }

  /** What such a text holds; null for one that was not made for that token and tool, or whose day is over. */
  async open(caller: Caller, tool: string, text: string): Promise<Round | null> {
    const [key, iv, data, ...more] = text.length > STATE_CHARACTERS_MAX ? [] : text.split(".");
    if (key === undefined || iv === undefined || data === undefined || more.length > 0) return null;
    try {
      const bytes = (part: string) => Uint8Array.fromBase64(part, { alphabet: "base64url" });
      const sealed = { key, iv: bytes(iv), data: bytes(data) };
      const found: unknown = JSON.parse(
        await (await this.#ports.sealer()).unseal(sealed, boundTo(caller, tool)),
      );
      if (!isFields(found) || Number(found.until) <= this.#ports.now()) return null;
      return found as unknown as Round;
    } catch {
      return null; // whatever it is, it is none of ours
    }
  }

  /** Waits for the decision, as long as get_approval would; not where too many calls of that token wait already. */
  async wait(caller: Caller, approval_id: string, left: AbortSignal): Promise<void> {
    const { id } = caller.token;
    const count = this.#waiting.get(id) ?? 0;
    if (count >= LIMITS.ROUNDS_WAITING) return;
    this.#waiting.set(id, count + 1);
    try {
      const follower = { signal: left, progress() {} };
      await approvalsPort(this.#ports, { caller, follower })
        .find(approval_id, LIMITS.APPROVAL_WAIT_SECONDS);
    } catch {
      // The call itself is answered what became of the request, or of its client.
    } finally {
      const rest = (this.#waiting.get(id) ?? 1) - 1;
      if (rest > 0) this.#waiting.set(id, rest);
      else this.#waiting.delete(id);
    }
  }
}
