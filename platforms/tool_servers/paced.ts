/** Requests to the CRM's tool server in the pace of the location, which all that ask the location keep together. */
import { SPARE_MS } from "../highlevel/budget.ts";
import { pacerOf } from "../highlevel/pacer.ts";
import type { SiteContext } from "../_connector/connector.ts";
import type { Lent } from "../_connector/context.ts";
import type { Incoming, Outgoing } from "../_http/request.ts";

const TOO_OFTEN = 429;
const pacerIn = ({ site, now }: SiteContext, lent: Lent) => pacerOf(lent, site.crm_location_id ?? "", now);

/** Notes that the CRM behind its tool server found itself asked too often, as a tool's result can say. */
export async function heardTooOften(ctx: SiteContext, lent: Lent): Promise<void> {
  await pacerIn(ctx, lent).heard({ status: TOO_OFTEN, headers: new Headers() });
}

/** Sends it once it is its turn, each try of a read anew. Throws E_UPSTREAM, where no turn comes in time too. */
export async function sendInTurn(
  ctx: SiteContext,
  lent: Lent,
  out: Outgoing & { readonly deadline_ms: number },
): Promise<Incoming> {
  const { deadline, now } = ctx;
  const pacer = pacerIn(ctx, lent);
  const latest = deadline - SPARE_MS;
  const first = await pacer.take(latest);
  const late = typeof first === "string";
  let refusal: Promise<void> | undefined;
  const waiting = late ? null : pacer.waiting(first, latest);
  try {
    const answer = await lent.send({
      ...out,
      async turn() {
        await refusal; // what the location asked for is known before it is asked again
        return await waiting?.left() ?? Infinity;
      },
      busy(response) {
        if (response.status === TOO_OFTEN) refusal = pacer.heard(response);
        refusal?.catch(() => {}); // the next try is told; where there is none, the answer or its failure says enough
        return null;
      },
      deadline_ms: out.deadline_ms + (late ? 0 : Math.max(0, first.at - now())),
    });
    await pacer.heard(answer);
    return answer;
  } finally {
    waiting?.done();
  }
}
