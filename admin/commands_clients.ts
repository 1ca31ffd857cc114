/** `client list`, `client end`. */
import type { Command } from "./command.ts";
import { showRecord } from "./commands_tokens.ts";
import { type Fields, table } from "./terminal.ts";

const list: Command = {
  words: ["client", "list"],
  summary: "List the clients that users let in over OAuth",
  options: { user: { value: "user", help: "of one user, by id or e-mail address" } },
  async run({ words, api, show }) {
    const user_id = words.text("user");
    const query = user_id === undefined ? "" : `?${new URLSearchParams({ user_id })}`;
    const columns = [
      "grant_id",
      "client_name",
      "redirect_host",
      "email",
      "allowed_sites",
      "groups",
      "max_risk",
      "confirm_policy",
      "refreshed_at",
      "expires_at",
    ];
    show(
      await api.call("GET", `clients${query}`),
      (result) => table((result as { clients: Fields[] }).clients, columns),
    );
  },
};

const end: Command = {
  words: ["client", "end"],
  subject: { name: "grant_id", help: "as client list shows it" },
  summary: "End a client's connection with all its tokens",
  options: {},
  async run(call) {
    showRecord(call, await call.api.call("POST", `clients/${encodeURIComponent(call.words.subject)}/end`));
  },
};

/** The commands about clients of OAuth. */
export const CLIENT_COMMANDS: readonly Command[] = [list, end];
