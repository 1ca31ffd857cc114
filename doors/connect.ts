/** /connect: the pages on which a person connects an account, by a link that was made for them. */
import { type Context, Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { broken } from "../identity/connections/connect_pages.ts";
import type { Connecting, Step } from "../identity/connections/connecting.ts";
import { LIMITS } from "../core/model.ts";
import type { Presented } from "../store/store.ts";
import { leadTo } from "../console/respond.tsx";
import { showConnectPage } from "../console/connect_page.tsx";

/** What the pages depend on. */
export interface ConnectParts {
  /** The steps behind the pages. */
  steps(): Promise<Connecting>;
  readonly baseUrl: string;
  /** A new ULID. */
  newId(): string;
  /** Logs a fault that is the gateway's own. */
  report(requestId: string, thrown: unknown): void;
}

const PATH = "/connect";
/** A link's ten minutes, and those of a consent page that was opened in the last of them. */
const COOKIE_SECONDS = (2 * LIMITS.CONNECT_LINK_MS) / 1000;

/** Each link has a cookie of its own, so that two can be open in one browser. */
const cookieName = (link_id: string) => `connect_${link_id.slice(0, 16)}`;

/** The routes, to be mounted at the root; every answer is a page, a refusal too. */
export function connectApp({ steps, baseUrl, newId, report }: ConnectParts): Hono {
  const app = new Hono();
  const secure = new URL(baseUrl).protocol === "https:";
  // With the prefix a browser takes the cookie from this host alone, not from a sibling of it.
  const prefix = secure ? "host" : undefined;
  const answer = async (c: Context, step: Step): Promise<Response> => {
    if (step.bind) {
      setCookie(c, cookieName(step.bind.link_id), step.bind.value, {
        httpOnly: true,
        sameSite: "Lax",
        secure,
        ...(prefix ? { prefix } : { path: PATH }),
        maxAge: COOKIE_SECONDS,
      });
    }
    return "to" in step ? leadTo(c, step.to, { secretAddress: true }) : await showConnectPage(c, step.page);
  };
  const presented = (c: Context): Presented => ({ id }) => getCookie(c, cookieName(id), prefix);

  // A GET is answered once or binds a browser; what only asks whether there is a page must do neither.
  app.use(async (c, next) => c.req.method === "HEAD" ? c.body(null, 405, { allow: "GET" }) : await next());
  app.get(`${PATH}/callback`, async (c) => {
    const { searchParams } = new URL(c.req.url);
    return await answer(c, await (await steps()).returned(searchParams, presented(c)));
  });
  app.get(`${PATH}/:link/consent`, async (c) => {
    if (isFromElsewhere(c)) {
      return await answer(c, { to: `${PATH}/${encodeURIComponent(c.req.param("link"))}` });
    }
    return await answer(c, await (await steps()).consent(c.req.param("link"), presented(c)));
  });
  app.get(`${PATH}/:link`, async (c) => {
    return await answer(c, await (await steps()).open(c.req.param("link"), presented(c), isOpened(c)));
  });
  app.onError(async (thrown, c) => {
    const requestId = newId();
    report(requestId, thrown);
    c.header("X-Request-Id", requestId);
    return await answer(c, { page: broken(requestId) });
  });
  return app;
}

/**
 * Whether a person's browser opens the page. What only looks (a chat that shows a preview, a HEAD request, a browser
 * that fetches ahead) does not bind the link; a browser too old to say so binds it when it goes on to the consent.
 */
function isOpened(c: Context): boolean {
  return c.req.method === "GET" && c.req.header("sec-fetch-mode") === "navigate" &&
    !/prefetch|prerender/.test(c.req.header("sec-purpose") ?? "");
}

/**
 * Whether another page, or an address that was typed in, leads straight to the consent. Who is led there would agree at
 * the vendor without having read here for whom the account is connected.
 */
function isFromElsewhere(c: Context): boolean {
  return (c.req.header("sec-fetch-site") ?? "same-origin") !== "same-origin";
}
