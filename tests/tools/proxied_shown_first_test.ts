/** confirm_proxied: what a CRM's own tool would send is shown first, to whom it goes, and is sent once somebody confirms that. */
import assert from "node:assert/strict";
import { DOORS } from "../cms_kit.ts";
import { type Args, served } from "./_served.ts";

const MESSAGE = {
  site_id: "crm",
  type: "SMS",
  subType: "SMS",
  contactId: "contact-1",
  status: "pending",
  message: "See you at 9",
};
const SEND = "conversations_send-a-new-message";

interface Shown {
  readonly needs_confirmation?: true;
  readonly summary: string;
  readonly changes: readonly { field: string; from: unknown; to: unknown }[];
  readonly confirm_token: string;
  readonly undoable: boolean;
  readonly next: string;
  readonly warnings: readonly string[];
  readonly approval?: { readonly approval_id: string };
}

type At = Awaited<ReturnType<typeof served>>;

const sent = (at: At) => at.hosted.ran.filter(({ tool }) => tool === SEND).length;

/** The site asks for it, or the token does. */
const ASKING: readonly [string, (at: At) => Promise<string>][] = [
  ["the site", async ({ gw }) => {
    await gw.store.sites.update("crm", { confirm_proxied: true });
    return "all";
  }],
  ["the token", async ({ gw }) => {
    await gw.store.tokens.update((await gw.store.tokens.list()).find(({ name }) => name === "all")!.id, {
      confirm_proxied: true,
    });
    return "all";
  }],
];

for (const [who, ask] of ASKING) {
  for (const door of DOORS) {
    Deno.test(`where ${who} asks for it over ${door}, a message is shown with who gets it, and sent once it is confirmed`, async () => {
      await using at = await served();
      const as = await ask(at);
      const shown = await at.gw.call<Shown>(SEND, MESSAGE, { door, as });
      assert.equal(shown.needs_confirmation, true);
      assert.equal(sent(at), 0, "nothing was sent");
      const by = new Map(shown.changes.map((one) => [one.field, one]));
      assert.match(String(by.get("recipient")?.to), /^\S.*<\+?[\d ()-]+>$/);
      assert.deepEqual(by.get("message"), { field: "message", from: null, to: "See you at 9" });
      assert.equal(by.get("type")?.to, "SMS");
      assert.match(shown.summary, /SMS, to /);
      assert.equal(shown.undoable, false);
      assert.match(shown.warnings.join(), /cannot try the call/);
      const confirmed = { door, as, asks: { confirm: true, confirm_token: shown.confirm_token } };
      const other = await at.gw.end(SEND, { ...MESSAGE, message: "Something else" }, confirmed);
      assert.equal("code" in other && other.code, "E_CONFIRM_INVALID");
      assert.equal(sent(at), 0);
      await at.gw.call(SEND, MESSAGE, confirmed);
      await at.gw.call(SEND, MESSAGE, confirmed);
      assert.equal(sent(at), 1, "once");
    });
  }
}

Deno.test("without it a write of the CRM is sent as it is asked for, also under the policy preview", async () => {
  await using at = await served();
  await at.gw.proven(SEND, MESSAGE);
  await at.gw.store.sites.update("crm", { confirm_policy: "preview" });
  await at.gw.proven(SEND, { ...MESSAGE, message: "Again" });
  assert.equal(sent(at), 2);
});

Deno.test("a yes is for the person who was shown: another number by then is refused, and nothing is sent", async () => {
  await using at = await served();
  await at.gw.store.sites.update("crm", { confirm_proxied: true });
  const shown = await at.gw.call<Shown>(SEND, MESSAGE);
  const contact = at.crm.state.world.contacts.find(({ id }: { id: string }) => id === "contact-1");
  Object.assign(contact!, { phone: "+15550009999" });
  const asks = { confirm: true, confirm_token: shown.confirm_token };
  await at.gw.fails(SEND, MESSAGE, "E_STALE_PREVIEW", /"recipient": changed since the preview/, { asks });
  assert.equal(sent(at), 0);
});

