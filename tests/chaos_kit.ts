/** A gateway whose upstreams are all over TLS and all fail alike, and one site that does not. */
import { FactCaches } from "../guard/fact_caches.ts";
import { type ConnectorPorts, makeConnectorContext } from "../guard/connector_context.ts";
import type { PlatformKind, Site } from "../core/model.ts";
import type { Connector } from "../platforms/_connector/connector.ts";
import type { ConnectorContext } from "../platforms/_connector/context.ts";
import { createHttp, type Http } from "../platforms/_http/http.ts";
import { createTransport, type PinnedFetch } from "../platforms/_http/transport.ts";
import { type ConnectionFault, type Identity, startTls } from "../sandbox/core/tls.ts";
import { startWordPressStandIn } from "../sandbox/wordpress_standin/start.ts";
import { newAuthority } from "./authority.ts";
import { CONNECTORS } from "./connectors.ts";
import { forwardedTo } from "./forwarded.ts";
import { gateway, type Kit, NOW, site } from "./kit.ts";
import { linked, originsOf, type Place, SETTINGS, valuesOf, WEB_HOST } from "./linked_sites.ts";

/** What can be wrong with every upstream at once. */
export interface Fault {
  readonly name: string;
  readonly connection?: ConnectionFault;
  /** Whose certificate is shown; that of the host where left out. */
  readonly certificate?: "another name" | "expired" | "unknown authority";
  /** What every name stands for; the one address that answers where left out. */
  readonly addresses?: readonly (keyof typeof PLACES)[];
  /** What becomes of looking a name up; it is found where left out. */
  readonly lookup?: "fails" | "is silent" | "fails late";
  /** What is known of a request: the address answers, nothing was sent, or it may have arrived. */
  readonly left: "answered" | "not sent" | "sent";
  /** Part of what is said, where more is known than that it could not be reached. */
  readonly says?: string;
}

/** Public addresses, and where on this machine they are: one answers, one refuses, one takes a connection and says nothing. */
const PLACES = { alive: "93.184.215.1", dead: "93.184.215.2", silent: "93.184.215.3" } as const;
const HERE: Readonly<Record<string, string>> = {
  [PLACES.alive]: "127.0.0.1",
  [PLACES.dead]: "127.0.0.9",
  [PLACES.silent]: "127.0.0.2",
};

/** The site that is well, whatever happens to the others. */
export const FINE = "fine";
const FINE_HOST = "fine.example";

/** A world in which one fault holds. */
export interface ChaosWorld extends AsyncDisposable {
  readonly gw: Kit;
  readonly http: Http;
  /** The site of each kind, linked to everything a site of its kind can be linked to. */
  readonly sites: ReadonlyMap<PlatformKind, Site>;
  /** Hosts that were asked for; to be cleared where it is to be seen who asks. */
  readonly asked: Set<string>;
  context(connector: Connector, at: Site | null): ConnectorContext;
  /** Where a connector sends to, and for which site it does; a host of the open web where that is everywhere. */
  originsOf(connector: Connector): readonly Place[];
}

/** The certificates of every host there is, and of those that are to be refused. */
async function certificates() {
  const [authority, stranger] = [await newAuthority(), await newAuthority()];
  const hosts = [
    ...new Set([
      ...CONNECTORS.all.flatMap((one) => originsOf(one, [])).map(({ origin }) => new URL(origin).hostname),
      ...CONNECTORS.kinds.map((kind) => `${kind}.example`),
      WEB_HOST,
      FINE_HOST,
    ]),
  ];
  const identities: Readonly<Record<string, Identity>> = {
    right: await authority.issue(hosts),
    "another name": await authority.issue(["other.example"]),
    expired: await authority.issue(hosts, new Date(Date.now() - 60_000)),
    "unknown authority": await stranger.issue(hosts),
  };
  return { authority, identities };
}

const CERTIFICATES = await certificates();

/** Opens a world with that fault. */
export async function chaos(fault: Fault): Promise<ChaosWorld> {
  await using opening = new AsyncDisposableStack();
  const rings = new Set<() => void>();
  const ring = () => [...rings].forEach((one) => one());
  const { authority, identities } = CERTIFICATES;
  const cms = await startWordPressStandIn();
  opening.defer(() => cms.stop());
  const well = opening.use(
    await startTls({ identity: identities.right!, answer: forwardedTo(cms.base_url) }),
  );
  const bad = opening.use(
    await startTls({
      identity: identities[fault.certificate ?? "right"]!,
      answer: () => Response.json({ here: true }),
      fault: fault.connection,
      stalled: ring,
    }),
  );
  const silent = Deno.listen({ hostname: HERE[PLACES.silent], port: bad.port });
  opening.defer(() => silent.close());
  const transport = opening.use(createTransport({ authorities: [authority.pem] }));
  /** The gateway's own, once there is one. */
  let clock = { now: NOW };
  const asked = new Set<string>();
  const through = (port: number): PinnedFetch => (url, init, addresses) => {
    const at = new URL(url);
    at.port = String(port);
    return transport.fetch(at, init, addresses.map((one) => HERE[one]!));
  };
  const common = { allowPrivate: [], now: () => clock.now };
  const fine = opening.use(
    createHttp({ ...common, fetch: through(well.port), lookup: () => Promise.resolve([PLACES.alive]) }),
  );
  const broken = opening.use(createHttp({
    ...common,
    fetch: through(bad.port),
    async lookup(host) {
      asked.add(host);
      if (fault.lookup !== undefined) await notFound(fault.lookup, ring);
      return (fault.addresses ?? ["alive"]).map((one) => PLACES[one]);
    },
    // What waits between two tries does not wait, and what waits for a silent server is told when it is silent.
    sleep(ms) {
      clock.now += Math.ceil(ms);
      return Promise.resolve();
    },
    alarm(_ms, ring) {
      rings.add(ring);
      return () => rings.delete(ring);
    },
  }));
  const http: Http = {
    send: (out, options) => (new URL(out.url).hostname === FINE_HOST ? fine : broken).send(out, options),
  };
  const gw = opening.use(
    await gateway({
      wayOut: http,
      settings: { upstream: SETTINGS, rateLimitToken: 0, rateLimitSite: 0 },
      sites: [site(FINE, "cms", {
        base_url: `https://${FINE_HOST}`,
        credentials: {
          cms: {
            username: cms.users.admin.username,
            application_password: cms.users.admin.application_password,
          },
        },
      })],
    }),
  );
  clock = gw.clock;
  const sites = await linked(gw);
  clock.now += 2000; // the tokens of the accounts are over now
  const ports: ConnectorPorts = {
    connectors: CONNECTORS,
    store: gw.store,
    http,
    upstream: Object.assign({}, ...CONNECTORS.all.map(valuesOf)),
    cache: new FactCaches(() => clock.now),
    now: () => clock.now,
  };
  const opened = opening.move();
  return {
    gw,
    http,
    sites,
    asked,
    context: (connector, at) =>
      makeConnectorContext(ports, { site: at, caller: null, deadline: clock.now + 60_000 }, connector),
    originsOf: (connector) => originsOf(connector, [...sites.values()]),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** A resolver that fails, or is silent until its asker has gone; late it fails all the same. */
async function notFound(how: NonNullable<Fault["lookup"]>, ring: () => void): Promise<void> {
  if (how !== "fails") ring();
  if (how === "is silent") await new Promise(() => {});
  throw Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
}
