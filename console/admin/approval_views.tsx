/** What a request shows beside its texts: pictures as they are and would be, pages drawn where nothing runs, links to previews. */
import { counted, formOf } from "../../core/one_line.ts";
import type { Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { ApprovalViews, PictureReport, PicturesReport, ShownApproval } from "../../admin/ports.ts";
import { GatewayError } from "../../core/errors.ts";
import { seen } from "../../core/unseen.ts";
import type { Person } from "../../identity/visitors.ts";
import { textBytes } from "./approval_text.tsx";
import { fieldName, type Names, siteName } from "./approval_words.ts";
import { asPerson, type PagesParts, worded } from "./frame.tsx";
import { time } from "./words.ts";

/** Widths that a page is drawn in: a phone's, and a desk's. */
const WIDTHS = [375, 1280] as const;
type Width = (typeof WIDTHS)[number];
/** So many are drawn on a page; of the others it links the code. */
const DRAWN_MAX = 5;
const CAPTION_CHARACTERS = 200;
/** What of a page they may take, in bytes, and what the markup of one does. */
const ROOM_BYTES = 20 * 1024;
const FIGURE_BYTES = 500;
const DOCUMENT_BYTES = 600;
const SHA_CHARACTERS = 7;

/** What a drawn page is answered with: its policy lets it do nothing, and only our own pages frame it. */
const DRAWN_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self'",
  "x-frame-options": "SAMEORIGIN",
  "x-content-type-options": "nosniff",
  "x-dns-prefetch-control": "off",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
  "x-robots-tag": "noindex",
} as const;

/** What a picture and a text of a request are answered with beside their type. */
const FILE_HEADERS = {
  "content-security-policy": "default-src 'none'; sandbox",
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "x-robots-tag": "noindex",
} as const;

/** Why a page is not drawn is read in its frame. */
const TEXT = {
  ...FILE_HEADERS,
  "x-frame-options": "SAMEORIGIN",
  "content-type": "text/plain; charset=utf-8",
  "cache-control": "no-store",
};
/** A picture may be asked for again while somebody reads; the address changes with where it comes from. */
const KEPT = "private, max-age=300";

/** Adds the routes below a request; each is answered to who may see the request alone. */
export function viewRoutes(app: Hono, parts: PagesParts, below: string): void {
  const served = (c: Context, work: (person: Person) => Promise<Response>) =>
    asPerson(parts, c, async (person) => {
      try {
        return await work(person);
      } catch (thrown) {
        const { message, status } = worded(c, thrown);
        return c.body(`${message}.\n`, status as ContentfulStatusCode, TEXT);
      }
    });
  const document = async (c: Context, person: Person, as: "drawn" | "code") => {
    const views = await parts.ports.views();
    const number = Number(c.req.param("number"));
    return await views.document(person.caller, c.req.param("id") ?? "", number, as);
  };

  app.get(`${below}/:id/pictures/:name`, (c) =>
    served(c, async (person) => {
      const views = await parts.ports.views();
      const { id, name } = c.req.param();
      const { type, bytes } = await views.picture(person.caller, id, name);
      return c.body(bytes, 200, { ...FILE_HEADERS, "content-type": type, "cache-control": KEPT });
    }));
  app.get(`${below}/:id/documents/:number`, (c) =>
    served(c, async (person) => {
      // Outside of our frame its links would lead on.
      const into = c.req.header("sec-fetch-dest") ?? "iframe";
      if (into !== "iframe") {
        throw new GatewayError("E_FORBIDDEN", "It is drawn within the page of its request alone; open that");
      }
      return c.body(await document(c, person, "drawn"), 200, DRAWN_HEADERS);
    }));
  app.get(
    `${below}/:id/documents/:number/code`,
    (c) => served(c, async (person) => c.body(await document(c, person, "code"), 200, TEXT)),
  );
}

/** What of a request is looked at beside its texts; nothing of one that ended undone, or cannot be planned. */
export async function viewsOf({ ports }: PagesParts, shown: ShownApproval): Promise<ApprovalViews | null> {
  const shows = shown.preview !== null || shown.answer !== undefined;
  return shows ? await (await ports.views()).of(shown) : null;
}

/** Whether a page has something of ours to load for them. */
export const loadsOf = (views: ApprovalViews | null) => ({
  pictures: views?.pictures.some(({ now, then }) => [...now, ...then].some(({ name }) => name !== null)) ??
    false,
  frames: (views?.documents.length ?? 0) > 0,
});

/** What is left of a page's room for them. */
export interface Room {
  bytes: number;
}

/** Begins a page. */
export const viewsRoom = (): Room => ({ bytes: ROOM_BYTES });

/** Takes the room of markup with texts that stand in it so often; false where there is none. */
function takes(
  room: Room,
  markup: number,
  texts: readonly (readonly [text: string | null, times: number])[],
): boolean {
  const cost = texts.reduce(
    (sum, [text, times]) => sum + times * (text === null ? 0 : textBytes(short(text))),
    markup,
  );
  if (room.bytes < cost) return false;
  room.bytes -= cost;
  return true;
}

const short = (text: string) =>
  seen(text.length > CAPTION_CHARACTERS ? `${text.slice(0, CAPTION_CHARACTERS)} …` : text);

