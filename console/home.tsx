/** The page at `/`: what this is, for a person who opened the address, and where to go. */
import type { Context } from "hono";
import { showPage } from "./respond.tsx";

/** Whether a page is what was asked for; a script asks for anything, or for JSON. */
function wantsPage(request: Request): boolean {
  return (request.headers.get("accept") ?? "").toLowerCase().split(",")
    .some((one) => one.split(";")[0]!.trim() === "text/html");
}

/** Answers the page; null where none was asked for. It asks nobody who they are. */
export async function homePage(c: Context, baseUrl: string): Promise<Response | null> {
  if (!wantsPage(c.req.raw)) return null;
  c.header("Vary", "Accept");
  return await showPage(
    c,
    { title: "AI agents look after websites here", visitor: null },
    <>
      <p>
        Through this gateway agents and scripts read websites, write drafts and, where they are allowed to,
        publish. It holds each of them to what a person permitted, shows what would change before it does, and
        keeps what was done, so that it can be read and taken back.
      </p>
      <p>
        <a class="button" href="/admin">Open the console</a>
      </p>
      <h2>You were sent here for something else?</h2>
      <ul>
        <li>
          <a href="/admin/sign-in">Sign in</a>{" "}
          with your e-mail address or a passkey. Without an account, ask whoever manages this gateway for an
          invitation.
        </li>
        <li>
          <a href="/admin/login">Sign in with the master token</a>, if you operate it.
        </li>
        <li>
          Connect an agent: its address for MCP is <code>{`${baseUrl}/mcp`}</code>
        </li>
        <li>
          Write a script: <a href="/docs">the reference of the API</a> (and{" "}
          <a href="/api/v1/openapi.json">its OpenAPI document</a>), whose tools are called at{" "}
          <code>{`${baseUrl}/api/v1/tools/`}</code>
        </li>
      </ul>
    </>,
  );
}
