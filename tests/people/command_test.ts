/** Inviting and removing people on the command line. */
import assert from "node:assert/strict";
import { gateway, MASTER } from "../kit.ts";
import { openTerminal } from "../unit/admin/open_terminal.ts";
import { PersonBrowser } from "./kit.ts";

Deno.test("a user is made, invited and removed by e-mail address; the link that is printed works", async () => {
  await using gw = await gateway();
  const cli = await openTerminal(
    { fetch: (request) => Promise.resolve(gw.gateway.fetch(request)) },
    { MASTER_TOKEN: MASTER },
  );
  await cli.good("user", "add", "ann@agency.example", "--role", "member", "--sites", "*");
  const { out } = await cli.good("user", "invite", "Ann@agency.example");
  assert.match(out, /Only ann@agency\.example should open it, before .*\. It works once\.\n$/);
  const browser = new PersonBrowser(gw);
  assert.equal((await browser.join(out.split("\n")[0]!)).title, "Overview");
  assert.match((await cli.good("user", "remove", "--help")).out, /programs that the\nuser let in .* end;/);
  const removed = (await cli.good("user", "remove", "ann@agency.example")).out;
  assert.match(removed, /^email +ann@agency\.example$/m);
  assert.match(removed, /^clients_ended +0$/m);
  assert.equal((await browser.open("/admin/tokens")).title, "Sign in");
  assert.match(
    await cli.bad("user", "invite", "ann@agency.example"),
    /E_NOT_FOUND: No user "ann@agency\.example"/,
  );
});
