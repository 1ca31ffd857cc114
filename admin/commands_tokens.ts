/** `token create`, `token list`, `token update`, `token rotate`, `token revoke`. */
import { RISK_DEFAULT } from "../core/model.ts";
import { CEILING_NOTES } from "./ceilings.ts";
import type { Call, Command, Options } from "./command.ts";
import { CommandError, type Fields, sheet, table } from "./terminal.ts";

/** Prints what was made or changed; warnings go to the error stream. */
export function showRecord(call: Call, result: unknown): void {
  const { warnings, ...record } = result as Fields & { warnings?: string[] };
  call.show(result, () => sheet(record));
  for (const warning of warnings ?? []) call.terminal.err(`Warning: ${warning}\n`);
}

/** Fields that were given, without those left out. */
export function given(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

const NAME = { value: "name", help: "what it is for" } as const;
const SITES = { value: "a,b", help: "site ids, or '*' for all" } as const;
const TOOLS = { value: "x,y", help: "tool names, or '*' for all" } as const;
/** What is the same of a token that is made and of one that is changed. */
const LIMITS: Options = {
  "confirm-policy": {
    value: "flag|preview|human",
    help:
      "what a write needs beside confirm: true (flag: nothing, preview: the confirm_token of its preview, human: a person's approval)",
  },
  listing: {
    value: "all|own|search",
    help: "what its list of tools has: all, without sites' own, or what finds the others",
  },
};
const EXPIRES = "when it ends: a day (its end, UTC), or a time with its zone";
const FROM = "addresses and networks that it may be used from, such as 203.0.113.0/24";

const create: Command = {
  words: ["token", "create"],
  summary: "Make a token and show it, this once",
  options: {
    name: { ...NAME, required: true },
    sites: { ...SITES, required: true },
    tools: { ...TOOLS, required: true },
    env: { value: "prod|dev", help: "part of the token's text (prod)" },
    "max-risk": {
      value: "0-4",
      help: `its ceiling, as listed below (${RISK_DEFAULT}, or its owner's where that is lower)`,
    },
    owner: {
      value: "user",
      help: "the user it belongs to, by id or e-mail address, whose grants it never passes",
    },
    "super-admin": { help: "a super-admin token, which belongs to no user" },
    ...LIMITS,
    "confirm-proxied": { help: "show what sites' own tools would write before it is sent" },
    expires: { value: "time", help: `${EXPIRES}; never otherwise` },
    from: { value: "a,b", help: FROM },
    "skip-write-confirm": { help: "write without the confirm step (with --super-admin only)" },
  },
  notes: CEILING_NOTES,
  async run(call) {
    const { words, api, terminal } = call;
    const [owner, superAdmin] = [words.text("owner"), words.on("super-admin")];
    if (superAdmin && owner !== undefined) {
      throw new CommandError(
        "--super-admin and --owner exclude each other; a super-admin token belongs to no user",
      );
    }
    const result = await api.call(
      "POST",
      "tokens",
      given({
        name: words.text("name"),
        env: words.text("env") ?? "prod",
        allowed_sites: words.list("sites"),
        allowed_tools: words.list("tools"),
        max_risk: words.whole("max-risk"),
        owner_user_id: superAdmin ? null : owner,
        confirm_policy: words.text("confirm-policy"),
        confirm_proxied: words.on("confirm-proxied") || undefined,
        listing: words.text("listing"),
        expires_at: words.text("expires"),
        allowed_ips: words.list("from"),
        skip_write_confirm: words.on("skip-write-confirm") || undefined,
      }),
    );
    showRecord(call, result);
    if (!call.json) terminal.err("Keep the token now; it is not shown again.\n");
  },
};

const list: Command = {
  words: ["token", "list"],
  summary: "List tokens, revoked ones too",
  options: {},
  async run({ api, show }) {
    const columns = [
      "token_id",
      "name",
      "env",
      "allowed_sites",
      "allowed_tools",
      "max_risk",
      "owner_user_id",
      "super_admin",
    ];
    show(
      await api.call("GET", "tokens"),
      (result) =>
        table((result as { tokens: Fields[] }).tokens, [
          ...columns,
          "last_used_at",
          "expires_at",
          "allowed_ips",
          "old_until",
          "revoked_at",
        ]),
    );
  },
};

const update: Command = {
  words: ["token", "update"],
  subject: { name: "token_id", help: "as token list shows it" },
  summary: "Change what a token may do; its text stays. Only what the options name changes",
  options: {
    name: NAME,
    sites: SITES,
    tools: TOOLS,
    "max-risk": { value: "0-4", help: "its ceiling, as listed below" },
    ...LIMITS,
    "confirm-proxied": {
      value: "true|false",
      help: "whether what sites' own tools would write is shown before it is sent",
    },
    expires: { value: "time|never", help: `${EXPIRES}, or never` },
    from: { value: "a,b|anywhere", help: `${FROM}, or anywhere` },
  },
  notes: CEILING_NOTES,
  async run(call) {
    const { words, api } = call;
    const proxied = words.text("confirm-proxied");
    if (proxied !== undefined && !["true", "false"].includes(proxied)) {
      throw new CommandError("--confirm-proxied needs true or false");
    }
    const patch = given({
      name: words.text("name"),
      allowed_sites: words.list("sites"),
      allowed_tools: words.list("tools"),
      max_risk: words.whole("max-risk"),
      confirm_policy: words.text("confirm-policy"),
      confirm_proxied: proxied && proxied === "true",
      listing: words.text("listing"),
      expires_at: words.text("expires") === "never" ? null : words.text("expires"),
      allowed_ips: words.text("from") === "anywhere" ? null : words.list("from"),
    });
    showRecord(call, await api.call("PATCH", `tokens/${encodeURIComponent(words.subject)}`, patch));
  },
};

const rotate: Command = {
  words: ["token", "rotate"],
  subject: { name: "token_id", help: "as token list shows it" },
  summary: "Give a token a new text and show it, this once; the old one works for a day more",
  options: {
    "old-until": {
      value: "time",
      help: "until when the old text works: a day (its end, UTC), or a time with its zone",
    },
    "old-ends": { help: "end the old text at once, as after a leak" },
  },
  async run(call) {
    const { api, words, terminal } = call;
    const [until, ends] = [words.text("old-until"), words.on("old-ends")];
    if (ends && until !== undefined) {
      throw new CommandError(
        "--old-until and --old-ends exclude each other; name the time, or end it at once",
      );
    }
    const path = `tokens/${encodeURIComponent(words.subject)}/rotate`;
    showRecord(call, await api.call("POST", path, given({ old_until: ends ? null : until })));
    if (!call.json) terminal.err("Keep the token now; it is not shown again.\n");
  },
};

const revoke: Command = {
  words: ["token", "revoke"],
  subject: { name: "token_id", help: "as token list shows it" },
  summary: "Revoke a token for good",
  options: {},
  async run(call) {
    const { api, words } = call;
    showRecord(call, await api.call("POST", `tokens/${encodeURIComponent(words.subject)}/revoke`));
  },
};

/** The commands about tokens. */
export const TOKEN_COMMANDS: readonly Command[] = [create, list, update, rotate, revoke];
