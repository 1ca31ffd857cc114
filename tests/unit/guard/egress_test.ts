/** The last look: what no upstream is ever sent. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../errors.ts";
import { egress } from "../../../guard/egress.ts";
import type { Outgoing, PublishGrant } from "../../../platforms/request.ts";
import { site } from "../platforms/_site.ts";

const grant = { site_id: "acme", tool: "publish_post" } as PublishGrant;
const bytes = (text: string) => new TextEncoder().encode(text);

function look(
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
    assert.throws(() => look(out), (error: unknown) => {
      assert.ok(error instanceof GatewayError);
      assert.equal(error.code, "E_FORBIDDEN_OP");
      assert.match(error.message, /^The request to cms was not sent: /);
      return true;
    });
  });
}

Deno.test("egress lets ordinary requests pass", () => {
  look({});
  look({ json: { method: "x", title: "_method" } });
  look({ url: "https://acme.example/x?method=a&the_method=b" });
  look({ body: bytes("name=_method"), headers: { "content-type": "image/png" } });
  look({ method: "GET", effect: "read", headers: { accept: "*/*" } });
  look({ grant }, undefined, true);
});

Deno.test("egress asks the platform last, and says its reason", () => {
  assert.throws(() => look({}, () => "posts are never deleted"), /not sent: posts are never deleted$/);
  look({}, () => null);
  let asked = false;
  assert.throws(() =>
    look({ method: "DELETE" }, () => {
      asked = true;
      return null;
    })
  );
  assert.equal(asked, false);
});
