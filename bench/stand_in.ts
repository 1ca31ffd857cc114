/** What calls of a group of tools cost at a stand-in of their upstream, beside the same requests sent by a bare client. */
import assert from "node:assert/strict";
import type { RecordedRequest } from "../sandbox/core/recorder.ts";
import type { Gateway } from "./gateway.ts";
import { type Line, ms } from "./table.ts";
import { inTurn } from "./timing.ts";

/** What is asked of a stand-in here. */
export interface Asked {
  readonly base_url: string;
  readonly requests: readonly RecordedRequest[];
  clear(): void;
}

/** A tool's call; `args` makes what it is about, new in each round, where one call spends it. */
export interface Call {
  readonly tool: string;
  readonly args: (round: number) => Readonly<Record<string, unknown>>;
}

/** Headers that a client writes by itself, or that hold for one request alone. */
const OWN_HEADERS = ["host", "connection", "content-length", "accept-encoding", "idempotency-key"];

/**
 * A row for each call: the gateway, then a bare client that sends what the gateway sent, one after the other. Each
 * round begins `pause_ms` after the one before: no call waits for its turn at an upstream whose pace is kept.
 */
export async function standInRows(
  gateway: Pick<Gateway, "call">,
  service: Asked,
  calls: readonly Call[],
  { rounds, pause_ms = 0 }: { readonly rounds: number; readonly pause_ms?: number },
): Promise<Line[]> {
  const rows: Line[] = [];
  for (const { tool, args } of calls) {
    let exchanges: readonly RecordedRequest[] = [];
    const about = Array.from({ length: rounds + 1 }, (_, round) => args(round));
    const took = await inTurn(rounds, {
      pause: () => new Promise((resolve) => setTimeout(resolve, pause_ms)),
      async gateway(round) {
        service.clear();
        await gateway.call(tool, about[round]!);
        exchanges = [...service.requests];
      },
      bare: () => sendAgain(service.base_url, exchanges),
    });
    assert.ok(exchanges.length > 0, `${tool} asks its upstream`);
    rows.push({
      name: tool,
      figure: `${ms(took.gateway)}, ${exchanges.length} ${exchanges.length === 1 ? "request" : "requests"}`,
      beside: `${ms(took.bare)} for the same by a bare client`,
      aim: "",
    });
  }
  return rows;
}

/** Sends requests once more. A write is another one than before: a key that names the first is left out. */
async function sendAgain(base_url: string, exchanges: readonly RecordedRequest[]): Promise<void> {
  const { origin } = new URL(base_url);
  for (const { method, target, headers, body } of exchanges) {
    const kept = Object.entries(headers).filter(([name]) => !OWN_HEADERS.includes(name));
    const keyed = "idempotency-key" in headers ? [["idempotency-key", crypto.randomUUID()]] : [];
    const answer = await fetch(origin + target, {
      method,
      headers: [...kept, ...keyed] as [string, string][],
      body: body === null ? null : JSON.stringify(body),
    });
    await answer.bytes();
    assert.ok(answer.ok, `${method} ${target} answered ${answer.status}`);
  }
}
