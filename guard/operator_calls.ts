/** Calls of tools by whoever holds the master token: they take every step of a call, and their rows say who made them. */
import type { Caller, User } from "../core/model.ts";
import { OPERATOR } from "./audit/admin_row.ts";
import type { Dispatch } from "./pipeline/dispatch.ts";

/** The operator as a caller: of every site and tool; a write needs the token of its preview. */
export const OPERATOR_CALLER: Caller = {
  token: {
    id: OPERATOR.token_id,
    name: OPERATOR.token_name,
    env: "prod",
    allowed_sites: ["*"],
    allowed_tools: ["*"],
    max_risk: 4,
    skip_write_confirm: false,
    confirm_policy: "preview",
    owner_user_id: null,
    super_admin: true,
    created_at: new Date(0).toISOString(),
    revoked_at: null,
  },
  owner: null,
  superAdmin: true,
  maxRisk: 4,
};

/** Calls a tool; throws what it is refused or fails with. For a person only what reads, on sites of that person, in his or her name. */
export type Operate = (tool: string, args: Record<string, unknown>, person?: User | null) => Promise<unknown>;

/** A person who asks by a page: what the page asks only reads. */
function readerOf(person: User): Caller {
  const token = {
    ...OPERATOR_CALLER.token,
    id: "session",
    name: person.email,
    max_risk: 0,
    owner_user_id: person.id,
    super_admin: false,
  } as const;
  return { token, owner: person, superAdmin: false, maxRisk: 0 };
}

/** Makes that way to the tools. */
export const operatorCalls =
  (dispatch: Dispatch, newId: () => string): Operate => async (tool, given, person) => {
    const args = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const bytes = new TextEncoder().encode(JSON.stringify(args)).length;
    const call = {
      door: "admin",
      requestId: newId(),
      caller: person ? readerOf(person) : OPERATOR_CALLER,
      tool,
      parse: () => ({ args, bytes }),
    } as const;
    return await dispatch(call);
  };
