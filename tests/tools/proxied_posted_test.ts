/** A post of the CRM that turns out public is seen by its answer and by its record: an error where it may not be. */
import assert from "node:assert/strict";
import type { Args } from "./_served.ts";
import { blogPost, type Served, served } from "./_served.ts";

const social = (at: Served, more: Args = {}): Args => ({
  site_id: "crm",
  type: "post",
  status: "draft",
  summary: "News",
  accountIds: [at.hosted.records.social_accounts[0]!.id],
  userId: "user-0",
  ...more,
});

const LATER = "2999-01-01T10:00:00.000Z";

/** What the CRM makes of what is written: of its answers, and of its records. */
interface Doing {
  readonly answers?: (text: string) => string;
  readonly records?: (record: Record<string, unknown>) => void;
}

const toStatus = (word: string) => (text: string) =>
  text.replace(/(status\\*":\s*\\*")(DRAFT|SCHEDULED)/gi, `$1${word}`);
const without = (text: string) => text.replace(/\\*"status\\*":\s*\\*"[A-Z]+\\*",?/gi, "");

/** A CRM that does so with every post it is given. */
async function crm({ answers = (text) => text, records }: Doing, flags: Args = {}): Promise<Served> {
  const at: Served = await served({}, {
    tokens: { drafts: { max_risk: 2 } },
    fetch: async (input, init) => {
      const answer = await fetch(input, init);
      const call = typeof init?.body === "string" &&
        /"(blogs_|social-media-posting_)(create|update|edit)-/.test(init.body);
      if (!call) return answer;
      for (const one of [...at.hosted.records.blog_posts, ...at.hosted.records.social_posts]) records?.(one);
      const { status, headers } = answer;
      return new Response(answers(await answer.text()), { status, headers });
    },
  });
  await at.gw.store.sites.update("crm", { flags: { allow_crm_write: true, ...flags } });
  return at;
}

const lastRow = async (at: Served) => (await at.gw.audit()).find(({ door }) => door !== "admin")!;

/** The tools that write posts, each as it is called. */
const TOOLS: readonly [tool: string, args: (at: Served) => Args][] = [
  ["blogs_create-blog-post", () => blogPost({ canonicalLink: "https://acme.example/braces" })],
  [
    "blogs_update-blog-post",
    () =>
      blogPost({ path_postId: "post-0", title: "First visit", canonicalLink: "https://acme.example/braces" }),
  ],
  ["social-media-posting_create-post", social],
  [
    "social-media-posting_edit-post",
    (at) => social(at, { id: at.hosted.records.social_posts[0]!._id, summary: "Other" }),
  ],
];

/** What tells that it is public. */
const TELLS: Readonly<Record<string, Doing>> = {
  "its answer": { answers: toStatus("PUBLISHED") },
  "its answer in small letters": { answers: toStatus("posted") },
  "its record": { records: (one) => one.status = "published" },
};

