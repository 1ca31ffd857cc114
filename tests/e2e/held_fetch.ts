/** A `fetch` for the official clients whose requests end when they are told to. */

/**
 * The signals of the clients' requests, held here: the runtime lets go of one that is made of others, and then an abort
 * ends nothing. For the same reason an answer's body is ended by its request's signal itself.
 */
const held: AbortSignal[] = [];
const own = fetch;

/** `fetch`, whose answers can be copied while they come, too: a copy that is read does not hold up the original. */
export async function heldFetch(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const { signal, ...rest } = init;
  if (!signal) return await own(url, rest);
  held.push(signal);
  const { status, headers, body } = await own(url, rest);
  return new Response(body?.pipeThrough(new TransformStream(), { signal }) ?? null, { status, headers });
}

/** What a client's transport takes, with that token. */
export const authorized = (token: string) => ({
  requestInit: { headers: { Authorization: `Bearer ${token}` } },
  fetch: heldFetch,
});
