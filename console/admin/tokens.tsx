/** Tokens, one's own or with the master token everybody's: made, shown once, narrowed, revoked. */
import type { Context, Hono } from "hono";
import { GatewayError } from "../../core/errors.ts";
import type { Site, Token } from "../../core/model.ts";
import { Form, Submit } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { leadTo, showPage } from "../respond.tsx";
import { Time } from "../parts.tsx";
import { Table } from "../table.tsx";
import type { Person } from "../../identity/visitors.ts";
import { tokenBody, tokenPatch } from "../../admin/bodies.ts";
import { checked } from "../../core/faults.ts";
import { isOwnSite } from "../../admin/site_rights.ts";
import {
  changeToken,
  findToken,
  listTokens,
  type MadeToken,
  makeToken,
  revokeToken,
} from "../../admin/tokens.ts";
import { asPerson, asSender, type PagesParts } from "./frame.tsx";
import { lackOf, type TokenFaults, TokenFields, tokenOf } from "./token_form.tsx";
import { CEILINGS } from "./words.ts";

const PATH = "/admin/tokens";
const FIELDS = ["name", "env", "allowed_sites", "allowed_tools", "max_risk", "confirm_policy"];
const DONE: Readonly<Record<string, string>> = {
  changed: "The token is changed; its next call finds it so.",
  revoked: "The token is revoked. It cannot be used any more.",
};

/** Adds the routes under `/admin/tokens`. */
export function tokenPages(app: Hono, parts: PagesParts): void {
  const { ports } = parts;
  const sitesOf = async ({ caller }: Person) =>
    (await ports.store.sites.list()).filter(({ id }) => isOwnSite(caller, id));
  const list = async (c: Context, person: Person, form?: URLSearchParams, faults: TokenFaults = {}) => {
    const [tokens, sites] = [
      await listTokens(ports, person.caller),
      await sitesOf(person),
    ];
    return await listPage(c, person, { tokens, sites, form, faults });
  };
  const one = async (c: Context, person: Person, token: Token, faults: TokenFaults = {}) =>
    await tokenPage(c, person, { token, sites: await sitesOf(person), faults });

  app.get(PATH, (c) => asPerson(parts, c, (person) => list(c, person)));

  app.post(PATH, (c) =>
    asSender(parts, c, async (person, form) => {
      const lack = lackOf(tokenOf(form));
      if (lack) return await list(c, person, form, lack);
      let made: MadeToken;
      try {
        made = await makeToken(ports, person.caller, checked(tokenBody, tokenOf(form)));
      } catch (thrown) {
        return await list(c, person, form, faultsOf(thrown));
      }
      return await madePage(c, person, made);
    }));

  app.get(`${PATH}/:id`, (c) =>
    asPerson(parts, c, async (person) => {
      return await one(c, person, await findToken(ports, person.caller, c.req.param("id")));
    }));

  app.post(`${PATH}/:id`, (c) =>
    asSender(parts, c, async (person, form) => {
      const caller = person.caller;
      const token = await findToken(ports, caller, c.req.param("id"));
      const lack = lackOf(tokenOf(form));
      if (lack) return await one(c, person, token, lack);
      try {
        const { env: _, ...patch } = tokenOf(form);
        await changeToken(ports, caller, token.id, checked(tokenPatch, patch));
      } catch (thrown) {
        return await one(c, person, token, faultsOf(thrown));
      }
      return leadTo(c, `${PATH}?done=changed`);
    }));

  app.post(`${PATH}/:id/revoke`, (c) =>
    asSender(parts, c, async (person) => {
      await revokeToken(ports, person.caller, c.req.param("id"));
      return leadTo(c, `${PATH}?done=revoked`);
    }));
}

function faultsOf(thrown: unknown): TokenFaults {
  if (thrown instanceof GatewayError) return faultsByField(thrown.message, FIELDS);
  throw thrown;
}

function Problem({ faults }: { readonly faults: TokenFaults }) {
  if (Object.keys(faults).length === 0) return null;
  return (
    <Notice kind="problem">
      <p>{faults[""] ?? "The token was not saved: see below what is wrong"}.</p>
    </Notice>
  );
}

interface Listed {
  readonly tokens: readonly Token[];
  readonly sites: readonly Site[];
  readonly form: URLSearchParams | undefined;
  readonly faults: TokenFaults;
}