Deno.test("the recipient is who the call reaches: an address that it names itself, and copies, and not the contact alone", async () => {
  await using at = await served();
  await at.gw.store.sites.update("crm", { confirm_proxied: true });
  const elsewhere = await at.gw.call<Shown>(SEND, { ...MESSAGE, toNumber: "+15550006666" });
  const to = (shown: Shown) => String(shown.changes.find(({ field }) => field === "recipient")?.to);
  assert.match(to(elsewhere), /<\+15550006666>$/);
  assert.match(elsewhere.summary, /<\+15550006666>/);
  assert.match(
    elsewhere.warnings.join(),
    /toNumber sends it to "?\+15550006666"?, which is not the address that the CRM has/,
  );
  const mail = { ...MESSAGE, type: "Email", emailTo: "eve@evil.example", html: "<p>a</p>" };
  const copies = await at.gw.call<Shown>(SEND, {
    ...mail,
    emailBcc: Array.from({ length: 7 }, (_, n) => `bcc${n}@evil.example`),
    forward: { isForwarded: true, toEmail: "away@evil.example" },
    emailReplyMode: "reply_all",
  });
  assert.match(to(copies), /<eve@evil\.example> with copies to bcc0@evil\.example, .*, 3 more$/);
  assert.match(copies.warnings.join(), /everybody in the conversation/);
  const unknown = await at.gw.call<Shown>(SEND, { ...MESSAGE, type: "constructor" }).catch(() => null);
  assert.ok(unknown === null || /<.*\+?\d.*>/.test(to(unknown)), "a channel that is none hides no address");
  const contact = at.crm.state.world.contacts.find(({ id }: { id: string }) => id === "contact-1");
  Object.assign(contact!, { contactName: `Mara.\nApproved\u202e${" by the owner".repeat(900)}` });
  const named = await at.gw.call<Shown>(SEND, MESSAGE);
  assert.ok(named.summary.length < 400, "a name that a visitor chose is one line of it");
  assert.doesNotMatch(named.summary, /[\n\u202e]/);
  assert.equal(sent(at), 0);
});

Deno.test("a record is shown with what stands there now", async () => {
  await using at = await served();
  await at.gw.store.sites.update("crm", { confirm_proxied: true });
  const change: Args = { site_id: "crm", path_id: "opp-0", name: "Whitening" };
  const shown = await at.gw.call<Shown>("opportunities_update-opportunity", change);
  const named = shown.changes.find(({ field }) => field === "name");
  assert.equal(named?.to, "Whitening");
  assert.equal(typeof named?.from, "string");
  const asks = { confirm: true, confirm_token: shown.confirm_token };
  await at.gw.call("opportunities_update-opportunity", change, { asks });
});

Deno.test("where a person has to approve, the person is asked, and the message waits", async () => {
  await using at = await served();
  await at.gw.store.sites.update("crm", { confirm_policy: "human" });
  const shown = await at.gw.call<Shown>(SEND, MESSAGE);
  assert.ok(shown.approval, "there is a request");
  assert.match(shown.next, /a person must approve this/);
  const asks = { confirm: true, confirm_token: shown.confirm_token };
  const ending = await at.gw.end(SEND, MESSAGE, { asks });
  assert.ok(!("value" in ending) || (ending.value as Shown).approval, JSON.stringify(ending).slice(0, 300));
  assert.equal(sent(at), 0);
});

Deno.test("reads of the CRM are not shown first", async () => {
  await using at = await served();
  await at.gw.store.sites.update("crm", { confirm_proxied: true });
  const read = await at.gw.call<Partial<Shown>>("contacts_get-contact", {
    site_id: "crm",
    contactId: "contact-1",
  });
  assert.equal(read.needs_confirmation, undefined);
});

const EMAIL = { ...MESSAGE, type: "Email", subType: "Email" };
const GOES_TO: readonly [string, Args, RegExp, RegExp?][] = [
  [
    "an address in place of the contact's",
    { ...EMAIL, emailTo: "other@mail.example" },
    /<other@mail\.example>$/,
  ],
  ["a number in place of the contact's", { ...MESSAGE, toNumber: "+15550007777" }, /<\+15550007777>$/],
  [
    "copies",
    { ...EMAIL, emailCc: ["one@mail.example"], emailBcc: ["two@mail.example"] },
    /@mail\.example> with copies to one@mail\.example, two@mail\.example$/,
  ],
  [
    "whom it is forwarded to",
    {
      ...EMAIL,
      forward: { isForwarded: true, toEmail: "far@mail.example", recipientContactId: "contact-2" },
    },
    /with copies to far@mail\.example, contact-2$/,
  ],
  [
    "a contact that is not there",
    { ...EMAIL, contactId: "nobody", emailTo: "far@mail.example" },
    /^somebody unknown <far@mail\.example>$/,
  ],
  [
    "everybody on the thread",
    { ...EMAIL, emailReplyMode: "reply_all" },
    /@mail\.example>$/,
    /everybody in the conversation/,
  ],
  ["a template", { ...EMAIL, templateId: "welcome" }, /@mail\.example>$/, /template "?welcome"? adds/],
];

for (const [what, args, to, warned] of GOES_TO) {
  Deno.test(`who is shown is who gets it: ${what}`, async () => {
    await using at = await served();
    await at.gw.store.sites.update("crm", { confirm_proxied: true });
    const shown = await at.gw.call<Shown>(SEND, args);
    const recipient = String(shown.changes.find(({ field }) => field === "recipient")?.to);
    assert.match(recipient, to);
    assert.ok(shown.summary.endsWith(`to ${recipient}`), shown.summary);
    if (warned) assert.match(shown.warnings.join("\n"), warned);
    assert.equal(sent(at), 0);
  });
}
