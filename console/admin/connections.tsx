/** Connected accounts, one's own or with the master token everybody's: what is connected, connecting by the flow of a link, disconnecting. */
import type { Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import { GatewayError } from "../../core/errors.ts";
import { Choices, Form, Submit } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { leadTo, showPage } from "../respond.tsx";
import { fewOf, pageOf, Pages, Time } from "../parts.tsx";
import { Table } from "../table.tsx";
import type { Person } from "../../identity/visitors.ts";
import type { ConnectionKindReport, ConnectionReport } from "../../admin/connection_ports.ts";
import { accountHolder, asPerson, asSender, type PagesParts, worded } from "./frame.tsx";

const PATH = "/admin/connections";
/** Each has a form of its own. */
const PAGE_ACCOUNTS = 25;

/** What a page says first. */
interface Said {
  readonly kind: "done" | "problem";
  readonly text: string;
}

/** Adds the routes under `/admin/connections`. */
export function connectionPages(app: Hono, parts: PagesParts): void {
  const { connections } = parts.ports;
  const page = async (c: Context, person: Person, said?: Said) => {
    const port = await connections();
    return await connectionsPage(c, person, {
      kinds: port.kinds(),
      own: await port.list(person.caller.user?.id),
      said,
    });
  };

  app.get(PATH, (c) => asPerson(parts, c, (person) => page(c, person)));

  app.post(`${PATH}/connect`, (c) =>
    asSender(parts, c, async (person, form) => {
      const { user } = accountHolder(person);
      const order = { user: user.id, kind: form.get("kind") ?? "", rights: form.getAll("rights") };
      try {
        const { link } = await (await connections()).start(order, person.caller.actor);
        return leadTo(c, new URL(link).pathname);
      } catch (thrown) {
        return await page(c, person, { kind: "problem", text: `${notConnectable(c, person, thrown)}.` });
      }
    }));

  app.post(`${PATH}/disconnect`, (c) =>
    asSender(parts, c, async (person, form) => {
      const kind = form.get("kind") ?? "";
      try {
        const actor = person.caller.actor;
        const of = person.caller.user?.id ?? form.get("user") ?? "";
        const ended = await (await connections()).disconnect(of, kind, false, actor);
        return await page(c, person, {
          kind: ended.revoked === false ? "problem" : "done",
          text: `${ended.message}.`,
        });
      } catch (thrown) {
        return await page(c, person, { kind: "problem", text: `${worded(c, thrown).message}.` });
      }
    }));
}

const NOT_SET_UP = "whoever runs this gateway has not set it up yet; ask them to";

/** Whether the names of settings mean anything to that person. */
const seesSettings = ({ caller: { user } }: Person) => user === null || user.role === "admin";

/** Why a link was not made; a member is shown no names of settings. */
function notConnectable(c: Context, person: Person, thrown: unknown): string {
  const { message } = worded(c, thrown);
  const isUnset = thrown instanceof GatewayError && thrown.code === "E_MISSING_SECRET";
  return isUnset && !seesSettings(person) ? `It cannot be connected now: ${NOT_SET_UP}` : message;
}

interface Shown {
  readonly kinds: readonly ConnectionKindReport[];
  readonly own: readonly ConnectionReport[];
  readonly said: Said | undefined;
}

function connectionsPage(c: Context, person: Person, { kinds, own, said }: Shown): Promise<Response> {
  return showPage(
    c,
    { title: "Connected accounts", visitor: person, times: true, current: PATH },
    <>
      {said && (
        <Notice kind={said.kind}>
          <p>{said.text}</p>
        </Notice>
      )}
      {person.user === null
        ? <Everybodys person={person} kinds={kinds} all={own} after={c.req.query("after") ?? ""} />
        : (
          <>
            <p>Sites that are bound to you use these accounts. The gateway never sees your password there.</p>
            {kinds.map((kind) => (
              <Kind
                person={person}
                kind={kind}
                connected={own.find((one) => one.kind === kind.kind)}
              />
            ))}
          </>
        )}
      {kinds.length === 0 && <p>This gateway has nothing that an account could be connected to.</p>}
    </>,
  );
}

/** What the master token sees: the accounts of all people, which only they connect. */
function Everybodys(
  { person, kinds, all, after }: {
    readonly person: Person;
    readonly after: string;
    readonly kinds: readonly ConnectionKindReport[];
    readonly all: readonly ConnectionReport[];
  },
): Child {
  const productOf = (kind: string) => kinds.find((one) => one.kind === kind)?.product ?? kind;
  const { shown, next } = pageOf(all, after, ({ kind, user_id }) => `${kind} ${user_id}`, PAGE_ACCOUNTS);
  const rows = shown.map(({ user_id, kind, account, email, health, message, sites }) => [
    account,
    productOf(kind),
    email ?? user_id,
    message ?? (health === "active" ? "works" : "has to be connected again"),
    fewOf(sites, "none"),
    <Form visitor={person} action={`${PATH}/disconnect`}>
      <input type="hidden" name="kind" value={kind} />
      <input type="hidden" name="user" value={user_id} />
      <Submit quiet label={`Disconnect ${account} of ${email ?? user_id}`}>Disconnect</Submit>
    </Form>,
  ]);
  return (
    <>
      <p>Each person connects an account of his or her own here. The gateway never sees a password.</p>
      <Table
        caption="Accounts that people have connected"
        columns={["Account", "At", "Person", "State", "Used by sites", "End"]}
        rows={rows}
        empty="Nobody has connected an account yet. Invite a person first, who signs in and connects it here."
      />
      <Pages path={PATH} after={after} next={next} />
      <Table
        caption="What can be connected"
        columns={["Product", "State"]}
        rows={kinds.map(({ product, problem }) => [product, problem ?? "set up"])}
        empty=""
      />
    </>
  );
}

interface KindParts {
  readonly person: Person;
  readonly kind: ConnectionKindReport;
  readonly connected: ConnectionReport | undefined;
}

function Kind({ person, kind: { kind, product, rights, problem }, connected }: KindParts): Child {
  const wanted = (word: string) => connected?.rights.includes(word) ?? true;
  return (
    <section aria-labelledby={`${kind}-title`}>
      <h2 id={`${kind}-title`}>{product}</h2>
      {connected && <Connected person={person} product={product} connected={connected} />}
      {problem === null
        ? (
          <Form visitor={person} action={`${PATH}/connect`}>
            <input type="hidden" name="kind" value={kind} />
            <Choices
              name="rights"
              legend={connected ? "Connect again, to let the gateway" : "Let the gateway"}
              choices={Object.entries(rights).map(([word, meaning]) => ({
                value: word,
                label: meaning,
                checked: wanted(word),
              }))}
            />
            <Submit>{connected ? "Connect again" : `Connect ${product}`}</Submit>
          </Form>
        )
        : <p>It cannot be connected now: {seesSettings(person) ? problem : NOT_SET_UP}.</p>}
    </section>
  );
}

function Connected(
  { person, product, connected }: {
    readonly person: Person;
    readonly product: string;
    readonly connected: ConnectionReport;
  },
): Child {
  const { kind, account, message, sites, last_refreshed_at } = connected;
  return (
    <>
      {message && (
        <Notice kind="problem">
          <p>{message}.</p>
        </Notice>
      )}
      <p>
        {"Connected: "}
        <strong>{account}</strong>
        {last_refreshed_at && (
          <>
            , access last renewed <Time at={last_refreshed_at} />
          </>
        )}
        {sites.length ? `, used by ${fewOf(sites, "")}` : ", used by no site yet"}.
      </p>
      <Form visitor={person} action={`${PATH}/disconnect`}>
        <input type="hidden" name="kind" value={kind} />
        <Submit quiet label={`Disconnect ${product}`}>Disconnect</Submit>
      </Form>
    </>
  );
}
