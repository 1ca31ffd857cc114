/** Probes over a whole gateway: answers that are changed on their way, and what is said of them. */
import assert from "node:assert/strict";
import type { ProbedRead, ProbedUpstream, ProbeReport } from "../registry/probe_report.ts";
import { type Kit, MASTER } from "./kit.ts";

type Change = (json: unknown) => unknown;

/** A way to the stand-ins on which answers can be changed. */
export class Changed {
  readonly #changes: { path: RegExp; change: Change; status?: number }[] = [];
  /** Every answer that went through, as it arrived. */
  readonly answers: string[] = [];

  /** To be handed to a kit as `fetch`. */
  readonly fetch = (async (input: URL, init: RequestInit) => {
    const { body, method, headers, signal } = init;
    const answer = await fetch(input, { body, method, headers, signal, redirect: "manual" });
    const text = await answer.text();
    const kept = new Headers(answer.headers);
    for (const name of ["content-encoding", "content-length", "transfer-encoding"]) kept.delete(name);
    const found = this.#changes.filter(({ path }) => path.test(`${method} ${input.pathname}`));
    const bare = [204, 205, 304].includes(answer.status) || method === "HEAD";
    const status = found.find((one) => one.status !== undefined)?.status;
    if (found.length === 0 || bare || !answer.ok && status === undefined) {
      this.answers.push(text);
      return new Response(bare ? null : text, { status: answer.status, headers: kept });
    }
    const changed = JSON.stringify(found.reduce((json, { change }) => change(json), JSON.parse(text)));
    this.answers.push(changed);
    return new Response(changed, { status: status ?? answer.status, headers: kept });
  }) as typeof fetch;

  /** Changes the answers to requests that fit (`GET /path`), in place or by what is answered. */
  change(path: RegExp, change: Change): void {
    this.#changes.unshift({ path, change: (json) => change(json) ?? json });
  }

  /** Changes nothing any more. */
  reset(): void {
    this.#changes.length = 0;
  }

  /** Has them refused. */
  refuse(path: RegExp, status: number, body: unknown): void {
    this.#changes.unshift({ path, change: () => body, status });
  }
}

/** What a probe of a site answers. */
export async function probed(gw: Kit, site: string, costly: readonly string[] = []): Promise<ProbeReport> {
  const response = await gw.http(`/admin/api/sites/${site}/probe`, {
    method: "POST",
    headers: { authorization: `Bearer ${MASTER}`, "content-type": "application/json" },
    body: JSON.stringify({ with: costly }),
  });
  const { ok, result, error } = await response.json();
  assert.ok(ok, JSON.stringify(error));
  return result as ProbeReport;
}

/** A service of a report. */
export function serviceOf({ upstreams }: ProbeReport, name: string): ProbedUpstream {
  const found = upstreams.find(({ connector, service }) => `${connector}/${service}` === name);
  assert.ok(found, name);
  return found;
}

/** A read of a service. */
export function readOf(report: ProbeReport, service: string, read: string): ProbedRead {
  const found = serviceOf(report, service).reads.find((one) => one.read === read);
  assert.ok(found, `${service}: ${read}`);
  return found;
}

/** What a service's reads came to. */
export const statesOf = (report: ProbeReport, service: string) =>
  Object.fromEntries(serviceOf(report, service).reads.map(({ read, state }) => [read, state]));

/** Every text of a value, those of its names too, but for what is too short to mean anything. */
export function textsOf(value: unknown, shortest = 5): string[] {
  if (typeof value === "string" || typeof value === "number") {
    return String(value).length < shortest ? [] : [String(value)];
  }
  if (Array.isArray(value)) return value.flatMap((one) => textsOf(one, shortest));
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((one) => textsOf(one, shortest));
}
