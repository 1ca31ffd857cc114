/** `project add|list` and `user add|list|update`. */
import type { Command, Options, Words } from "./command.ts";
import { CEILING_NOTES } from "./ceilings.ts";
import { given, showRecord } from "./commands_tokens.ts";
import { type Fields, table } from "./table.ts";

const projectAdd: Command = {
  words: ["project", "add"],
  subject: { name: "id", help: "a-z, 0-9 and -" },
  summary: "Make a project to group sites under",
  options: { name: { value: "name", help: "as people call it (else the id)" } },
  async run(call) {
    const { words, api } = call;
    const id = words.subject;
    showRecord(call, await api.call("POST", "projects", { id, name: words.text("name") ?? id }));
  },
};

const projectList: Command = {
  words: ["project", "list"],
  summary: "List projects",
  options: {},
  async run({ api, show }) {
    const human = (result: unknown) =>
      table((result as { projects: Fields[] }).projects, ["id", "name", "created_at"]);
    show(await api.call("GET", "projects"), human);
  },
};

const USER_OPTIONS: Options = {
  role: { value: "admin|member", help: "an admin manages sites and users" },
  sites: { value: "a,b", help: "site ids, '*' for all, '' for none" },
  "max-risk": { value: "0-4", help: "the ceiling of every token of the user, as listed below" },
};

function userFields(words: Words): Fields {
  return given({
    email: words.text("email"),
    role: words.text("role"),
    allowed_sites: words.list("sites"),
    max_risk: words.whole("max-risk"),
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
    const columns = ["user_id", "email", "role", "allowed_sites", "max_risk", "created_at"];
    show(await api.call("GET", "users"), (result) => table((result as { users: Fields[] }).users, columns));
  },
};

const userUpdate: Command = {
  words: ["user", "update"],
  subject: { name: "user_id", help: "as user list shows it" },
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

/** The commands about projects and users. */
export const PEOPLE_COMMANDS: readonly Command[] = [projectAdd, projectList, userAdd, userList, userUpdate];
