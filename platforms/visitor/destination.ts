/** Whether visitors get a page where a redirect is to lead, told before it is set. */
import { GatewayError } from "../../core/errors.ts";
import { leavesSite, type Redirect } from "../../rules/redirect.ts";
import type { Visit, Visitor } from "./client.ts";
import { below } from "./live.ts";
import { isForAll } from "./walls.ts";

/**
 * What is to be said of a redirect's destination on the site: that there is no page, that nobody gets to it, or that it
 * could not be seen. Nothing of one elsewhere, for no other site is asked. Never throws.
 */
export async function destinationWarnings(visitor: Visitor, redirect: Redirect): Promise<string[]> {
  const { destination, path } = redirect;
  if (path === null || visitor.base === null || leavesSite(redirect, visitor.base)) return [];
  const address = addressOf(visitor, destination, path);
  if (!visitor.mayRead(address)) return [];
  try {
    const fault = faultOf(await visitor.visit(address), path);
    return fault === null ? [] : [`destination: ${fault}`];
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return [`destination: it could not be seen whether visitors get a page at ${path}: ${thrown.message}`];
  }
}

/** With its query where that names a page, as plain permalinks do. */
function addressOf(visitor: Visitor, destination: string, path: string): string {
  const url = new URL(below(visitor.base, path));
  url.search = URL.parse(destination, url)?.search ?? "";
  if (!visitor.mayRead(url.href)) url.search = "";
  return url.href;
}

function faultOf({ status, wall, lost, ends }: Visit, path: string): string | null {
  if (wall?.kind === "password") {
    return `the web server asks everybody for a password, so it could not be seen whether there is a page at ${path}`;
  }
  if (wall !== null && isForAll(wall)) {
    return `visitors get no page at ${path}: ${wall.message}; ${wall.next}`;
  }
  if (wall !== null) return `it could not be seen whether visitors get a page at ${path}: ${wall.message}`;
  if (lost) return `visitors get no page at ${path}: it ${ends}`;
  if (ends !== null || status === null || status < 400) return null;
  return `visitors get no page at ${path} (${status}); correct the address, or publish first what is to be there`;
}
