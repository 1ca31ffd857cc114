/** What the egress policy lets pass to a site's visitors' pages: plain reads of its own pages, and nothing else. */
import assert from "node:assert/strict";
import type { Outgoing } from "../../../platforms/_http/request.ts";
import visitor from "../../../platforms/visitor/connector.ts";
import { verdict } from "./_judged.ts";
import { site } from "./_site.ts";

const attempt = (out: Partial<Outgoing>): string => {
  const plain = {
    method: "GET",
    effect: "read",
    url: "https://acme.example/about/",
    redirects: "answered",
  } as const;
  return verdict(visitor, site({}), { ...plain, ...out });
};
const at = (path: string): Partial<Outgoing> => ({ url: `https://acme.example${path}` });

const PASSES: Record<string, Partial<Outgoing>> = {
  "a page": {},
  "a link": { method: "HEAD" },
  "what it accepts": { headers: { accept: "text/html", "user-agent": "x" } },
  "a page by its id": at("/?p=7"),
  "past a cache": at("/about/?site-ops-check=0123456789ab"),
  "a page that is called like a folder": at("/wp-admin-tips/"),
};
for (const [name, out] of Object.entries(PASSES)) {
  Deno.test(`visitors' pages: passes ${name}`, () => assert.equal(attempt(out), "passes"));
}

const REFUSED: Record<string, [Partial<Outgoing>, RegExp]> = {
  "a write": [{ effect: "write" }, /only read/],
  "a POST": [{ method: "POST" }, /only read/],
  "a body": [{ body: "x" }, /only read/],
  "credentials": [{ headers: { Authorization: "Basic x" } }, /without credentials/],
  "a cookie": [{ headers: { cookie: "a=b" } }, /without credentials/],
  "another host": [{ url: "https://evil.example/" }, /is not where its upstream is/],
  "another port": [{ url: "https://acme.example:8443/" }, /is not where its upstream is/],
  "plain http": [{ url: "http://acme.example/" }, /is not where its upstream is/],
  "a user name": [{ url: "https://u:p@acme.example/" }, /user name or a password/],
  "redirects followed unjudged": [
    { redirects: undefined },
    /each address that a redirect leads to is judged/,
  ],
  "the admin area": [at("/wp-admin/post.php"), /where a site is run/],
  "the log-in in a folder": [at("/blog/wp-login.php"), /where a site is run/],
  "the cron, escaped twice": [at("/wp%252Dcron.php"), /where a site is run/],
  "XML-RPC in capitals, with a parameter": [at("/XMLRPC.php;x=1"), /where a site is run/],
  "a search": [at("/?s=x"), /names no page/],
  "the REST API": [at("/?rest_route=/wp/v2/users"), /names no page/],
  "a method in disguise": [at("/?_method=DELETE"), /changes the method/],
  "a value that is no page's": [at("/?p=7%20or%201"), /names no page/],
};
for (const [name, [out, says]] of Object.entries(REFUSED)) {
  Deno.test(`visitors' pages: refuses ${name}`, () => assert.match(attempt(out), says));
}
