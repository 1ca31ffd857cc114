/** Which redirects may be: sources, destinations, circles onto themselves, in every spelling. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import {
  homeOf,
  mustStay,
  pathOnSite,
  redirectOf,
  redirectSource,
  sameDestination,
} from "../../../rules/redirect.ts";
import { words } from "../../words.ts";

const HOME = homeOf("https://www.Acme.example");
const BLOG = homeOf("https://acme.example:8443/blog");

function refused(run: () => unknown): string {
  try {
    run();
  } catch (thrown) {
    assert.ok(thrown instanceof GatewayError && thrown.code === "E_BAD_INPUT", String(thrown));
    assert.doesNotMatch(thrown.message, /\.$/);
    return thrown.message;
  }
  return "passes";
}

const SOURCES: Record<string, string> = {
  "/old": "/old",
  "/Old-Page/": "/Old-Page",
  "//old///page//": "/old/page",
  "/%6fld": "/old",
  "/%256fld": "/old",
  "/a%20b": "/a b",
  "/\u00fcber": "/\u00fcber",
  "/%C3%BCber/": "/\u00fcber",
  "/100%": "/100%",
  "/wp-adminish": "/wp-adminish",
  "/a/wp-admin": "/a/wp-admin",
  "/blog/old": "/blog/old",
  "/...": "/...",
};

for (const [given, kept] of Object.entries(SOURCES)) {
  Deno.test(`the source ${given} is kept as ${kept}`, () => assert.equal(redirectSource(given, HOME), kept));
}

const BAD_SOURCES = words(
  `
  old https://acme.example/old / // /%2f /wp-admin /wp-admin/edit.php /WP-Admin/ //wp-admin /%77p-admin
  /%2577p-admin /wp-login.php /wp%2Dlogin.php/x /wp-json /Wp-Json/wp/v2 /index.php /index.php/wp-json
  /xmlrpc.php /wp-cron.php /wp-content/uploads/a.png /wp-includes/x.js /a?b /a%3fb /a#b /a%23b
  /a/../wp-admin /a/%2e%2e/wp-admin /. /a%0d%0aLocation:x /a%250d%250a /a\u0000 /a%00 /a\u2028b /\\wp-admin
  /a%5cb /%ff /\ud800
`,
  "",
  "/a b",
  "/a\r\nLocation: x",
  `/${"a".repeat(2000)}`,
  `/${"\u00fc".repeat(1000)}`,
  `/%${"25".repeat(6)}41`,
);

for (const source of BAD_SOURCES) {
  const shown = JSON.stringify(source.slice(0, 40));
  Deno.test(`the source ${shown} is refused`, () => {
    assert.match(refused(() => redirectSource(source, HOME)), /^source: /);
    assert.match(refused(() => redirectOf({ source, destination: "/fine", status: 301 }, HOME)), /^source: /);
  });
}

Deno.test("the folder a site lies in does not count", () => {
  assert.equal(redirectSource("/blog/old", BLOG), "/old");
  assert.equal(redirectSource("/old", BLOG), "/old");
  assert.equal(redirectSource("/blogger", BLOG), "/blogger");
  for (const source of ["/blog", "/blog/", "/blog/wp-admin", "/blog/wp-json/x"]) {
    assert.match(refused(() => redirectSource(source, BLOG)), /^source: .* may not lead elsewhere/, source);
  }
  assert.equal(pathOnSite("https://ACME.example/blog/new?x", BLOG), "/new");
  assert.equal(pathOnSite("/new", BLOG), "/new");
  for (const path of ["/new", "/blogger", "/blog/../new", "/"]) {
    assert.equal(pathOnSite(`https://acme.example${path}`, BLOG), null, "another site of that host");
  }
  assert.equal(mustStay("/"), true);
});

const DESTINATIONS: Record<string, string | null> = {
  "/new": "/new",
  "/new/?a=1#b": "/new",
  "/": "/",
  "https://acme.example": "/",
  "https://acme.example/New/": "/New",
  "http://www.acme.example:80/new": "/new",
  "HTTPS://ACME.EXAMPLE./new": "/new",
  "/a/../new": "/new",
  "/wp-content/uploads/a.pdf": "/wp-content/uploads/a.pdf",
  "https://other.example/wp-admin/": null,
  "https://sub.acme.example/new": null,
  "http://192.0.2.1/x": null,
  "https://b\u00fccher.example/\u00fc": null,
};

for (const [given, path] of Object.entries(DESTINATIONS)) {
  Deno.test(`the destination ${given} is stored as it is and leads to ${path ?? "another site"}`, () => {
    const redirect = redirectOf({ source: "/old", destination: given, status: 302 }, HOME);
    assert.deepEqual(redirect, { source: "/old", destination: given, path, status: 302 });
  });
}

const BAD_DESTINATIONS = words(
  `
  new //evil.test/x /\\evil.test \\\\evil.test javascript:alert(1) JavaScript:alert(1) data:text/html,x
  ftp://acme.example/ mailto:a@b.test https:// https:///x https:/acme.example/x
  https://user:pass@other.example/ https://user@other.example/ https://other.example\\@evil.test/
  /a%0d%0aSet-Cookie:x /a%250d%250a https://other.example/%0aX /<script> /"x /%ff /\ud800 /wp-admin
  /WP-ADMIN/options.php /%77p-login.php /wp-json/wp/v2/users /xmlrpc.php /a/../wp-admin
  /?rest_route=/wp/v2/users /?a=1&rest%5Froute=/wp https://acme.example/wp-admin/
  http://www.ACME.example//wp-login.php?x=1
`,
  "",
  "/a b",
  "/a\r\nSet-Cookie: x",
  "/a\nb",
  `/${"a".repeat(2000)}`,
);

for (const destination of BAD_DESTINATIONS) {
  Deno.test(`the destination ${JSON.stringify(destination.slice(0, 40))} is refused`, () => {
    const message = refused(() => redirectOf({ source: "/old", destination, status: 301 }, HOME));
    assert.match(message, /^destination: /);
  });
}

const ONTO_ITSELF = words(
  `
  /old /old/ /OLD /%6fld /%256Fld/ /old?utm=1 /old#top /x/../old https://acme.example/old
  http://www.acme.example/Old/ https://ACME.EXAMPLE:443/%4fld?x https://acme.example./old
`,
  "//old".replace("//", "/./"),
);

for (const destination of ONTO_ITSELF) {
  Deno.test(`a redirect from /old to ${destination} leads back and is refused`, () => {
    const message = refused(() => redirectOf({ source: "/Old/", destination, status: 301 }, HOME));
    assert.match(message, /^destination: leads back to \/Old/);
  });
}

Deno.test("a site in a folder, and one with another alphabet, see their own circles too", () => {
  const to = (source: string, destination: string, home = BLOG) =>
    refused(() => redirectOf({ source, destination, status: 301 }, home));
  assert.match(to("/blog/old", "/old"), /leads back/);
  assert.match(to("/old", "https://acme.example/blog/old/"), /leads back/);
  assert.match(to("/\u00dcber", "/%C3%BCber", HOME), /leads back/);
  assert.match(
    to("/a", "https://xn--bcher-kva.example/a", homeOf("https://b\u00fccher.example")),
    /leads back/,
  );
  assert.equal(to("/old", "/old2"), "passes");
  assert.equal(to("/old", "https://other.example/blog/old"), "passes");
});

Deno.test("destinations are compared by where they lead", () => {
  const same: [string, string][] = [
    ["/new", "https://acme.example/new"],
    ["/new/", "http://127.0.0.1:80/new"],
    ["/\u00fc?a=1#b", "https://acme.example/%C3%BC?a=1#b"],
    ["https://www.acme.example/a", "https://acme.example/a/"],
    ["https://other.example/a?b", "https://OTHER.example/a?b"],
  ];
  for (const [one, other] of same) assert.ok(sameDestination(one, other, HOME), `${one} ${other}`);
  const not: [string, string][] = [
    ["/new", "/old"],
    ["/new", ""],
    ["/new?a=1", "/new"],
    ["https://other.example/a", "https://acme.example/a"],
    ["https://other.example/a", "https://other.example/A"],
  ];
  for (const [one, other] of not) assert.ok(!sameDestination(one, other, HOME), `${one} ${other}`);
  assert.equal(pathOnSite("/x", homeOf(null)), "/x");
  assert.equal(pathOnSite("https://acme.example/x", homeOf(null)), null);
});