function figureOf({ name, address, alt, why }: PictureReport, path: string): Child {
  const described = alt ? short(alt) : null;
  return (
    <figure>
      {name !== null && (
        <img
          src={`${path}/pictures/${name}`}
          alt={described ?? "A picture that nobody has described"}
          loading="lazy"
          decoding="async"
        />
      )}
      <figcaption dir="auto">
        {why !== null && <p>{`It is not shown: ${seen(why)}.`}</p>}
        <p>{described === null ? "No description." : `Described as “${described}”.`}</p>
        {address !== null && <p>{short(address)}</p>}
        {name !== null && (
          <p>
            <a href={`${path}/pictures/${name}`}>Open it by itself</a>, or see why it cannot be shown
          </p>
        )}
      </figcaption>
    </figure>
  );
}

function picturesOf({ field, now, then }: PicturesReport, path: string): Child {
  const side = (title: string, all: readonly PictureReport[]) =>
    all.length > 0 && (
      <div>
        <h4>{title}</h4>
        {all.map((one) => figureOf(one, path))}
      </div>
    );
  return (
    <section>
      <h3>{fieldName(field)}</h3>
      <div class="pictures">
        {side("Now", now)}
        {side("Then", then)}
      </div>
    </section>
  );
}

/** The pictures, under a heading of that level's next. */
export function pictureSections({ pictures, more }: ApprovalViews, path: string, room: Room): Child {
  if (pictures.length === 0) return null;
  let left = more;
  const fit = (all: readonly PictureReport[]) => {
    const kept = all.filter(({ address, alt, why }) =>
      takes(room, FIGURE_BYTES, [[address, 1], [alt, 2], [why, 1]])
    );
    left += all.length - kept.length;
    return kept;
  };
  const sections = pictures.map(({ field, now, then }) => ({ field, now: fit(now), then: fit(then) }))
    .filter(({ now, then }) => now.length + then.length > 0);
  return (
    <>
      <h2>Pictures</h2>
      {sections.map((one) => picturesOf(one, path))}
      {left > 0 && (
        <p>
          {`${counted(left, "more picture")} ${
            formOf(left, "is", "are")
          } named in the texts above, and not shown here.`}
        </p>
      )}
    </>
  );
}

/** Links to deployed previews. */
function deploymentLinks({ deployments }: ApprovalViews, names: Names, isMade: boolean): Child {
  if (deployments.length === 0) return null;
  return (
    <>
      <h2>Where a preview is deployed</h2>
      <p class="hint">
        {isMade
          ? "What was written, as the hosting reports it."
          : "As the hosting reports it now: what this request would write is not in it yet."}
      </p>
      <ul>
        {deployments.map(({ site_id, address, branch, commit_sha, created_on }) => (
          <li>
            {`${siteName(site_id, names)}: `}
            <a href={address} rel="noopener noreferrer" target="_blank">{seen(address)}</a>
            {branch !== null && ` of the branch ${seen(branch)}`}
            {commit_sha !== null && `, commit ${seen(commit_sha.slice(0, SHA_CHARACTERS))}`}
            {created_on !== null && Number.isFinite(Date.parse(created_on)) && `, ${time(created_on)}`}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The width that somebody wants pages drawn in. */
const widthOf = (c: Context): Width =>
  WIDTHS.find((one) => String(one) === c.req.query("frame")) ?? WIDTHS[0];

function drawnPages({ documents }: ApprovalViews, path: string, c: Context, room: Room): Child {
  if (documents.length === 0) return null;
  const fit = documents.filter(({ title }) => takes(room, DOCUMENT_BYTES, [[title, 4]]));
  const width = widthOf(c);
  const to = (frame: Width) => `?${new URLSearchParams({ ...c.req.query(), frame: String(frame) })}#drawn`;
  return (
    <>
      <h2 id="drawn">How it would look</h2>
      <p class="hint">
        Drawn by itself: without scripts, without pictures and styles from elsewhere, and without the site
        around it. Its links lead nowhere.
      </p>
      <p class="ways">
        {WIDTHS.map((one) =>
          one === width
            ? <strong>{`${one} pixels wide`}</strong>
            : <a href={to(one)}>{`Draw it ${one} pixels wide`}</a>
        )}
      </p>
      {fit.map(({ number, field, title, is_short }) => {
        const name = title === null ? fieldName(field) : `${fieldName(field)} of “${short(title)}”`;
        return (
          <section>
            <h3 dir="auto">{name}</h3>
            {number < DRAWN_MAX && (
              <div class="drawn" role="region" aria-label={`Drawn: ${name}`} tabindex={0}>
                <iframe
                  src={`${path}/documents/${number}`}
                  sandbox=""
                  referrerpolicy="no-referrer"
                  loading="lazy"
                  title={`Drawn: ${name}`}
                  width={String(width)}
                  height={is_short ? "160" : "340"}
                />
              </div>
            )}
            <p>
              <a href={`${path}/documents/${number}/code`}>{`The code as text: ${name}`}</a>
            </p>
          </section>
        );
      })}
      {fit.length < documents.length && (
        <p>{`${documents.length - fit.length} more stand in what the agent sent.`}</p>
      )}
    </>
  );
}

/** All of them, on the page of one request. */
export function viewsSections(
  views: ApprovalViews | null,
  { path, names, isMade, c }: {
    readonly path: string;
    readonly names: Names;
    /** Whether it was carried out. */
    readonly isMade: boolean;
    readonly c: Context;
  },
): Child {
  if (views === null) return null;
  const room = viewsRoom();
  return (
    <>
      {drawnPages(views, path, c, room)}
      {pictureSections(views, path, room)}
      {deploymentLinks(views, names, isMade)}
    </>
  );
}
