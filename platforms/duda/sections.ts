/** Saved sections of the account, put at the end of a page at Duda. */
import { GatewayError } from "../../core/errors.ts";
import { allOrThrow } from "../../core/async.ts";
import type { Page } from "../_content/page.ts";
import type { Seen, Updated } from "../_content/post.ts";
import { DudaError } from "./errors.ts";
import { readPage, seenPage, wentLive } from "./read.ts";
import { ELEMENT, ELEMENTS, SECTION } from "./records.ts";
import { judge, requireUnchanged } from "./seen.ts";
import type { Wire } from "./wire.ts";
import { unread, written } from "./written.ts";

/** A draft page, and the name of the section that is to come on it; null where the account shows none of that id. */
export interface PreparedSection {
  readonly page: Page & Seen;
  readonly name: string | null;
}

/** The result, with the id of the new element. */
export interface Added extends Updated {
  readonly element_id: string;
}

/** Reads only: the page, which must be a draft (E_FORBIDDEN_OP), and the section. */
export async function prepareSection(wire: Wire, id: string, section: string): Promise<PreparedSection> {
  const found = await readPage(wire, id);
  judge("page", found.whole, found.siteNow, "update");
  try {
    const { data } = await wire.ask("section", SECTION, { id: section });
    return { page: seenPage(found), name: data.name };
  } catch (thrown) {
    if (!(thrown instanceof DudaError) || !thrown.missing) throw thrown;
    return { page: seenPage(found), name: null };
  }
}

/** Puts a section at the end of a page, only while the page is as it was seen. Throws E_FORBIDDEN_OP where it went live. */
export async function addSection(wire: Wire, section: string, { page }: PreparedSection): Promise<Added> {
  const id = String(page.id);
  const now = await readPage(wire, id);
  requireUnchanged("page", id, page, now.parts);
  judge("page", now.whole, now.siteNow, "update");
  const json = { type: "SECTION", element_source_id: section };
  const { element_id } = (await wire.ask("add_element", ELEMENT, { id, json })).data;
  const late = wire.forCleanup();
  try {
    const [after, { data }] = await allOrThrow(readPage(late, id), late.ask("elements", ELEMENTS, { id }));
    if (after.whole.status === "published") throw wentLive(after);
    const stands = data.some((one) => one.element_id === element_id);
    const lost = stands ? [] : [`element_id: the page shows no element ${element_id}; look at it there`];
    return { ...written(after.whole, lost), element_id, parts: after.parts };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.published) throw thrown;
    return { ...unread(now.whole, "the page", thrown), element_id };
  }
}