for (const [tool, args] of TOOLS) {
  for (const [way, doing] of Object.entries(TELLS)) {
    Deno.test(`${tool} that publishes, as ${way} says, is an error whose outcome is made, and is held back`, async () => {
      await using at = await crm(doing);
      const ending = await at.gw.end(tool, args(at)) as Args;
      assert.deepEqual(
        [ending.code, ending.outcome],
        ["E_PUBLISH_NOT_ALLOWED", "made"],
        String(ending.message),
      );
      const address = tool.startsWith("blogs") ? " \\(https://acme\\.example/braces\\)" : "";
      assert.match(
        String(ending.message),
        new RegExp(
          `^"${tool}" made "[\\w-]+" public${address}, which site "crm" does not allow \\(allow_publish\\); it is held ` +
            "back on this site until an operator has looked at it\\. Take down in the CRM what should not be public",
        ),
      );
      const row = await lastRow(at);
      assert.deepEqual([row.status, row.outcome, row._published], ["error", "made", true]);
      const again = await at.gw.end(tool, args(at)) as Args;
      assert.match(String(again.code), /^E_(TOOL_NOT_FOUND|BAD_INPUT|FORBIDDEN_OP)$/, String(again.message));
    });
  }

  Deno.test(`${tool} that publishes where the site allows it is audited as published`, async () => {
    await using at = await crm(TELLS["its answer"]!, { allow_publish: true });
    await at.gw.call(tool, args(at));
    const row = await lastRow(at);
    assert.deepEqual([row.status, row._published], ["ok", true]);
    const ending = await at.gw.end(tool, args(at), { as: "drafts" }) as Args;
    assert.deepEqual([ending.code, (await lastRow(at))._published], ["E_PUBLISH_NOT_ALLOWED", true]);
    assert.match(String(ending.message), /which takes a token of max_risk 3/);
  });

  Deno.test(`${tool} of whose post nothing shows the status is audited as one that nobody can tell`, async () => {
    await using at = await crm({ answers: without, records: (one) => delete one.status });
    const { proof } = await at.gw.proven(tool, args(at));
    assert.match(
      String(proof.warnings),
      /^Whether visitors see .* could not be told, .*: look at it in the CRM$/,
    );
    assert.equal((await lastRow(at))._published, null);
  });

  Deno.test(`${tool} that leaves a draft says nothing of visitors, one that is scheduled says when it goes live`, async () => {
    await using at = await crm({});
    const draft = await at.gw.proven(tool, args(at));
    assert.deepEqual([draft.proof.warnings, (await lastRow(at))._published], [[], undefined]);
    const scheduled = tool.startsWith("blogs")
      ? { status: "SCHEDULED" }
      : { status: "scheduled", scheduleDate: LATER };
    const { proof } = await at.gw.proven(tool, { ...args(at), ...scheduled });
    assert.match(
      String(proof.warnings),
      new RegExp(`^"[\\w-]+" is scheduled: it goes live by itself at ${LATER}$`),
    );
    assert.equal((await lastRow(at))._published, undefined);
  });
}

Deno.test("a post that is scheduled for what is past may be live, and nobody says that it is not", async () => {
  await using at = await crm({
    answers: (text) => text.replaceAll(LATER, "2001-01-01T10:00:00.000Z"),
    records: (one) => one.scheduleDate = "2001-01-01T10:00:00.000Z",
  });
  const { proof } = await at.gw.proven(
    "social-media-posting_create-post",
    social(at, { status: "scheduled", scheduleDate: LATER }),
  );
  assert.match(
    String(proof.warnings),
    /is scheduled for 2001-01-01T10:00:00\.000Z, which is past: visitors may see it/,
  );
  assert.equal((await lastRow(at))._published, null);
});

Deno.test("a write that breaks off is looked at by its record, and of a new one nobody can tell", async () => {
  const fail = () => {
    throw new TypeError("reset");
  };
  await using at = await crm({ answers: fail, records: (one) => one.status = "published" });
  const edit = await at.gw.end("blogs_update-blog-post", TOOLS[1]![1](at)) as Args;
  assert.deepEqual([edit.code, edit.outcome], ["E_PUBLISH_NOT_ALLOWED", "made"], String(edit.message));
  assert.match(String(edit.message), /The call itself failed: /);
  const made = await at.gw.end("blogs_create-blog-post", blogPost()) as Args;
  assert.deepEqual([made.outcome, (await lastRow(at))._published], ["unknown", null], String(made.message));
});

Deno.test("a social post that is out, or on its way, is edited only where the site may publish", async () => {
  await using at = await crm({});
  const [post] = at.hosted.records.social_posts;
  for (const status of ["published", "in_progress"]) {
    Object.assign(post!, { status });
    const message = await at.gw.refuses("social-media-posting_edit-post", TOOLS[3]![1](at), "E_FORBIDDEN_OP");
    assert.match(message, new RegExp(` is ${status}, so visitors see what is changed of it`));
  }
  assert.deepEqual(at.writes(), []);
});
