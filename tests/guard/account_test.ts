/** Tools over a person's connected account: the user a site is bound to, or the token's owner; nobody else's, ever. */
import assert from "node:assert/strict";
import { gateway, type Kit, owned, site } from "../kit.ts";

/** What the made-up service is asked: who sent which token, and which tokens it renewed. */
interface Service {
  readonly fetch: typeof fetch;
  readonly renewed: string[];
  /** Access tokens it does not take any more. */
  readonly refused: Set<string>;
  dead: boolean;
}

function service(): Service {
  const renewed: string[] = [];
  const at: Service = {
    renewed,
    refused: new Set(),
    dead: false,
    fetch: (input, init) => {
      const url = new URL(String(input));
      if (url.pathname === "/token") {
        const { refreshToken } = JSON.parse(String(init?.body));
        renewed.push(refreshToken);
        return Promise.resolve(Response.json(
          at.dead ? { error: "invalid_grant" } : { access_token: `${refreshToken}-${renewed.length}` },
        ));
      }
      const token = new Headers(init?.headers).get("authorization")?.slice(7) ?? "";
      if (at.refused.has(token)) return Promise.resolve(Response.json({}, { status: 401 }));
      return Promise.resolve(Response.json({ token }));
    },
  };
  return at;
}

const OPTIONS = {
  roots: [new URL("../fixtures/accounts/", import.meta.url)],
  allowPrivate: ["account.example"],
};

async function connected(gw: Kit, name: string): Promise<{ id: string; text: string }> {
  const { user, text } = await owned(gw.store, { email: `${name}@a.example` });
  await gw.store.accounts.connect(user.id, "toy_account", {
    account: `${name}@service.example`,
    access_token: `first-of-${name}`,
    expires_in: 3600,
    refresh_token: `refresh-of-${name}`,
    scopes: ["read"],
  });
  return { id: user.id, text };
}

async function asks(gw: Kit, text: string, tool: string, args: Record<string, unknown>) {
  const response = await gw.http(`/api/v1/tools/${tool}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${text}` },
    body: JSON.stringify(args),
  });
  return await response.json();
}

Deno.test("a tool without a site uses the account of the token's owner, and no other person's", async () => {
  const at = service();
  await using gw = await gateway({ ...OPTIONS, fetch: at.fetch });
  const [ann, bob] = [await connected(gw, "ann"), await connected(gw, "bob")];
  assert.deepEqual((await asks(gw, ann.text, "toy_mine", {})).result, { account: { token: "first-of-ann" } });
  assert.deepEqual((await asks(gw, bob.text, "toy_mine", {})).result, { account: { token: "first-of-bob" } });
  await gw.refuses("toy_mine", {}, "E_ANALYTICS_ACCOUNT_NOT_LINKED");
  assert.deepEqual(at.renewed, []);
});

Deno.test("a site's tool uses the account of the user the site is bound to, whoever calls", async () => {
  const at = service();
  await using gw = await gateway({ ...OPTIONS, fetch: at.fetch, sites: [site("free", "cms")] });
  const [ann, bob] = [await connected(gw, "ann"), await connected(gw, "bob")];
  await gw.store.sites.create(site("bound", "cms", { account_user_id: ann.id }));
  const answered = await asks(gw, bob.text, "toy_of_site", { site_id: "bound" });
  assert.deepEqual(answered.result, { account: { token: "first-of-ann" } });
  const message = await gw.refuses("toy_of_site", { site_id: "free" }, "E_ANALYTICS_ACCOUNT_NOT_LINKED");
  assert.match(message, /unbound: Site "free" is bound to no user/);
});

Deno.test("a token the service refuses is renewed once, by the connector's own request", async () => {
  const at = service();
  await using gw = await gateway({ ...OPTIONS, fetch: at.fetch });
  const ann = await connected(gw, "ann");
  at.refused.add("first-of-ann");
  const all = await Promise.all(Array.from({ length: 10 }, () => asks(gw, ann.text, "toy_mine", {})));
  for (const { result } of all) assert.deepEqual(result, { account: { token: "refresh-of-ann-1" } });
  assert.deepEqual(at.renewed, ["refresh-of-ann"]);
});

Deno.test("an account that ended is refused with the connector's code, and not asked again", async () => {
  const at = service();
  await using gw = await gateway({ ...OPTIONS, fetch: at.fetch });
  const ann = await connected(gw, "ann");
  at.refused.add("first-of-ann");
  at.dead = true;
  for (let time = 0; time < 3; time++) {
    const { error } = await asks(gw, ann.text, "toy_mine", {});
    assert.equal(error.code, "E_ANALYTICS_ACCOUNT_NOT_LINKED");
    assert.match(error.message, /^reconnect: /);
  }
  assert.deepEqual(at.renewed, ["refresh-of-ann"]);
  for (const { tool, status, error } of await gw.audit()) {
    assert.deepEqual([tool, status, error], ["toy_mine", "error", "E_ANALYTICS_ACCOUNT_NOT_LINKED"]);
  }
});