function listPage(c: Context, person: Person, { tokens, sites, form, faults }: Listed): Promise<Response> {
  const failed = Object.keys(faults).length > 0;
  const done = failed ? undefined : DONE[c.req.query("done") ?? ""];
  const own = person.user !== null;
  const rows = tokens.toReversed().map((token) => [
    token.revoked_at === null ? <a href={`${PATH}/${token.id}`}>{token.name}</a> : token.name,
    token.allowed_sites.includes("*")
      ? own
        ? "every site of yours"
        : token.owner_user_id === null
        ? "every site"
        : "every site that its owner may use"
      : token.allowed_sites.join(", "),
    CEILINGS[token.max_risk],
    <>
      {token.revoked_at === null ? "made " : "revoked "}
      <Time at={token.revoked_at ?? token.created_at} />
    </>,
  ]);
  return showPage(
    c,
    { title: "Tokens", visitor: person, times: true, current: PATH, status: failed ? 400 : 200 },
    <>
      {done && (
        <Notice kind="done">
          <p>{done}</p>
        </Notice>
      )}
      <Problem faults={faults} />
      <Table
        caption={own
          ? "What agents and scripts call tools with in your name"
          : "What agents and scripts call tools with, of everybody"}
        columns={["Name", "Sites", "At most", "State"]}
        rows={rows}
        empty={own ? "You have no token yet." : "There is no token yet."}
      />
      <section aria-labelledby="make">
        <h2 id="make">Make a token</h2>
        <Form visitor={person} action={PATH}>
          <TokenFields
            user={person.caller.user}
            sites={sites}
            chosen={form && tokenOf(form)}
            faults={faults}
          />
          <Submit>Make the token</Submit>
        </Form>
      </section>
    </>,
  );
}

function madePage(c: Context, person: Person, { token, text, warnings }: MadeToken): Promise<Response> {
  return showPage(
    c,
    { title: "Your new token", visitor: person, current: PATH },
    <>
      <Notice kind="done">
        <p>
          {"The token "}
          <strong>{token.name}</strong>
          {" is made. Copy it now: it is shown this once, and the gateway keeps only a hash of it."}
        </p>
      </Notice>
      <code class="secret">{text}</code>
      {warnings.map((warning) => <p>{warning}.</p>)}
      <p>
        <a href={PATH}>Back to your tokens</a>
      </p>
    </>,
  );
}

interface ShownToken {
  readonly token: Token;
  readonly sites: readonly Site[];
  readonly faults: TokenFaults;
}

function tokenPage(c: Context, person: Person, { token, sites, faults }: ShownToken): Promise<Response> {
  const status = Object.keys(faults).length > 0 ? 400 : 200;
  if (token.revoked_at !== null) throw new GatewayError("E_NOT_FOUND", "The token is revoked; make another");
  return showPage(
    c,
    { title: `Token ${token.name}`, visitor: person, current: PATH, status },
    <>
      <Problem faults={faults} />
      {person.user !== null && <p>A token can be made to do less, not more. For more, make another.</p>}
      <Form visitor={person} action={`${PATH}/${token.id}`}>
        <TokenFields user={person.caller.user} sites={sites} chosen={token} faults={faults} token={token} />
        <Submit>Save</Submit>
      </Form>
      <section aria-labelledby="revoke">
        <h2 id="revoke">Revoke the token</h2>
        <p>Whatever uses it stops working at once. This cannot be taken back.</p>
        <Form visitor={person} action={`${PATH}/${token.id}/revoke`}>
          <Submit quiet>Revoke it</Submit>
        </Form>
      </section>
    </>,
  );
}

/** What is wrong with each of these fields; what names none of them stands under "". */
export function faultsByField(
  message: string,
  fields: readonly string[],
): Readonly<Partial<Record<string, string>>> {
  const start = new RegExp(`^(${fields.join("|")})(?:\\[\\d+\\])?(?:: | (?=is required))`);
  const next = new RegExp(`; (?=(?:${fields.join("|")})(?:\\[\\d+\\])?(?:: | is required))`);
  const faults: Partial<Record<string, string>> = {};
  for (const part of message.split(next)) {
    const field = start.exec(part)?.[1] ?? "";
    const said = part.replace(start, "");
    const sentence = said.charAt(0).toUpperCase() + said.slice(1);
    faults[field] = faults[field] === undefined ? sentence : `${faults[field]}; ${sentence}`;
  }
  return faults;
}
