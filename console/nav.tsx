/** The navigation of somebody who has signed in: groups of pages, as each role sees them, at the side or folded away. */
import type { Child } from "hono/jsx";
import type { Visitor } from "../identity/visitors.ts";
import { Form, Submit } from "./form.tsx";

/** Who sees an entry: `admin` is an admin or the master token. */
type Least = "member" | "admin" | "master";

/** What somebody who has signed in can go to; a page that comes is one line here. */
export const NAVIGATION = [
  { href: "/admin", label: "Overview", role: "member", group: "" },
  { href: "/admin/approvals", label: "Approvals", role: "member", group: "" },
  { href: "/admin/sites", label: "Sites", role: "admin", group: "Sites" },
  { href: "/admin/freezes", label: "Freezes", role: "admin", group: "Sites" },
  { href: "/admin/snapshots", label: "Snapshots", role: "admin", group: "Sites" },
  { href: "/admin/webhooks", label: "Webhooks", role: "admin", group: "Sites" },
  { href: "/admin/try", label: "Try a tool", role: "member", group: "Sites" },
  { href: "/admin/changes", label: "Changes", role: "member", group: "History" },
  { href: "/admin/audit", label: "Audit", role: "member", group: "History" },
  { href: "/admin/users", label: "People", role: "admin", group: "Access" },
  { href: "/admin/tokens", label: "Tokens", role: "member", group: "Access" },
  { href: "/admin/connections", label: "Connected accounts", role: "member", group: "Access" },
  { href: "/admin/clients", label: "Connected clients", role: "member", group: "Access" },
  { href: "/admin/repo", label: "Repository app", role: "master", group: "Access" },
  { href: "/docs", label: "API reference", role: "member", group: "You" },
  { href: "/admin/account", label: "Your account", role: "member", group: "You" },
] as const satisfies readonly { href: string; label: string; role: Least; group: string }[];

/** The address of a page of the navigation. */
export type NavigationAddress = (typeof NAVIGATION)[number]["href"];

/** Whether there is a page at that address, which the navigation has. */
export const hasPage = (address: string): boolean => NAVIGATION.some(({ href }) => href === address);

/** The name of this product, as pages show it. */
export const PRODUCT = "Site operations gateway";

/** What the navigation shows. */
export interface NavParts {
  readonly visitor: Visitor;
  readonly current?: NavigationAddress | undefined;
  /** How many requests wait for a decision of who looks at it. */
  readonly waiting: number;
}

const maySee = ({ caller, user }: Visitor, role: Least): boolean =>
  role === "member" || caller?.user === null || (role === "admin" && user?.role === "admin");

/** The mark: a gate that stands open, over what goes through. */
export function Mark(): Child {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill="currentColor" />
      <path
        d="M8 25V15a8 8 0 0 1 16 0v10"
        fill="none"
        stroke="var(--on-accent)"
        stroke-width="3"
        stroke-linecap="round"
      />
      <path
        d="M13 20l3 3 6-7"
        fill="none"
        stroke="var(--on-accent)"
        stroke-width="3"
        stroke-linecap="round"
      />
    </svg>
  );
}

/** The mark and the name, which lead to where somebody begins. */
export function Brand({ href }: { readonly href: string }): Child {
  return (
    <a class="brand" href={href}>
      <Mark />
      <span>{PRODUCT}</span>
    </a>
  );
}

function Groups({ visitor, current, waiting }: NavParts): Child {
  const seen = NAVIGATION.filter(({ role }) => maySee(visitor, role));
  return [...Map.groupBy(seen, ({ group }) => group)].map(([group, entries]) => (
    <>
      {group !== "" && <p class="group" aria-hidden="true">{group}</p>}
      <ul aria-label={group || undefined}>
        {entries.map(({ href, label }) => (
          <li>
            <a href={href} aria-current={href === current ? "page" : undefined}>
              {href === "/admin/account" && visitor.user === null ? "Master token" : label}
              {href === "/admin/approvals" && (
                <span class="count" data-waiting hidden={waiting === 0}>{waiting}</span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </>
  ));
}

function SignedIn({ visitor }: NavParts): Child {
  return (
    <Form visitor={visitor} action="/admin/sign-out" class="sign-out">
      <span class="who">{visitor.user?.email ?? "Master token"}</span>
      <Submit quiet>Sign out</Submit>
    </Form>
  );
}

/**
 * The pages at the side where there is room, and behind a button where there is none. Both are in the page and one is
 * shown, so that it needs no script.
 */
export function Navigation(parts: NavParts): Child {
  return (
    <>
      <header class="side">
        <Brand href="/admin" />
        <nav aria-label="Pages">
          <Groups {...parts} />
        </nav>
        <SignedIn {...parts} />
      </header>
      <header class="top">
        <Brand href="/admin" />
        <details class="menu">
          <summary>
            Menu
            <span class="count" data-waiting hidden={parts.waiting === 0}>{parts.waiting}</span>
          </summary>
          <div>
            <nav aria-label="Pages">
              <Groups {...parts} />
            </nav>
            <SignedIn {...parts} />
          </div>
        </details>
      </header>
    </>
  );
}
