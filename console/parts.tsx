/** Small parts that pages are made of: moments, tags, figures, tabs, empty states. */
import type { Child, PropsWithChildren } from "hono/jsx";

/**
 * A moment. Without scripts it stands in UTC; console/times.js puts the reader's own time in its place, and UTC beside it.
 */
export function Time({ at }: { readonly at: string | number }): Child {
  const iso = new Date(at).toISOString();
  return <time datetime={iso}>{`${iso.slice(0, 16).replace("T", " ")} UTC`}</time>;
}

/** How something does: it colours a tag, beside words that say it. */
export type Tone = "good" | "bad" | "wait" | "plain";

/** One word on how something does. */
export function Tag({ tone = "plain", children }: PropsWithChildren<{ readonly tone?: Tone }>): Child {
  return <span class={`tag ${tone}`}>{children}</span>;
}

/** A figure with what it counts, and where there is more of it. */
export interface StatParts {
  readonly label: string;
  readonly value: string | number;
  readonly hint?: string;
  readonly href?: string;
}

/** Figures side by side. */
export function Stats({ all }: { readonly all: readonly StatParts[] }): Child {
  return (
    <dl class="stats">
      {all.map(({ label, value, hint, href }) => (
        <div>
          <dt>{href === undefined ? label : <a href={href}>{label}</a>}</dt>
          <dd>{value}</dd>
          {hint && <dd class="hint">{hint}</dd>}
        </div>
      ))}
    </dl>
  );
}

/** What stands where there is nothing yet: what it would be, and what to do first. */
export function Empty(
  { title, action, children }: PropsWithChildren<{
    readonly title: string;
    readonly action?: { readonly href: string; readonly label: string };
  }>,
): Child {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      <p>{children}</p>
      {action && <a class="button" href={action.href}>{action.label}</a>}
    </div>
  );
}

/** Views of one page, each with an address of its own. */
export function Tabs(
  { label, tabs }: {
    readonly label: string;
    readonly tabs: readonly { readonly href: string; readonly label: string; readonly current: boolean }[];
  },
): Child {
  return (
    <nav class="tabs" aria-label={label}>
      <ul>
        {tabs.map((tab) => (
          <li>
            <a href={tab.href} aria-current={tab.current ? "page" : undefined}>{tab.label}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const PAGE_RECORDS = 50;

/** A page of a list in the order that it has; `after` is the id that the page before ended with. */
export function pageOf<One>(
  all: readonly One[],
  after: string,
  idOf: (one: One) => string,
  most = PAGE_RECORDS,
): { readonly shown: readonly One[]; readonly next: string | null } {
  const start = all.findIndex((one) => idOf(one) === after) + 1;
  const shown = all.slice(start, start + most);
  return { shown, next: start + most < all.length ? idOf(shown.at(-1)!) : null };
}

/** The ways on from a page of a list, which `after` in the address tells from the first; `query` is what else it asks for. */
export function Pages(
  { path, query = {}, after, next }: {
    readonly path: string;
    readonly query?: Readonly<Record<string, string>>;
    readonly after: string;
    readonly next: string | null;
  },
): Child {
  if (after === "" && next === null) return null;
  const at = (more: Record<string, string>) => {
    const given = Object.entries({ ...query, ...more }).filter(([, value]) => value !== "");
    return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
  };
  return (
    <nav aria-label="Pages of the list">
      <p class="ways">
        {after !== "" && <a href={at({})}>First page</a>}
        {next !== null && <a href={at({ after: next })}>Next page</a>}
      </p>
    </nav>
  );
}

/** The first few of a list in words, and how many more there are. */
export function fewOf(all: readonly string[], none: string, most = 20): string {
  if (all.length === 0) return none;
  const more = all.length - most;
  return `${all.slice(0, most).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** A part of a page with a heading of its own. */
export function Section(
  { id, title, children }: PropsWithChildren<{ readonly id: string; readonly title: string }>,
): Child {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}
