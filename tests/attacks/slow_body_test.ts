/** A call is judged by what its token may do once its body is there, not by what it might when its headers came. */
import assert from "node:assert/strict";
import { gateway, type Kit, owned, site } from "../kit.ts";

const ARGS = { site_id: "acme" };
const BODIES = {
  "/api/v1/tools/get_site": ARGS,
  "/mcp": { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_site", arguments: ARGS } },
};

/** The answer to a request whose body comes only after `meanwhile`. */
async function slowly(
  gw: Kit,
  path: keyof typeof BODIES,
  meanwhile: () => Promise<unknown>,
): Promise<string> {
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await meanwhile();
      controller.enqueue(new TextEncoder().encode(JSON.stringify(BODIES[path])));
      controller.close();
    },
  }, { highWaterMark: 0 });
  const headers = { "content-type": "application/json" };
  return await (await gw.http(path, { method: "POST", headers, body, as: "slow" })).text();
}

for (const path of ["/api/v1/tools/get_site", "/mcp"] as const) {
  Deno.test(`a token revoked before the body of ${path} is there calls nothing`, async () => {
    await using gw = await gateway({ sites: [site("acme", "cms")], tokens: { slow: {} } });
    const id = (await gw.store.tokens.list()).find((one) => one.name === "slow")!.id;
    assert.match(await slowly(gw, path, () => Promise.resolve()), /acme.example/);
    assert.match(await slowly(gw, path, () => gw.store.tokens.revoke(id)), /E_AUTH.*The token was revoked/);
  });

  Deno.test(`a grant taken from the owner before the body of ${path} is there does not count`, async () => {
    await using gw = await gateway({ sites: [site("acme", "cms")] });
    const { user, text } = await owned(gw.store);
    const theirs: Kit = Object.assign(Object.create(gw), { token: () => text });
    assert.match(await slowly(theirs, path, () => Promise.resolve()), /acme.example/);
    const narrow = () => gw.store.users.update(user.id, { allowed_sites: [] });
    assert.match(await slowly(theirs, path, narrow), /E_SCOPE_DENIED/);
  });
}
