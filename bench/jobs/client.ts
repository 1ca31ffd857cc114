/** What speaks MCP for a player, and counts what a model would read. */
import { encode } from "../../tests/packages/tokens.ts";

/** Where a player finds the gateway, and the judge. */
export interface Player {
  readonly url: string;
  readonly token: string;
  readonly control: string;
}

type Content = { readonly type: string; readonly text?: string; readonly data?: string };

/** The tokens of a text. */
export const count = (text: string) => encode(text).length;

/** What an image costs: its pixels by 750, as models that look at images count them, at most 1,600. */
function imageTokens(data: string): number {
  const bytes = Uint8Array.fromBase64(data);
  const isPng = bytes[0] === 0x89 && bytes[1] === 0x50;
  if (!isPng) return 1600;
  const view = new DataView(bytes.buffer);
  return Math.min(1600, Math.ceil(view.getUint32(16) * view.getUint32(20) / 750));
}

/** A client of one address. */
export class Agent {
  constructor(readonly player: Player, readonly address: string) {}

  /** A request of MCP; its result. Throws with the error of the protocol. */
  async ask<T>(method: string, params: object): Promise<T> {
    const response = await fetch(this.address, {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.player.token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { result, error } = await response.json();
    if (error) throw new Refused(`${error.code}: ${error.message}`);
    return result;
  }

  /** The instructions and the tools, as a model is shown them. */
  async list(): Promise<string> {
    const clientInfo = { name: "bench-jobs", version: "1" };
    const begun = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    const { instructions = "" } = await this.ask<{ instructions?: string }>("initialize", begun);
    const tools: object[] = [];
    for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
      const page = await this.ask<{ tools: object[]; nextCursor?: string }>(
        "tools/list",
        cursor ? { cursor } : {},
      );
      tools.push(...page.tools);
      cursor = page.nextCursor;
    }
    return `${instructions}\n\n${JSON.stringify({ tools })}`;
  }

  /** What a model gets of a call. */
  async call(name: string, args: unknown): Promise<{ text: string; tokens: number; error: string | null }> {
    try {
      const { content, isError } = await this.ask<{ content: Content[]; isError?: boolean }>(
        "tools/call",
        { name, arguments: args },
      );
      const parts = content.map((one) =>
        one.type === "image"
          ? { text: "[an image]", tokens: imageTokens(one.data ?? "") }
          : { text: one.text ?? JSON.stringify(one), tokens: count(one.text ?? JSON.stringify(one)) }
      );
      const text = parts.map((part) => part.text).join("\n");
      const code = /E_[A-Z_]+/.exec(text)?.[0] ?? "an error";
      const tokens = parts.reduce((sum, part) => sum + part.tokens, 0);
      return { text: isError ? `isError: true\n${text}` : text, tokens, error: isError ? code : null };
    } catch (thrown) {
      if (!(thrown instanceof Refused)) throw thrown;
      return { text: thrown.message, tokens: count(thrown.message), error: thrown.message.split(":")[0]! };
    }
  }
}

/** An error of the protocol. */
class Refused extends Error {}

/** Has a job judged by the world, with what the player answered in the end. */
export async function judged(player: Player, job: string, answer: string) {
  const response = await fetch(player.control, { method: "POST", body: JSON.stringify({ job, answer }) });
  if (!response.ok) throw new Error(await response.text());
  return await response.json() as { whole: boolean; lacks: string[] };
}
