/** The frame of every page: title, navigation of somebody who has signed in, content. */
import type { Child, PropsWithChildren } from "hono/jsx";
import { Form, Submit } from "./form.tsx";
import type { Visitor } from "../identity/visitors.ts";

/** What somebody who has signed in can go to. */
export const NAVIGATION = [
  { href: "/admin/approvals", label: "Approvals", role: "member" },
  { href: "/admin/tokens", label: "Tokens", role: "member" },
  { href: "/admin/connections", label: "Connected accounts", role: "member" },
  { href: "/admin/clients", label: "Connected clients", role: "member" },
  { href: "/admin/freezes", label: "Freezes", role: "admin" },
  { href: "/admin/webhooks", label: "Webhooks", role: "admin" },
  { href: "/admin/account", label: "Your account", role: "member" },
] as const;

/** What a page is framed with. */
export interface LayoutParts {
  readonly title: string;
  /** Who looks at it; null for a page without forms. */
  readonly visitor: Visitor | null;
  readonly stylesheet: string;
  /** A script it needs beside what works without any. */
  readonly script?: string;
  /** How many things wait there for who looks at it; stands before the title in the browser's own lists. */
  readonly count?: number | undefined;
  /** How many requests wait for a decision of who looks at it, where that is known. */
  readonly waiting?: number | undefined;
  /** Whether it is to take more of a wide screen. */
  readonly wide?: boolean;
  /** The page of the navigation that this is. */
  readonly current?: (typeof NAVIGATION)[number]["href"];
}

/** A title as the browser's own lists have it. */
export const titleText = (title: string): string => `${title} · Site operations gateway`;

/** A whole document. */
export function Layout(parts: PropsWithChildren<LayoutParts>): Child {
  const { title, visitor, stylesheet, script, count, wide, children } = parts;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${count ? `(${count}) ` : ""}${titleText(title)}`}</title>
        <link rel="stylesheet" href={stylesheet} />
        {script && <script type="module" src={script}></script>}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        {visitor?.user && <Header {...parts} visitor={visitor} />}
        <main id="main" tabindex={-1} class={wide ? "wide" : undefined}>
          <h1>{title}</h1>
          {children}
        </main>
      </body>
    </html>
  );
}

function Header({ visitor, current, waiting = 0 }: LayoutParts & { visitor: Visitor }): Child {
  return (
    <header>
      <nav aria-label="Pages">
        <ul>
          {NAVIGATION.filter(({ role }) => role === "member" || visitor.user?.role === role).map((
            { href, label },
          ) => (
            <li>
              <a href={href} aria-current={href === current ? "page" : undefined}>
                {label}
                {href === "/admin/approvals" && (
                  <span class="count" data-waiting hidden={waiting === 0}>{waiting}</span>
                )}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <Form visitor={visitor} action="/admin/sign-out" class="sign-out">
        <span class="who">{visitor.user?.email}</span>
        <Submit quiet>Sign out</Submit>
      </Form>
    </header>
  );
}
