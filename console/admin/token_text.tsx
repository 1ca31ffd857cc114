/** The text of a token: shown once when it is made or replaced, and what a page says of how long it works. */
import type { Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import { type MadeToken, rotateToken } from "../../admin/tokens.ts";
import { isExpired, type Token, type User } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import type { Person } from "../../identity/visitors.ts";
import { Form, Submit } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { Section, Time } from "../parts.tsx";
import { showPage } from "../respond.tsx";
import { FactList } from "../table.tsx";
import { asSender, type PagesParts } from "./frame.tsx";
import { ClientTabs, Copied } from "./token_made.tsx";
import { TOKENS } from "./tokens_list.tsx";

/** Adds the route that replaces a token's text. */
export function rotationPages(app: Hono, parts: PagesParts): void {
  app.post(`${TOKENS}/:id/rotate`, (c) =>
    asSender(parts, c, async (person, sent) => {
      const old_until = sent.get("old_ends") === "true" ? null : undefined;
      const made = await rotateToken(parts.ports, person.caller, c.req.param("id"), old_until);
      return await madePage(c, person, parts, { ...made, warnings: [] }, "has a new text");
    }));
}

/** The page of a text that is shown this once. */
export async function madePage(
  c: Context,
  person: Person,
  { ports }: PagesParts,
  { token, text, warnings }: MadeToken,
  what = "is made",
): Promise<Response> {
  return await showPage(
    c,
    { title: "Your new token", visitor: person, times: true, script: "forms.js", current: TOKENS },
    <>
      <Notice kind="done">
        <p>
          {"The token "}
          <strong>{seen(token.name)}</strong>
          {` ${what}. Copy it now: it is shown this once, and the gateway keeps only a hash of it.`}
        </p>
      </Notice>
      <Copied what="token" text={text} secret />
      {token.previous_text && (
        <p>
          The old text works until <Time at={token.previous_text.until} />.
        </p>
      )}
      {token.expires_at && (
        <p>
          It ends on <Time at={token.expires_at} />.
        </p>
      )}
      {warnings.map((warning) => <p>{warning}.</p>)}
      <ClientTabs baseUrl={ports.baseUrl} token={token} text={text} />
      <p>
        <a href={TOKENS}>Back to your tokens</a>
      </p>
    </>,
  );
}

/** Facts of a token; `owner` is left out where it is the person's own. */
export function TokenFacts(
  { token, owner, used, now }: {
    readonly token: Token;
    readonly owner: User | null | undefined;
    readonly used: string | undefined;
    readonly now: number;
  },
): Child {
  return (
    <FactList
      facts={[
        ...owner === undefined ? [] : [["Of", owner ? seen(owner.email) : "nobody"] as const],
        ["Made", <Time at={token.created_at} />],
        ["Last used", used === undefined ? "never" : <Time at={used} />],
        [
          isExpired(token, now) ? "Ended" : "Ends",
          token.expires_at === undefined ? "when it is revoked" : <Time at={token.expires_at} />,
        ],
        ...token.allowed_ips ? [["Works from", token.allowed_ips.join(", ")] as const] : [],
        ...token.previous_text
          ? [["Its old text ends", <Time at={token.previous_text.until} />] as const]
          : [],
      ]}
    />
  );
}

/** What replaces its text. */
export function RotateSection({ person, token }: { readonly person: Person; readonly token: Token }): Child {
  return (
    <Section id="rotate" title="Replace its text">
      <p>
        The token keeps its name and what it may do, and gets a new text, which is shown once. The old text
        works for a day more, unless you end it at once, as after a leak.
      </p>
      <Form visitor={person} action={`${TOKENS}/${token.id}/rotate`}>
        <label>
          <input type="checkbox" name="old_ends" value="true" /> End the old text at once
        </label>
        <Submit quiet>Make a new text</Submit>
      </Form>
    </Section>
  );
}
