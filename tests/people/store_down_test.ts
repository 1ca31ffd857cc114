/** People and clients while the store fails: nobody is let in without a row, and what was done stands in the log at least. */
import assert from "node:assert/strict";
import { GatewayError } from "../../core/errors.ts";
import { oauth } from "../guard/oauth_kit.ts";
import { gateway, type KitOptions } from "../kit.ts";
import { Authenticator, joinWith, signInWith } from "./authenticator.ts";
import { invited, joined, operator, PASSPHRASE, person, PersonBrowser } from "./kit.ts";
import { instead } from "../instead.ts";

/** A store whose audit cannot be written while `is.down`, in the words of the real one. */
function failing(): { is: { down: boolean }; options: Pick<KitOptions, "store"> } {
  const is = { down: false };
  const store: KitOptions["store"] = (real) => ({
    ...real,
    audit: instead(real.audit, {
      append(row, beside) {
        if (!is.down) return real.audit.append(row, beside);
        const cause = new TypeError("disk I/O error");
        const message = "The audit log cannot be written at the moment";
        return Promise.reject(new GatewayError("E_INTERNAL", message, { cause }));
      },
    }),
  });
  return { is, options: { store } };
}

Deno.test("an operator is told what the store fails with where a command could not be carried out, and the log has the fault", async () => {
  const is = { full: true };
  const says = 'The store fails ("database or disk is full"), so calls are refused';
  await using gw = await gateway({
    store: (real) => ({
      ...real,
      ping: () => is.full ? Promise.reject(new GatewayError("E_INTERNAL", says)) : real.ping(),
      freezes: instead(real.freezes, {
        set: () => Promise.reject(new TypeError("database or disk is full")),
      }),
    }),
  });
  const freeze = () => operator(gw, "POST", "freezes", { scope: "all", reason: "stop" });
  assert.deepEqual((await freeze()).error, { code: "E_INTERNAL", message: says });
  is.full = false;
  assert.match((await freeze()).error!.message, /^Something failed inside the gateway; give request id/);
  const causes = gw.logged.filter(({ event }) => event === "internal").map(({ cause }) => cause);
  assert.deepEqual(causes, Array(2).fill("TypeError: database or disk is full"));
});

const lost = (logged: readonly Record<string, unknown>[]) =>
  logged.filter(({ event }) => event === "audit_failed").map(({ tool, cause }) => [tool, cause]);

Deno.test("a sign-in that cannot be recorded lets nobody in", async () => {
  const { is, options } = failing();
  await using gw = await gateway(options);
  const ann = await person(gw, "ann@agency.example");
  await joined(gw, ann);
  const browser = new PersonBrowser(gw);
  is.down = true;
  const page = await browser.signIn(ann.email);
  assert.equal(page.status, 500);
  assert.match(page.text, /The audit log cannot be written at the moment/);
  is.down = false;
  assert.equal((await browser.open("/admin/account")).title, "Sign in");
  assert.equal((await gw.store.personSessions.list(ann.id)).length, 1, "the one of the invitation");
  assert.deepEqual(lost(gw.logged), [["session.sign_in", "TypeError: disk I/O error"]]);
});

Deno.test("what was done about a person and cannot be recorded stands in the log, and its answer says that it may be done", async () => {
  const { is, options } = failing();
  await using gw = await gateway(options);
  const ann = await person(gw, "ann@agency.example");
  const browser = await joined(gw, ann);
  const link = await invited(gw, ann);
  await browser.open("/admin/account");
  is.down = true;
  const next = "eight blue kettles sing";
  const changed = await browser.submit("/admin/account/passphrase", {
    current: PASSPHRASE,
    passphrase: next,
    again: next,
  });
  assert.deepEqual([changed.status, changed.title], [500, "Something failed"]);
  await browser.open("/admin/account");
  const everywhere = await browser.submit("/admin/account/sessions/end-all", {});
  assert.deepEqual([everywhere.status, everywhere.title], [500, "Something failed"]);
  assert.match(everywhere.text, /What you asked for may be done all the same/);
  const visitor = new PersonBrowser(gw);
  assert.equal((await visitor.join(link)).status, 500);
  const invitation = await operator(gw, "POST", `users/${ann.id}/invite`);
  assert.match(invitation.error!.message, /may be done all the same/);
  assert.deepEqual(lost(gw.logged).map(([tool]) => tool), [
    "user.passphrase",
    "session.end",
    "user.join",
    "user.invite",
  ]);
  const [, ended] = gw.logged.filter(({ event }) => event === "audit_failed");
  assert.deepEqual([ended!.token_name, ended!.owner_user_id, ended!.arguments], [
    ann.email,
    ann.id,
    { sessions_ended: 1 },
  ]);
  is.down = false;
  assert.equal((await visitor.signIn(ann.email, PASSPHRASE)).status, 200, "the invitation was used");
});

Deno.test("the end of a client that cannot be recorded holds, and stands in the log", async () => {
  const { is, options } = failing();
  await using at = await oauth(options);
  const { refresh_token, access_token, client_id } = await at.connect();
  is.down = true;
  const { status, body } = await at.post("/oauth/revoke", { token: refresh_token, client_id });
  assert.deepEqual([status, body.error], [500, "server_error"]);
  is.down = false;
  assert.equal((await at.with(access_token, "/api/v1/whoami")).status, 401);
  assert.deepEqual(lost(at.gw.logged), [["client.end", "TypeError: disk I/O error"]]);
});

Deno.test("a removal that fails half-way ends what it came to, and is done when it is asked for again", async () => {
  let down = false;
  await using gw = await gateway({
    store: (real) => ({
      ...real,
      accounts: instead(real.accounts, {
        disconnectAll: (...given) =>
          down ? Promise.reject(new TypeError("disk I/O error")) : real.accounts.disconnectAll(...given),
      }),
    }),
  });
  const ann = await person(gw, "ann@agency.example");
  const browser = await joined(gw, ann);
  down = true;
  assert.equal((await operator(gw, "POST", `users/${ann.id}/remove`)).status, 500);
  assert.equal((await browser.open("/admin/account")).title, "Sign in");
  down = false;
  const { status, result } = await operator(gw, "POST", `users/${ann.id}/remove`);
  assert.deepEqual([status, result?.email], [200, ann.email]);
  assert.equal((await gw.audit())[0]!.tool, "user.remove");
});

Deno.test("an invitation that was used by a passkey and cannot be recorded is not shown as if it could be used", async () => {
  const { is, options } = failing();
  await using gw = await gateway(options);
  const ann = await person(gw, "ann@agency.example");
  const browser = new PersonBrowser(gw);
  const device = new Authenticator();
  const page = await joinWith(device, browser, await invited(gw, ann), () => is.down = true);
  assert.deepEqual([page.status, page.title], [500, "Something failed"]);
  assert.match(page.text, /What you asked for may be done all the same/);
  is.down = false;
  assert.equal((await signInWith(device, browser)).title, "Overview");
});
