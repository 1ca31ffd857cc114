/** The egress policy: what no upstream is ever sent. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import { egress } from "../../../guard/egress.ts";
import type { Outgoing, PublishGrant } from "../../../platforms/_http/request.ts";
import { site } from "../platforms/_site.ts";

const grant = { site_id: "acme", tool: "publish_post" } as PublishGrant;
const bytes = (text: string) => new TextEncoder().encode(text);

function attempt(
  out: Partial<Outgoing>,
  policy: (out: Outgoing) => string | null = () => null,
  genuine = false,
  origins: readonly string[] | "public" = ["https://acme.example/blog"],
): void {
  const ctx = { site: site({}), settings: {}, now: 0 };
  egress({ connector: { name: "cms", policy }, origins, ctx, granted: () => genuine }, {
    method: "POST",
    url: "https://acme.example/x",
    effect: "write",
    ...out,
  });
}

const REFUSED: Record<string, Partial<Outgoing>> = {
  "DELETE": { method: "DELETE" },
  "a method in small letters": { method: "delete" as "DELETE" },
  "TRACE": { method: "TRACE" as "GET" },
  "_method in the query": { url: "https://acme.example/x?_method=DELETE" },
  "_method in the query of a read": {
    method: "GET",
    effect: "read",
    url: "https://acme.example/x?a=1&_method=delete",
  },
  "an escaped _method": { url: "https://acme.example/x?%5Fmethod=DELETE" },
  "_method as PHP also reads it, with a dot": { url: "https://acme.example/x?.method=DELETE" },
  "with a bracket": { url: "https://acme.example/x?[method=DELETE" },
  "with a blank": { url: "https://acme.example/x?+_method=DELETE" },
  "as an array": { url: "https://acme.example/x?_method[]=DELETE" },
  "with a NUL, where PHP ends a name": { url: "https://acme.example/x?_method%00x=DELETE" },
  "in capitals": { url: "https://acme.example/x?_METHOD=DELETE" },
  "_method in JSON": { json: { _method: "DELETE" } },
  "_method in JSON text": { body: '{"_method":"DELETE"}' },
  "_method in JSON bytes": {
    body: bytes('{"_method":"DELETE"}'),
    headers: { "Content-Type": "application/json" },
  },
  "_method in a form": { body: "a=1&_method=DELETE" },
  "_method in a multipart body": {
    body: bytes('--x\r\nContent-Disposition: form-data; name="_method"\r\n\r\nDELETE\r\n--x--'),
    headers: { "content-type": "multipart/form-data; boundary=x" },
  },
  "the override header": { headers: { "X-HTTP-Method-Override": "DELETE" } },
  "the override header in small letters": { headers: { "x-http-method-override": "DELETE" } },
  "the override header with underscores": { headers: { "X_HTTP_METHOD_OVERRIDE": "DELETE" } },
  "its shorter form": { headers: { "X-HTTP-Method": "DELETE" } },
  "its shortest form": { headers: { "X-Method-Override": "DELETE" } },
  "a line break in a header": { headers: { "x-a": "1\r\nX-HTTP-Method-Override: DELETE" } },
  "a line break in a header's name": { headers: { "x-a\n": "1" } },
  "two bodies": { json: {}, body: "x" },
  "an address that cannot be read": { url: "/wp-json/" },
  "a grant nobody made": { grant },
};

for (const [what, out] of Object.entries(REFUSED)) {
  Deno.test(`egress refuses ${what}`, () => {
    assert.throws(() => attempt(out), (error: unknown) => {
      assert.ok(error instanceof GatewayError);
      assert.equal(error.code, "E_FORBIDDEN_OP");
      assert.match(error.message, /^The request to cms was not sent: /);
      return true;
    });
  });
}

Deno.test("egress lets ordinary requests pass", () => {
  attempt({});
  attempt({ json: { method: "x", title: "_method" } });
  attempt({ url: "https://acme.example/x?method=a&the_method=b" });
  attempt({ body: bytes("name=_method"), headers: { "content-type": "image/png" } });
  attempt({ method: "GET", effect: "read", headers: { accept: "*/*" } });
  attempt({ grant }, undefined, true);
});

const ELSEWHERE: Record<string, Partial<Outgoing>> = {
  "another host": { url: "https://evil.example/x" },
  "a host below its own": { url: "https://www.acme.example/x" },
  "a host that begins as its own": { url: "https://acme.example.evil.example/x" },
  "its host with a dot at the end": { url: "https://acme.example./x" },
  "its host as a user name": { url: "https://acme.example@evil.example/x" },
  "its host as a user name and password": { url: "https://acme.example:443@evil.example/x" },
  "plain http": { url: "http://acme.example/x" },
  "another port": { url: "https://acme.example:8443/x" },
  "a file": { url: "file:///etc/passwd" },
  "data": { url: "data:text/plain,a" },
  "a blob of its own": { url: "blob:https://acme.example/1" },
  "a user name at its own host": { url: "https://evil@acme.example/x" },
  "a password at its own host": { url: "https://:evil@acme.example/x" },
};

/** A policy that fails the test when it is asked. */
const unasked = (): never => assert.fail("the policy was asked");

for (const [what, out] of Object.entries(ELSEWHERE)) {
  Deno.test(`egress refuses ${what} before the policy is asked`, () => {
    for (
      const origins of [["https://acme.example/blog"], ["null", "", "not an address"], [], "public"] as const
    ) {
      assert.throws(() => attempt({ effect: "read", method: "GET", ...out }, unasked, false, origins), {
        code: "E_FORBIDDEN_OP",
      });
    }
  });
}

Deno.test("egress knows its origin in capitals, with its own port, and below any path", () => {
  for (
    const url of ["HTTPS://ACME.Example/x", "https://acme.example:443/x", "https://acme.example/elsewhere"]
  ) {
    attempt({ url });
  }
  attempt({ url: "https://acme.example/x" }, undefined, false, ["HTTPS://Acme.Example:443/api/v1/"]);
  attempt({ url: "http://127.0.0.1:8080/x" }, undefined, false, ["http://127.0.0.1:8080"]);
});

Deno.test("a site without an address has no origin, and an origin of no host is none", () => {
  for (const origins of [[], [""], ["null"], ["data:,x"], ["file:///"], ["/blog"], ["acme.example"]]) {
    assert.throws(() => attempt({}, unasked, false, origins), /is not where its upstream is$/);
    assert.throws(() => attempt({ url: "file:///x" }, unasked, false, origins), /is no way to an upstream$/);
  }
});

Deno.test("what may go anywhere goes to public addresses only, and carries nothing that could be a credential", () => {
  const open = { method: "GET", effect: "read", url: "https://anywhere.example/x" } as const;
  assert.throws(() => attempt(open, unasked, false, "public"), /it might reach a private address$/);
  for (const header of ["authorization", "Cookie", "x-api-key"]) {
    const out = { ...open, public_only: true, headers: { accept: "*/*", [header]: "1" } };
    assert.throws(() => attempt(out, unasked, false, "public"), /could be one$/);
  }
  attempt(
    { ...open, public_only: true, headers: { Accept: "*/*", "user-agent": "x" } },
    undefined,
    false,
    "public",
  );
});

Deno.test("egress asks the platform last, and says its reason", () => {
  assert.throws(() => attempt({}, () => "posts are never deleted"), /not sent: posts are never deleted$/);
  attempt({}, () => null);
  let asked = false;
  assert.throws(() =>
    attempt({ method: "DELETE" }, () => {
      asked = true;
      return null;
    })
  );
  assert.equal(asked, false);
});
