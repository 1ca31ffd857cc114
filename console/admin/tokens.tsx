/** Tokens, one's own or with the master token everybody's: made, shown once, narrowed, revoked. */
import type { Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import { GatewayError } from "../../core/errors.ts";
import type { Token, User } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import { EnterButton, LookButton } from "../site_picker.tsx";
import { isLookedAt } from "../site_picks.ts";
import { Form, isSentAgain, ShownAt, Submit } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { leadTo, showPage } from "../respond.tsx";
import { Section } from "../parts.tsx";
import { addressWith, AUDIT } from "./audit_parts.tsx";
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
import { asKeeper } from "./kept_form.tsx";
import {
  bodyOf,
  lackOf,
  newToken,
  type TokenFaults,
  TokenFields,
  type TokenForm,
  tokenIn,
  type TokenOffer,
  tokenWords,
} from "./token_form.tsx";
import { asOf, formOf, meanwhileWords, mergedToken, saysWhatIs, tokenAsOf } from "./token_stored.ts";
import { madePage, RotateSection, rotationPages, TokenFacts } from "./token_text.tsx";
import { TOKENS, tokensList } from "./tokens_list.tsx";
import { SCOPE_SITES_MAX } from "../../admin/bodies.ts";

const FIELDS = [
  "name",
  "env",
  "allowed_sites",
  "allowed_tools",
  "max_risk",
  "confirm_policy",
  "listing",
  "expires_at",
  "allowed_ips",
];
const DONE: Readonly<Record<string, string>> = {
  changed: "The token is changed; its next call finds it so.",
  revoked: "The token is revoked. It cannot be used any more.",
};

/** What a page of one form shows. */
interface FormView {
  readonly offer: TokenOffer;
  readonly form: TokenForm;
  readonly faults: TokenFaults;
  /** The token that is changed, and whose it is; left out for a new one. */
  readonly token?: Token;
  readonly owner?: User | null;
}

/** A form of a token has no secret in it. */
const noSecret = () => false;

/** Adds the routes under `/admin/tokens`. */
export function tokenPages(app: Hono, parts: PagesParts): void {
  const { ports } = parts;

  app.get(TOKENS, (c) => asPerson(parts, c, (person) => listPage(c, person, parts)));

  app.post(TOKENS, (c) =>
    asKeeper(parts, c, noSecret, async (person, sent, isAgain) => {
      const offer = await offerFor(parts, person);
      const form = tokenIn(sent, offer);
      const show = (faults: TokenFaults) => newPage(c, person, parts, { offer, form, faults });
      if (isAgain || isLookedAt(sent, "allowed_sites")) return await show({});
      const lack = lackOf(form, offer);
      if (lack) return await show(lack);
      if (isSentAgain(sent, form.name, await worksOf(parts, person))) return await show({ name: TWICE });
      let made: MadeToken;
      try {
        made = await makeToken(ports, person.caller, checked(tokenBody, bodyOf(form, offer, ports.now())));
      } catch (thrown) {
        return await show(faultsOf(thrown));
      }
      return await madePage(c, person, parts, made);
    }));

  pagesOfOne(app, parts);
  rotationPages(app, parts);
}

const TWICE =
  "A token of that name was made since this form was shown, and its text with it, which is shown once: the form was sent " +
  "twice. Revoke that one and make another, or choose another name";

/** The tokens in the person's own name that work. */
async function worksOf({ ports }: PagesParts, { caller }: Person): Promise<readonly Token[]> {
  return (await listTokens(ports, caller)).filter(({ revoked_at, owner_user_id }) =>
    revoked_at === null && owner_user_id === (caller.user?.id ?? null)
  );
}

/** The routes of one token. */
function pagesOfOne(app: Hono, parts: PagesParts): void {
  const { ports } = parts;
  app.get(`${TOKENS}/:id`, (c) =>
    asPerson(parts, c, async (person) => {
      const token = await findToken(ports, person.caller, c.req.param("id"));
      const [offer, owner] = await Promise.all([offerFor(parts, person, token), ownerOf(parts, token)]);
      return await tokenPage(c, person, parts, {
        offer,
        form: formOf(token, offer, owner),
        faults: {},
        token,
        owner,
      });
    }));

  app.post(`${TOKENS}/:id`, (c) =>
    asKeeper(parts, c, noSecret, async (person, sent, isAgain) => {
      const token = await findToken(ports, person.caller, c.req.param("id"));
      const [offer, owner] = await Promise.all([offerFor(parts, person, token), ownerOf(parts, token)]);
      const form = tokenIn(sent, offer);
      const show = (faults: TokenFaults) =>
        tokenPage(c, person, parts, { offer, form, faults, token, owner });
      if (isAgain || isLookedAt(sent, "allowed_sites")) return await show({});
      const stale = (now: Token) => sent.has("as_of") && sent.get("as_of") !== asOf(now);
      const shown = async (now: Token) => {
        const before = tokenAsOf(sent.get("as_of") ?? "", now);
        const merged = mergedToken(form, before, now, { offer, owner });
        const faults = { "": meanwhileWords(merged.changed) };
        return await tokenPage(c, person, parts, { offer, form: merged.form, faults, token: now, owner });
      };
      if (stale(token)) {
        if (saysWhatIs(form, formOf(token, offer, owner))) return leadTo(c, `${TOKENS}?done=changed`);
        return await shown(token);
      }
      const lack = lackOf(form, offer);
      if (lack) return await show(lack);
      try {
        const { env: _, ...patch } = bodyOf(form, offer, ports.now(), token);
        await changeToken(ports, person.caller, token.id, checked(tokenPatch, patch), (stored) => {
          if (stale(stored)) {
            throw new GatewayError("E_STALE_PREVIEW", "Somebody changed the token meanwhile");
          }
        });
      } catch (thrown) {
        if (thrown instanceof GatewayError && thrown.code === "E_STALE_PREVIEW") {
          return await shown(await findToken(ports, person.caller, token.id));
        }
        return await show(faultsOf(thrown));
      }
      return leadTo(c, `${TOKENS}?done=changed`);
    }));

  app.post(`${TOKENS}/:id/revoke`, (c) =>
    asSender(parts, c, async (person) => {
      await revokeToken(ports, person.caller, c.req.param("id"));
      return leadTo(c, `${TOKENS}?done=revoked`);
    }));
}

const ownerOf = async ({ ports }: PagesParts, { owner_user_id }: Token) =>
  owner_user_id === null ? null : await ports.store.users.get(owner_user_id);

/** What can be granted: of a person's token the person's sites, and for a person those that the token has. */
async function offerFor({ ports }: PagesParts, { caller }: Person, token?: Token): Promise<TokenOffer> {
  const owner = token?.owner_user_id ? await ports.store.users.get(token.owner_user_id) : null;
  const isIn = (id: string, sites: readonly string[] | undefined) =>
    sites === undefined || sites.includes("*") || sites.includes(id);
  const mayBe = (id: string) =>
    isOwnSite(caller, id) && isIn(id, owner?.allowed_sites) &&
    isIn(id, caller.user === null ? undefined : token?.allowed_sites);
  const [sites, projects, groups] = await Promise.all([
    ports.store.sites.list(),
    ports.store.projects.list(),
    ports.toolGroups(mayBe),
  ]);
  const own = sites.filter(({ id }) => mayBe(id));
  const used = new Set(own.map(({ project_id }) => project_id));
  return {
    sites: own,
    projects: projects.filter(({ id }) => used.has(id)),
    most: SCOPE_SITES_MAX,
    groups,
  };
}

function faultsOf(thrown: unknown): TokenFaults {
  if (thrown instanceof GatewayError) return faultsByField(thrown.faults, FIELDS);
  throw thrown;
}

function Problem({ faults }: { readonly faults: TokenFaults }): Child {
  if (Object.keys(faults).length === 0) return null;
  return (
    <Notice kind="problem">
      <p>{faults[""] ?? "The token was not saved: see below what is wrong"}.</p>
    </Notice>
  );
}

const statusOf = (faults: TokenFaults) => Object.keys(faults).length > 0 ? 400 : 200;

/** The form of a new token. */
function NewForm(
  { person, now, view }: { readonly person: Person; readonly now: number; readonly view: FormView },
): Child {
  const user = person.caller.user;
  return (
    <Form visitor={person} action={TOKENS} class="grant">
      <EnterButton />
      <ShownAt now={now} />
      <TokenFields {...view} user={user} />
      <Deed words={tokenWords(view.form, { ...view, user, now })}>Make the token</Deed>
    </Form>
  );
}

/** The button, and beside it in words what it does. */
function Deed({ words, children }: { readonly words: string; readonly children?: Child }): Child {
  return (
    <div class="deed">
      <p role="status" data-summary>{words}</p>
      <noscript>
        <p>
          <LookButton />
        </p>
      </noscript>
      <Submit>{children}</Submit>
    </div>
  );
}

async function listPage(c: Context, person: Person, parts: PagesParts): Promise<Response> {
  const [list, offer] = await Promise.all([tokensList(c, person, parts.ports), offerFor(parts, person)]);
  const done = DONE[c.req.query("done") ?? ""];
  const view = { offer, form: newToken(offer), faults: {} };
  return await showPage(
    c,
    { title: "Tokens", visitor: person, times: true, wide: true, script: "forms.js", current: TOKENS },
    <>
      {done && (
        <Notice kind="done">
          <p>{done}</p>
        </Notice>
      )}
      <p>
        <a class="button" href="#make">Make a token</a>
      </p>
      {list}
      <Section id="make" title="Make a token">
        <NewForm person={person} now={parts.ports.now()} view={view} />
      </Section>
    </>,
  );
}

/** The form as it was filled in. */
async function newPage(c: Context, person: Person, { ports }: PagesParts, view: FormView): Promise<Response> {
  const status = statusOf(view.faults);
  return await showPage(
    c,
    { title: "Make a token", visitor: person, script: "forms.js", current: TOKENS, status },
    <>
      <Problem faults={view.faults} />
      <NewForm person={person} now={ports.now()} view={view} />
    </>,
  );
}

async function tokenPage(
  c: Context,
  person: Person,
  { ports }: PagesParts,
  view: FormView & { readonly token: Token },
): Promise<Response> {
  const { token, faults, form, owner } = view;
  if (token.revoked_at !== null) throw new GatewayError("E_NOT_FOUND", "The token is revoked; make another");
  const status = statusOf(faults);
  const user = person.caller.user;
  const [uses, now] = [await ports.store.tokens.uses([token.id]), ports.now()];
  const used = uses.get(token.id);
  return await showPage(
    c,
    {
      ...{ title: `Token ${seen(token.name)}`, visitor: person, current: TOKENS, status },
      ...{ times: true, script: "forms.js" } as const,
    },
    <>
      <Problem faults={faults} />
      <TokenFacts token={token} owner={user === null ? owner ?? null : undefined} used={used} now={now} />
      <p>
        <a href={addressWith(AUDIT, { token: token.id })}>Every call of this token</a>
      </p>
      {user !== null && <p>A token can be made to do less, not more. For more, make another.</p>}
      <Form visitor={person} action={`${TOKENS}/${token.id}`} class="grant">
        <EnterButton />
        <input type="hidden" name="as_of" value={asOf(token)} />
        <TokenFields {...view} user={user} owner={user === null ? owner : undefined} />
        <Deed words={tokenWords(form, { ...view, user, now })}>Save</Deed>
      </Form>
      <RotateSection person={person} token={token} />
      <Section id="revoke" title="Revoke the token">
        <p>Whatever uses it stops working at once. This cannot be taken back.</p>
        <Form visitor={person} action={`${TOKENS}/${token.id}/revoke`}>
          <Submit quiet>Revoke it</Submit>
        </Form>
      </Section>
    </>,
  );
}

/** What is wrong with each of these fields; what names none of them stands under "". */
export function faultsByField(
  sentences: readonly string[],
  fields: readonly string[],
): Readonly<Partial<Record<string, string>>> {
  const start = new RegExp(`^(${fields.join("|")})(?:\\[\\d+\\])?(?:: | (?=is required))`);
  const faults: Partial<Record<string, string>> = {};
  for (const part of sentences) {
    const field = start.exec(part)?.[1] ?? "";
    const said = part.replace(start, "");
    const sentence = said.charAt(0).toUpperCase() + said.slice(1);
    faults[field] = faults[field] === undefined ? sentence : `${faults[field]}; ${sentence}`;
  }
  return faults;
}
