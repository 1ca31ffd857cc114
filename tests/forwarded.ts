/** What comes over TLS, answered by a stand-in that speaks none. */

/** Passes each request on to that address, and its answer back. */
export function forwardedTo(base: string): (request: Request) => Promise<Response> {
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const body = await request.bytes();
    const headers = new Headers(request.headers);
    headers.delete("content-length");
    return await fetch(`${base}${pathname}${search}`, {
      method: request.method,
      headers,
      body: body.length > 0 ? body : undefined,
      redirect: "manual",
    });
  };
}
