/** How the pages of connecting look: in the frame of all pages, for somebody who need not have signed in. */
import type { Context } from "hono";
import type { ConnectPage } from "../identity/connections/connect_pages.ts";
import { showPage } from "./respond.tsx";

/** Answers the page; everything in it that came from elsewhere is escaped. */
export async function showConnectPage(c: Context, page: ConnectPage): Promise<Response> {
  const { status, title, paragraphs, lists = [], next } = page;
  return await showPage(
    c,
    // The address is the link itself, or holds the vendor's answer: it goes to nobody.
    { title, visitor: null, status, secretAddress: true },
    <>
      {paragraphs.map((text) => <p>{text}</p>)}
      {lists.map(({ heading, items }) => (
        <>
          <h2>{heading}</h2>
          <ul>{items.map((item) => <li>{item}</li>)}</ul>
        </>
      ))}
      {next && <a href={next.href} class="button">{next.label}</a>}
    </>,
  );
}
