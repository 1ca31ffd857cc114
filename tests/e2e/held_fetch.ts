/** A `fetch` for the official clients whose requests end when they are told to. */

/**
 * The signals of the clients' requests, held here: the runtime lets go of one that is made of others, and then an abort
 * ends nothing. For the same reason an answer's body is ended by its request's signal itself.
 */
const held: AbortSignal[] = [];

/** What a client's transport takes, with that token. */
export const authorized = (token: string) => ({
  requestInit: { headers: { Authorization: `Bearer ${token}` } },
  fetch: async (url: string | URL, { signal, ...init }: RequestInit = {}) => {
    if (!signal) return await fetch(url, init);
    held.push(signal);
    const answer = await fetch(url, init);
    const body = answer.body?.pipeThrough(new TransformStream(), { signal }) ?? null;
    return new Response(body, { status: answer.status, headers: answer.headers });
  },
});
