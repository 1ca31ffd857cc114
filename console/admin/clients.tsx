/** Connected clients, one's own or with the master token everybody's: which programs were let in, and their end. */
import type { Context, Hono } from "hono";
import type { ClientReport } from "../../core/model.ts";
import { Form, Submit } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { leadTo, showPage } from "../respond.tsx";
import { Empty, fewOf, pageOf, Pages, Time } from "../parts.tsx";
import { Table } from "../table.tsx";
import type { Person } from "../../identity/visitors.ts";
import { asPerson, asSender, type PagesParts } from "./frame.tsx";
import { CEILINGS } from "./words.ts";

const PATH = "/admin/clients";

/** Adds the routes under `/admin/clients`. */
export function clientPages(app: Hono, parts: PagesParts): void {
  const { clients } = parts.ports;
  app.get(PATH, (c) =>
    asPerson(parts, c, async (person) => {
      return await clientsPage(c, person, await (await clients()).list(person.caller.user?.id), parts);
    }));

  app.post(`${PATH}/end`, (c) =>
    asSender(parts, c, async ({ caller }, form) => {
      await (await clients()).end(form.get("client") ?? "", caller.user ?? undefined);
      return leadTo(c, `${PATH}?done=ended`);
    }));
}

function clientsPage(
  c: Context,
  person: Person,
  clients: readonly ClientReport[],
  { ports: { baseUrl } }: PagesParts,
): Promise<Response> {
  const after = c.req.query("after") ?? "";
  const { shown, next } = pageOf(clients.toReversed(), after, ({ grant_id }) => grant_id);
  const rows = shown.map((client) => [
    `“${client.client_name}”, whose answers go to ${client.redirect_host}`,
    client.allowed_sites.includes("*") ? "every site of its person" : fewOf(client.allowed_sites, "none"),
    CEILINGS[client.max_risk] ?? String(client.max_risk),
    client.confirm_policy === "human" ? "a person approves each change" : "it confirms what it was shown",
    <>
      <div>
        let in <Time at={client.created_at} />
      </div>
      <div>
        last seen <Time at={client.refreshed_at} />
      </div>
      <div>
        until <Time at={client.expires_at} />
      </div>
    </>,
    <Form visitor={person} action={`${PATH}/end`}>
      <input type="hidden" name="client" value={client.grant_id} />
      <Submit quiet label={`End the access of ${client.client_name}`}>End</Submit>
    </Form>,
  ]);
  return showPage(
    c,
    { title: "Connected clients", visitor: person, wide: true, times: true, current: PATH },
    <>
      {c.req.query("done") === "ended" && (
        <Notice kind="done">
          <p>The client's access has ended, with all its tokens.</p>
        </Notice>
      )}
      <Table
        caption={person.user === null
          ? "Programs that people let in, and what each may do in their name"
          : "Programs that you let in, and what each may do in your name"}
        columns={["Client", "Sites", "At most", "Changes", "When", "End"]}
        rows={rows}
        empty={
          <Empty title={person.user === null ? "Nobody has let a client in" : "You have let no client in"}>
            {"Claude, ChatGPT, Cursor and others need no token: give them the address "}
            <code>{`${baseUrl}/mcp`}</code>
            {", and they lead to a page here that asks what they may do."}
          </Empty>
        }
      />
      <Pages path={PATH} after={after} next={next} />
    </>,
  );
}
