/** A small agency's client: sixty days of visits and searches, a plan in a sheet, two campaigns, a folder. */
import { emptyWorld, type Search, type Visit, type World } from "./world.ts";

/** What the seeded account holds. */
export const SEEDED = {
  property: "123456",
  search_site: "sc-domain:client.example",
  spreadsheet: "sheet_plan_0000000001",
  customer: "1234567890",
  /** A manager account, and a customer that is reached by way of it. */
  manager: "5550001111",
  managed: "5550002222",
} as const;

const DAYS = 60;
const DAY_MS = 24 * 60 * 60 * 1000;
const CHANNELS = ["Organic Search", "Direct", "Referral", "Paid Search"];
const COUNTRIES = [["Austria", "aut"], ["Germany", "deu"], ["Switzerland", "che"]] as const;
const DEVICES = ["desktop", "mobile"];
const PAGES = ["/", "/roofs", "/gutters", "/contact"];
const QUERIES = [
  "roof repair",
  "gutter cleaning",
  "roofer | vienna",
  "flat roof cost",
  "slate roof",
  "skylight",
];

/** A generator of numbers from 0 to 1 that is the same each time. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}

function visits(days: readonly string[], next: () => number): Visit[] {
  return days.flatMap((date) =>
    CHANNELS.flatMap((channel, at) =>
      DEVICES.flatMap((device) => {
        const [country] = COUNTRIES[Math.floor(next() * COUNTRIES.length)]!;
        const page = PAGES[Math.floor(next() * PAGES.length)]!;
        const sessions = Math.floor(next() * (40 - at * 8)) + 1;
        const users = Math.max(1, Math.floor(sessions * 0.8));
        const engaged = Math.floor(sessions * 0.6);
        return {
          date,
          channel,
          country,
          device,
          page,
          sessions,
          users,
          newUsers: Math.floor(users / 2),
          views: sessions * 2 + at,
          engaged,
          seconds: sessions * 73,
          events: sessions * 9,
          keyEvents: Math.floor(engaged / 5),
          revenue: Math.round(engaged * 1250) / 100,
        };
      })
    )
  );
}

/** Half of a small site's searches are made by too few people for Google to name them (docs/upstreams/google.md). */
const unnamed = (date: string, host: string): Search => ({
  date,
  query: "",
  page: `https://${host}${PAGES[0]}`,
  country: COUNTRIES[0]![1],
  device: "MOBILE",
  type: "web",
  clicks: 3,
  impressions: 40,
  position: 9.5,
  unnamed: true,
});

function searches(days: readonly string[], host: string, next: () => number): Search[] {
  return days.flatMap((date) => [
    ...QUERIES.map((query, at) => {
      const impressions = Math.floor(next() * 200) + 20;
      const [, country] = COUNTRIES[at % COUNTRIES.length]!;
      return {
        date,
        query,
        page: `https://${host}${PAGES[at % PAGES.length]}`,
        country,
        device: DEVICES[at % 2]!.toUpperCase(),
        type: "web",
        clicks: Math.floor(impressions * (0.3 / (at + 1))),
        impressions,
        position: Math.round((1 + at * 2 + next()) * 10) / 10,
      };
    }),
    unnamed(date, host),
  ]);
}

/** Ads by campaign and day, as Google nests them. */
function campaigns(customer: string, days: readonly string[], next: () => number) {
  return days.flatMap((date) =>
    ["Roofs", "Gutters"].map((name, at) => {
      const id = String(9_007_199_254_740_993n + BigInt(at));
      const clicks = Math.floor(next() * 50);
      return {
        customer: { resourceName: `customers/${customer}`, id: customer, currencyCode: "EUR" },
        campaign: { resourceName: `customers/${customer}/campaigns/${id}`, id, name, status: "ENABLED" },
        metrics: {
          clicks: String(clicks),
          impressions: String(clicks * 20),
          costMicros: String(clicks * 1_250_000),
          ctr: 0.05,
        },
        segments: { date },
      };
    })
  );
}

/** A customer as Google nests it. */
const customer = (id: string, descriptiveName: string, manager = false, status = "ENABLED") => ({
  resourceName: `customers/${id}`,
  id,
  descriptiveName,
  manager,
  status,
});

/** A customer below a manager account, whole numbers as texts; at level 0 the manager itself. */
function client(manager: string, level: number, one: ReturnType<typeof customer>) {
  const resourceName = `customers/${manager}/customerClients/${one.id}`;
  return { customerClient: { ...one, resourceName, clientCustomer: one.resourceName, level: String(level) } };
}

/** The world of one account, around a moment. */
export function seeded(account: string, now: number): World {
  const world = emptyWorld();
  const days = Array.from(
    { length: DAYS },
    (_, at) => new Date(now - (DAYS - at) * DAY_MS).toISOString().slice(0, 10),
  );
  const next = random(7);
  const readers = () => new Set([account]);
  world.properties.set(SEEDED.property, {
    readers: readers(),
    visits: visits(days, next),
    currency: "EUR",
    timeZone: "Europe/Vienna",
    name: "Client – web",
    parent: "54516992",
    parentName: "Client",
  });
  world.searchSites.set(SEEDED.search_site, {
    readers: readers(),
    searches: searches(days, "client.example", next),
  });
  world.spreadsheets.set(SEEDED.spreadsheet, {
    readers: readers(),
    sheets: {
      Plan: [
        ["Month", "Topic", "Budget", "Done"],
        ["2026-10", "Roofs", { shown: "€ 1,200.00", stored: 1200, entered: "=600*2" }, true],
        ["2026-11", "Gutters", { shown: "€ 900.00", stored: 900, entered: 900 }, false],
        ["", "", "", ""],
      ],
      "It's mine": [["quoted"]],
      Empty: [],
    },
  });
  world.customers.set(SEEDED.customer, {
    readers: readers(),
    manager: null,
    rows: {
      campaign: campaigns(SEEDED.customer, days, next),
      customer: [{
        customer: {
          ...customer(SEEDED.customer, "Client"),
          currencyCode: "EUR",
          timeZone: "Europe/Vienna",
        },
        metrics: { clicks: "4210", costMicros: "1873450000" }, // whole numbers are texts there
      }],
    },
  });
  addManaged(world, readers);
  return world;
}

/** A manager account, and the customer that it manages. */
function addManaged(world: World, readers: () => Set<string>): void {
  world.customers.set(SEEDED.manager, {
    readers: readers(),
    manager: null,
    rows: {
      customer: [{ customer: customer(SEEDED.manager, "Agency", true) }],
      customer_client: [
        client(SEEDED.manager, 0, customer(SEEDED.manager, "Agency", true)),
        client(SEEDED.manager, 1, customer(SEEDED.managed, "Client by the agency")),
      ],
    },
  });
  world.customers.set(SEEDED.managed, {
    readers: readers(),
    manager: SEEDED.manager,
    rows: { customer: [{ customer: customer(SEEDED.managed, "Client by the agency") }] },
  });
}
