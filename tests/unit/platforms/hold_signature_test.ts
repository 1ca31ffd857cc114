/** Signatures of held requests: by vectors that were made elsewhere, for every way to write the site's REST address. */
import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { signatureOf } from "../../../platforms/wordpress/companion/hold_signature.ts";
import { heldOf } from "../../../platforms/_content/holds.ts";
import type { Outgoing } from "../../../platforms/_http/request.ts";

const KEY = { key_id: "0123456789abcdef", key: "00112233445566778899aabbccddeeff".repeat(2) };
const AT = 1_790_000_000_500;
const signed = async (out: Pick<Outgoing, "method" | "url" | "headers" | "json" | "body">) =>
  (await signatureOf(KEY, out, AT))["x-site-ops-signature"];

Deno.test("a request is signed over version, method, route, body, hold and time", async () => {
  const post = {
    method: "POST",
    url: "https://acme.example/wp-json/mcp/emcp-tools-server",
    headers: { "X-Site-Ops-Hold": "dry; id=ab12ab12ab12ab12ab12ab12ab12ab12" },
    json: { jsonrpc: "2.0", text: "Æble" },
  } as const;
  assert.equal(
    await signed(post),
    "v1; key=0123456789abcdef; t=1790000000; sig=" +
      "b61f8f3fdcd3a5c2c58cc47d630949792c518cba128cf1b31d8b418f97df15d8",
  );
  const get = {
    method: "GET",
    url: "https://acme.example/?rest_route=/site-ops/v1/holds/ab12ab12ab12ab12ab12ab12ab12ab12",
  } as const;
  assert.equal(
    await signed(get),
    "v1; key=0123456789abcdef; t=1790000000; sig=" +
      "23c71e68c61d030bbe71ea95ad6d3d665091799fc30fdef00f95bc03a3241dde",
  );
});

Deno.test("the route is the same wherever the site's REST API stands, and each part counts", async () => {
  const lines = (
    method: string,
    body: string,
    hold: string,
  ) => ["v1", method, "/mcp/a-server", createHash("sha256").update(body).digest("hex"), hold, "1790000000"];
  const mac = (...given: [string, string, string]) =>
    createHmac("sha256", Buffer.from(KEY.key, "hex")).update(lines(...given).join("\n")).digest("hex");
  for (
    const url of [
      "https://acme.example/wp-json/mcp/a-server",
      "https://acme.example/blog/wp-json/mcp/a-server?_fields=a",
      "https://acme.example/?rest_route=/mcp/a-server",
      "https://acme.example/index.php?rest_route=%2Fmcp%2Fa-server&x=1",
    ]
  ) {
    for (const body of ["", '{"a":1}']) {
      const out = { method: "POST", url, body } as const;
      assert.ok((await signed(out))!.endsWith(mac("POST", body, "")), url);
      const held = { ...out, headers: { "x-site-ops-hold": "hold; id=1" } };
      assert.ok((await signed(held))!.endsWith(mac("POST", body, "hold; id=1")), url);
    }
  }
});

Deno.test("what an answer says of a held call is read strictly", () => {
  const id = "ab12".repeat(8);
  const read = (value: string) => heldOf(new Headers({ "x-site-ops-held": value }));
  assert.deepEqual(read(`committed; id=${id}; digest=00ff`), { outcome: "committed", id, digest: "00ff" });
  assert.deepEqual(read(`escaped; id=${id}`), { outcome: "escaped", id, digest: "" });
  for (
    const odd of [
      "",
      "committed",
      `committed; id=${id}0`,
      `kept; id=${id}`,
      `committed; id=${id}; digest=00ff; x=1`,
    ]
  ) {
    assert.equal(read(odd), null, odd);
  }
  assert.equal(heldOf(new Headers()), null);
});
