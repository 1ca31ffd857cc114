/** Calls of tools by whoever holds the master token: they walk every step of a call, and their rows say who made them. */
import type { Caller } from "../core/model.ts";
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

/** Calls a tool; throws what it is refused or fails with. */
export type Operate = (tool: string, args: Record<string, unknown>) => Promise<unknown>;

/** Makes that way to the tools. */
export const operatorCalls = (dispatch: Dispatch, newId: () => string): Operate => async (tool, given) => {
  const args = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const bytes = new TextEncoder().encode(JSON.stringify(args)).length;
  const call = {
    door: "admin",
    requestId: newId(),
    caller: OPERATOR_CALLER,
    tool,
    parse: () => ({ args, bytes }),
  } as const;
  return await dispatch(call);
};
