/** `connection start`, `connection list`, `connection kinds`, `connection disconnect`. */
import type { Command, Options } from "./command.ts";
import type { ConnectionKindReport, ConnectionReport, EndedReport } from "./connection_ports.ts";
import type { MadeLink } from "../identity/connections/connections.ts";
import { cell, table } from "./terminal.ts";

const WHO: Options = {
  user: { value: "user", help: "the user's id or e-mail address", required: true },
  kind: { value: "kind", help: "as connection kinds shows it, such as google", required: true },
};

interface Listed {
  readonly connections: readonly ConnectionReport[];
  readonly kinds: readonly ConnectionKindReport[];
}

const start: Command = {
  words: ["connection", "start"],
  summary: "Make a link by which a user connects an account",
  options: {
    ...WHO,
    scopes: { value: "a,b", help: "what to ask for, as connection kinds shows it (everything)" },
  },
  notes:
    "The link opens for ten minutes, in the browser that opens it first, and connects one account. Connecting\n" +
    "again takes the place of what the user had connected before.",
  async run({ words, api, show }) {
    const body = { user: words.text("user"), kind: words.text("kind"), scopes: words.list("scopes") };
    const made = await api.call("POST", "connections", body) as MadeLink;
    show(
      made,
      ({ link, email, expires_at, rights }) =>
        `${cell(link)}\n\nOnly ${cell(email)} should open it, before ${expires_at}; it asks for ${
          rights.join(", ")
        }.\n`,
    );
  },
};

const list: Command = {
  words: ["connection", "list"],
  summary: "List connected accounts and how they do",
  options: { user: { value: "user", help: "of one user, by id or e-mail address" } },
  async run({ words, api, show }) {
    const user = words.text("user");
    const query = user === undefined ? "" : `?${new URLSearchParams({ user })}`;
    const listed = await api.call("GET", `connections${query}`) as Listed;
    show(listed, ({ connections }) => {
      const columns = [
        "email",
        "kind",
        "account",
        "health",
        "rights",
        "missing",
        "last_refreshed_at",
        "access_expires_at",
        "sites",
        "user_id",
      ];
      const rows = connections.map((one) => ({ ...one }));
      const notes = connections.flatMap((one) =>
        one.message === null ? [] : [
          `${cell(one.email ?? one.user_id)}, ${one.kind}: ${cell(one.message)}. Connect again: ` +
          `deno task admin connection start --user ${cell(one.user_id)} --kind ${one.kind}\n`,
        ]
      );
      return table(rows, columns) + (notes.length ? `\n${notes.join("")}` : "");
    });
  },
};

const kinds: Command = {
  words: ["connection", "kinds"],
  summary: "List what can be connected, and what can be asked for",
  options: {},
  async run({ api, show }) {
    const listed = await api.call("GET", "connections") as Listed;
    show(listed.kinds, (all) =>
      all.map(({ kind, product, problem, rights }) =>
        [
          `${kind}: ${product}${problem === null ? "" : ` (not yet: ${cell(problem)})`}`,
          ...Object.entries(rights).map(([word, meaning]) => `  ${word.padEnd(12)}${meaning}`),
        ].join("\n") + "\n"
      ).join("\n"));
  },
};

const disconnect: Command = {
  words: ["connection", "disconnect"],
  summary: "End a connection: here, and at the other service",
  options: { ...WHO, "keep-access": { help: "forget it here only" } },
  notes: "It ends with 1 where the other service did not confirm the end.",
  async run({ words, api, show }) {
    const ended = await api.call("POST", "connections/disconnect", {
      user: words.text("user"),
      kind: words.text("kind"),
      ...(words.on("keep-access") ? { keep_access: true } : {}),
    }) as EndedReport;
    show(
      ended,
      ({ message, also_affected }) =>
        `${cell(message)}.\n` + (also_affected.length === 0 ? "" : "The same account is connected for " +
          `${cell(also_affected.join(", "))}, and may need to be connected again there.\n`),
    );
    return ended.revoked === false ? 1 : 0;
  },
};

/** The commands about connected accounts. */
export const CONNECTION_COMMANDS: readonly Command[] = [start, list, kinds, disconnect];
