/** `project add|list|update` and `user add|invite|list|update|remove`. */
import type { Command, Options, Words } from "./command.ts";
import { CEILING_NOTES } from "./ceilings.ts";
import { given, showRecord } from "./commands_tokens.ts";
import { cell, type Fields, table } from "./terminal.ts";

const POLICY: Options = {
  "confirm-policy": {
    value: "flag|preview|human",
    help:
      "the least that writes on its sites need beside confirm: true; the strictest of token, site and project holds",
  },
};

const projectAdd: Command = {
  words: ["project", "add"],
  subject: { name: "id", help: "a-z, 0-9 and -" },
  summary: "Make a project to group sites under",
  options: { name: { value: "name", help: "as people call it (else the id)" }, ...POLICY },
  async run(call) {
    const { words, api } = call;
    const id = words.subject;
    const confirm_policy = words.text("confirm-policy");
    const body = given({ id, name: words.text("name") ?? id, confirm_policy });
    showRecord(call, await api.call("POST", "projects", body));
  },
};

const projectUpdate: Command = {
  words: ["project", "update"],
  subject: { name: "id", help: "as project list shows it" },
  summary: "Change what a project is called, or what writes on its sites need",
  options: { name: { value: "name", help: "as people call it" }, ...POLICY },
  async run(call) {
    const { words, api } = call;
    const body = given({ name: words.text("name"), confirm_policy: words.text("confirm-policy") });
    showRecord(call, await api.call("PATCH", `projects/${encodeURIComponent(words.subject)}`, body));
  },
};

const projectList: Command = {
  words: ["project", "list"],
  summary: "List projects",
  options: {},
  async run({ api, show }) {
    const human = (result: unknown) =>
      table((result as { projects: Fields[] }).projects, ["id", "name", "confirm_policy", "created_at"]);
    show(await api.call("GET", "projects"), human);
  },
};

const USER_OPTIONS: Options = {
  role: { value: "admin|member", help: "an admin manages sites and users" },
  sites: { value: "a,b", help: "site ids, '*' for all, '' for none" },
  "max-risk": { value: "0-4", help: "the ceiling of every token of the user, as listed below" },
  "approve-sites": {
    value: "a,b",
    help: "sites on which the user may approve what others ask for, '*' for all of the user's, '' for none",
  },
};

function userFields(words: Words): Fields {
  return given({
    email: words.text("email"),
    role: words.text("role"),
    allowed_sites: words.list("sites"),
    max_risk: words.whole("max-risk"),
    approve_sites: words.list("approve-sites"),
  });
}

const userAdd: Command = {
  words: ["user", "add"],
  subject: { name: "email", help: "the user's e-mail address" },
  summary: "Make a user",
  notes: CEILING_NOTES,
  options: {
    ...USER_OPTIONS,
    role: { ...USER_OPTIONS.role!, required: true },
    sites: { ...USER_OPTIONS.sites!, required: true },
  },
  async run(call) {
    const { words, api } = call;
    showRecord(call, await api.call("POST", "users", { ...userFields(words), email: words.subject }));
  },
};

const userList: Command = {
  words: ["user", "list"],
  summary: "List users",
  options: {},
  async run({ api, show }) {
    const columns = ["user_id", "email", "role", "allowed_sites", "max_risk", "approve_sites", "created_at"];
    show(await api.call("GET", "users"), (result) => table((result as { users: Fields[] }).users, columns));
  },
};

const WHO = { name: "user", help: "the user's id or e-mail address" } as const;

const userUpdate: Command = {
  words: ["user", "update"],
  subject: WHO,
  summary: "Change a user's grants",
  notes: CEILING_NOTES,
  options: { email: { value: "email", help: "the new address" }, ...USER_OPTIONS },
  async run(call) {
    const { words, api } = call;
    showRecord(
      call,
      await api.call("PATCH", `users/${encodeURIComponent(words.subject)}`, userFields(words)),
    );
  },
};

interface Invited {
  readonly link: string;
  readonly email: string;
  readonly expires_at: string;
}

const userInvite: Command = {
  words: ["user", "invite"],
  subject: WHO,
  summary: "Make a link by which a user sets how to sign in",
  notes:
    "The link works once. What the user signed in with before ends when it is used, and so does every\n" +
    "session: it is also the way back for somebody who has lost a passphrase or a device.",
  options: {},
  async run({ words, api, show }) {
    const made = await api.call("POST", `users/${encodeURIComponent(words.subject)}/invite`, {}) as Invited;
    show(
      made,
      ({ link, email, expires_at }) =>
        `${cell(link)}\n\nOnly ${cell(email)} should open it, before ${expires_at}. It works once.\n`,
    );
  },
};

const userRemove: Command = {
  words: ["user", "remove"],
  subject: WHO,
  summary: "Remove a user, with sessions, tokens, connected accounts and clients",
  notes:
    "The user's tokens end, each with a row token.revoke of the audit. Accounts that the user connected are forgotten, and programs that the\n" +
    "user let in (client list) end; the audit has a row client.end for each of them.",
  options: {},
  async run(call) {
    const { words, api } = call;
    showRecord(call, await api.call("POST", `users/${encodeURIComponent(words.subject)}/remove`, {}));
  },
};

/** The commands about projects and users. */
export const PEOPLE_COMMANDS: readonly Command[] = [
  projectAdd,
  projectList,
  projectUpdate,
  userAdd,
  userInvite,
  userList,
  userUpdate,
  userRemove,
];
