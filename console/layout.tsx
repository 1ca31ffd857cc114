/** The frame of every page: title, navigation of somebody who has signed in, content. */
import type { Child, PropsWithChildren } from "hono/jsx";
import type { Visitor } from "../identity/visitors.ts";
import { Brand, Navigation, type NavigationAddress, PRODUCT } from "./nav.tsx";

/** What a page is framed with. */
export interface LayoutParts {
  readonly title: string;
  /** Who looks at it; null for a page without forms. */
  readonly visitor: Visitor | null;
  readonly stylesheet: string;
  /** Stylesheets that come before it. */
  readonly styles?: readonly string[];
  /** Left out where the page asks for as little as can be. */
  readonly icon?: string | undefined;
  /** Scripts it loads beside what works without any. */
  readonly scripts?: readonly string[];
  /** How many things wait there for who looks at it; stands before the title in the browser's own lists. */
  readonly count?: number | undefined;
  /** How many requests wait for a decision of who looks at it, where that is known. */
  readonly waiting?: number | undefined;
  /** Whether it is to take more of a wide screen. */
  readonly wide?: boolean;
  /** The page of the navigation that this is. */
  readonly current?: NavigationAddress;
  /** What people come to it for; stands beside its title. */
  readonly action?: { readonly href: string; readonly label: string } | undefined;
}

/** A title as the browser's own lists have it. */
export const titleText = (title: string): string => `${title} · ${PRODUCT}`;

/** A whole document. */
export function Layout(parts: PropsWithChildren<LayoutParts>): Child {
  const { title, visitor, stylesheet, styles = [], icon, scripts = [], count, wide, children } = parts;
  const isIn = visitor !== null && visitor.caller !== null;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${count ? `(${count}) ` : ""}${titleText(title)}`}</title>
        {icon && <link rel="icon" href={icon} type="image/svg+xml" />}
        {[...styles, stylesheet].map((one) => <link rel="stylesheet" href={one} />)}
        {scripts.map((script) => <script type="module" src={script}></script>)}
      </head>
      <body class={isIn ? "framed" : "alone"}>
        <a class="skip" href="#main">Skip to the content</a>
        {isIn
          ? <Navigation visitor={visitor} current={parts.current} waiting={parts.waiting ?? 0} />
          : (
            <header class="plain">
              <Brand href="/" />
            </header>
          )}
        <main id="main" tabindex={-1} class={wide ? "wide" : undefined}>
          {parts.action
            ? (
              <div class="title">
                <h1>{title}</h1>
                <a class="button" href={parts.action.href}>{parts.action.label}</a>
              </div>
            )
            : <h1>{title}</h1>}
          {children}
        </main>
      </body>
    </html>
  );
}
