/** A store in which nobody has signed in, for tests of what the master token does. */
import assert from "node:assert/strict";
import type { Store } from "../../../store/store.ts";

type People = Pick<
  Store,
  | "accounts"
  | "oauthGrants"
  | "signIns"
  | "invitations"
  | "personSessions"
  | "attempts"
  | "challenges"
  | "devices"
>;

const untouched = <T extends object>(what: string, but: object = {}): T =>
  new Proxy(but as T, {
    get: (known, name) => name in known ? Reflect.get(known, name) : assert.fail(`nothing asks for ${what}`),
  });

/** No session stands, and nothing else is asked for. */
export function fakePeople(): People {
  return {
    accounts: untouched("connected accounts"),
    oauthGrants: untouched("clients of OAuth"),
    signIns: untouched("how people sign in"),
    invitations: untouched("invitations"),
    personSessions: untouched<Store["personSessions"]>("sessions", { find: () => Promise.resolve(null) }),
    attempts: untouched("attempts"),
    challenges: untouched("challenges"),
    devices: untouched("browsers that are known"),
  };
}
