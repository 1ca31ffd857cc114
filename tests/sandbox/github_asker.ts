/** Asking the repository host as its app, and as an installation of it. */
import { Buffer } from "node:buffer";
import { createPrivateKey, sign } from "node:crypto";
import type { GitHubStandIn } from "../../sandbox/github/start.ts";
import type { Json } from "./asker.ts";

/** An answer; `body` is empty where it was not a JSON object. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
  readonly text: string;
}

/** What a commit and the like are named by. */
export interface Named extends Json {
  readonly sha: string;
}

/** A JSON web token of the app; claims and key can be replaced. */
export function appToken(
  host: GitHubStandIn,
  claims: Json = {},
  key: string = host.app.private_key,
  header: Json = { alg: "RS256", typ: "JWT" },
): string {
  const now = Math.floor(host.clock.now() / 1000);
  const coded = (value: Json) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${coded(header)}.${
    coded({ iat: now - 30, exp: now + 540, iss: String(host.app.id), ...claims })
  }`;
  const signature = sign("sha256", Buffer.from(text), createPrivateKey(key));
  return `${text}.${signature.toString("base64url")}`;
}

/** Sends requests with one credential. */
export class RepoAsker {
  constructor(readonly host: GitHubStandIn, public credential: string | null) {}

  async send(
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = {},
  ): Promise<Answer> {
    const headers = new Headers({
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
      ...more,
    });
    if (this.credential !== null) headers.set("authorization", `Bearer ${this.credential}`);
    if (body !== undefined) headers.set("content-type", "application/json");
    const response = await fetch(`${this.host.base_url}${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
      redirect: "manual",
    });
    const text = await response.text();
    const json = response.headers.get("content-type")?.includes("application/json") && text.startsWith("{");
    let parsed: Json = {};
    try {
      if (json) parsed = JSON.parse(text);
    } catch (thrown) {
      if (!(thrown instanceof SyntaxError)) throw thrown;
    }
    return { status: response.status, headers: response.headers, body: parsed, text };
  }

  get(path: string, more?: Record<string, string>): Promise<Answer> {
    return this.send("GET", path, undefined, more);
  }

  post(path: string, body: unknown): Promise<Answer> {
    return this.send("POST", path, body);
  }

  put(path: string, body: unknown): Promise<Answer> {
    return this.send("PUT", path, body);
  }

  patch(path: string, body: unknown): Promise<Answer> {
    return this.send("PATCH", path, body);
  }

  /** The head of a branch. */
  async head(repo: string, branch = "main"): Promise<string> {
    const { body } = await this.get(`/repos/${repo}/git/ref/heads/${branch}`);
    return (body["object"] as Named).sha;
  }

  /** The object's name in an answer. */
  async made(path: string, body: unknown): Promise<string> {
    const answer = await this.post(path, body);
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return String(answer.body["sha"]);
  }
}

/** Asks as the app. */
export function asApp(host: GitHubStandIn): RepoAsker {
  return new RepoAsker(host, appToken(host));
}

/** Asks as the installation that reaches a repository, with a token made for it alone unless `body` says otherwise. */
export async function asInstallation(host: GitHubStandIn, repo: string, body?: Json): Promise<RepoAsker> {
  const app = asApp(host);
  const { body: installation } = await app.get(`/repos/${repo}/installation`);
  const narrow = body ?? {
    repositories: [repo.split("/")[1]],
    permissions: { contents: "write", metadata: "read" },
  };
  const made = await app.post(`/app/installations/${installation["id"]}/access_tokens`, narrow);
  if (made.status !== 201) throw new Error(`No token: ${made.text}`);
  return new RepoAsker(host, String(made.body["token"]));
}

/** Text as base64 of its UTF-8. */
export function coded(text: string | Uint8Array): string {
  return Buffer.from(text).toString("base64");
}

/** Status and message. */
export function cut({ status, body }: Answer): [number, unknown] {
  return [status, body["message"]];
}
