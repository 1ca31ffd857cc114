/** The official clients lead a person to the page, and are answered what became of the call. */
import assert from "node:assert/strict";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import type { Round } from "../../guard/consent/rounds.ts";
import { GatewayError } from "../../core/errors.ts";
import { type Kit, site } from "../kit.ts";
import { Client1, Client2, Transport1, Transport2, UrlRequired1 } from "../packages/mcp_clients.ts";
import { operator } from "../people/kit.ts";
import { serve, start, type Started } from "./mcp_start.ts";

const INFO = { name: "test", version: "1.0.0" };
const URLS = { capabilities: { elicitation: { url: {} } } };
const authorized = (token: string) => ({ requestInit: { headers: { Authorization: `Bearer ${token}` } } });

interface Answer {
  readonly content: readonly { readonly text: string }[];
  readonly isError?: boolean;
}
const textOf = (answer: unknown) => (answer as Answer).content[0]!.text;

const DRAFT = { site_id: "blog", title: "By a client", content_html: "<p>Hello</p>" };

/** A gateway with a site on which a person approves. */
async function withSite(run: (started: Started, kit: Kit) => Promise<void>): Promise<void> {
  const cms = await startWordPressStandIn();
  const { username, application_password } = cms.users.admin;
  const credentials = { cms: { username, application_password } };
  const blog = site("blog", "cms", { base_url: cms.base_url, credentials, confirm_policy: "human" });
  let kit: Kit | undefined;
  const more = { fetch: "network", allowPrivate: ["127.0.0.1"], sites: [blog] } as const;
  const started = await start(more, (opened) => kit = opened);
  try {
    await run(started, kit!);
  } finally {
    await started.stop();
    await cms.stop();
  }
}

/** A person says yes on the page at that address. */
async function approve(kit: Kit, url: string): Promise<void> {
  const id = new URL(url).pathname.split("/").at(-1);
  const shown = await operator(kit, "GET", `approvals/${id}`);
  const { preview } = shown.result as unknown as { preview: { shown: string } };
  const done = await operator(kit, "POST", `approvals/${id}/approve`, { shown: preview.shown });
  assert.equal(done.status, 200, JSON.stringify(done.error));
}

Deno.test("a client of 2026-07-28 opens the page in between, and its one call answers what was done", async () => {
  await withSite(async ({ url, token }, kit) => {
    const client = new Client2(INFO, { ...URLS, versionNegotiation: { mode: { pin: "2026-07-28" } } });
    const pages: string[] = [];
    const deciding: Promise<void>[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      const { url } = params as { url: string };
      pages.push(url);
      deciding.push(approve(kit, url)); // while the client has come back already
      return { action: "accept" as const };
    });
    await client.connect(new Transport2(new URL(url), authorized(token)));
    try {
      const preview = JSON.parse(textOf(await client.callTool({ name: "create_draft", arguments: DRAFT })));
      assert.equal(pages.length, 0, "a preview is answered at once");
      const { confirm_token } = preview;
      const args = { ...DRAFT, confirm: true, confirm_token };
      const made = await client.callTool({ name: "create_draft", arguments: args });
      await Promise.all(deciding);
      assert.deepEqual(pages, [preview.approval.url]);
      const { status, replayed } = JSON.parse(textOf(made));
      assert.deepEqual([status, replayed], ["draft", true]);
    } finally {
      await client.close();
    }
  });
});

Deno.test("a client of 2025-11-25 is told of the page by the protocol's own error, and calls again", async () => {
  await withSite(async ({ url, token }, kit) => {
    const client = new Client1(INFO, URLS);
    await client.connect(
      new Transport1(new URL(url), authorized(token)) as Parameters<Client1["connect"]>[0],
    );
    try {
      const preview = JSON.parse(textOf(await client.callTool({ name: "create_draft", arguments: DRAFT })));
      const call = {
        name: "create_draft",
        arguments: { ...DRAFT, confirm: true, confirm_token: preview.confirm_token },
      };
      const refused = await client.callTool(call).catch((thrown: unknown) => thrown);
      assert.ok(refused instanceof UrlRequired1, String(refused));
      assert.deepEqual(refused.elicitations.map((one: { url: string }) => one.url), [preview.approval.url]);
      await approve(kit, refused.elicitations[0]!.url);
      assert.equal(JSON.parse(textOf(await client.callTool(call))).replayed, true);
    } finally {
      await client.close();
    }
  });
});

Deno.test("a client whose person never decides is asked once, comes back a few times, and is told that it waits", async () => {
  const approval = {
    id: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    url: "https://gate.test/admin/approvals/01ARZ3NDEKTSV4RRFFQ69G5FAV",
    expires_at: "2026-01-08T00:00:00Z",
    state: "pending",
  };
  let calls = 0, waits = 0;
  const started = await serve((ports) => ({
    ...ports,
    call() {
      calls++;
      throw new GatewayError("E_APPROVAL_PENDING", "A person must approve this", { approval });
    },
    rounds: {
      seal: (_, tool, round) => Promise.resolve(JSON.stringify({ tool, round })),
      open: (_, tool, text) => {
        const kept: { tool: string; round: Round } = JSON.parse(text);
        return Promise.resolve(kept.tool === tool ? kept.round : null);
      },
      wait: () => Promise.resolve(void waits++),
    },
  }));
  const client = new Client2(INFO, { ...URLS, versionNegotiation: { mode: { pin: "2026-07-28" } } });
  let pages = 0;
  client.setRequestHandler("elicitation/create", () => (pages++, { action: "accept" as const }));
  await client.connect(new Transport2(new URL(started.url), authorized(started.token)));
  try {
    const told = await client.callTool({ name: "echo", arguments: { confirm: true } });
    assert.equal((told as Answer).isError, true);
    assert.match(textOf(told), /^E_APPROVAL_PENDING: /);
    assert.deepEqual({ calls, waits, pages }, { calls: 9, waits: 8, pages: 1 });
  } finally {
    await client.close();
    await started.stop();
  }
});
