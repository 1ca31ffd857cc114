/** The stand-in's routes for media: upload by raw bytes or form, then describe. */
import type { Hono } from "hono";
import { wallTime } from "./dates.ts";
import { refused, RestError } from "./errors.ts";
import { imageFacts } from "./images.ts";
import type { ParamRules } from "./params.ts";
import { can } from "./people.ts";
import { mayEdit, viewMedia } from "./post_view.ts";
import { rawText } from "./post_write.ts";
import { type Answer, type Ask, paged, PAGING, type RestEnv, restRoot, route } from "./rest.ts";
import { addPost, type MediaFile, type Post, type State, uniqueSlug } from "./state.ts";
import { slugify } from "./text.ts";

type Medium = Post & { file: MediaFile };

const RULES: ParamRules = {
  id: { type: "integer" },
  title: { type: "any" },
  caption: { type: "any" },
  description: { type: "any" },
  alt_text: { type: "string" },
  post: { type: "integer" },
  slug: { type: "string" },
  author: { type: "integer" },
  status: { type: "string" },
};
const IMAGES = ["png", "jpg", "jpeg", "jpe", "gif", "webp"];
const OTHERS: Readonly<Record<string, string>> = {
  pdf: "application/pdf",
  txt: "text/plain",
  csv: "text/csv",
  mp4: "video/mp4",
  mp3: "audio/mpeg",
  zip: "application/zip",
};

function isMedium(post: Post | undefined): post is Medium {
  return post?.file !== undefined;
}

function fileName(disposition: string | null): string {
  if (disposition === null) {
    throw new RestError("rest_upload_no_content_disposition", "No Content-Disposition supplied.", 400);
  }
  const [, quoted, bare] = /;\s*filename\s*=\s*(?:"([^"]*)"|([^;]*))/.exec(disposition) ?? [];
  const name = (quoted ?? bare ?? "").trim();
  if (name !== "") return name;
  throw new RestError(
    "rest_upload_invalid_disposition",
    "Invalid Content-Disposition supplied. Content-Disposition needs to be formatted as " +
      '`attachment; filename="image.png"` or similar.',
    400,
  );
}

/** `sanitize_file_name`, roughly. */
function safeName(name: string): string {
  return name.split("/").at(-1)!.replaceAll(/[?[\]\\=<>:;,'"&$#*()|~`!{}%+’«»”“\0]/g, "")
    .replaceAll(/[\r\n\t -]+/g, "-").replaceAll(/^[.\-_]+|[.\-_]+$/g, "");
}

async function sent(ask: Ask): Promise<{ bytes: Uint8Array<ArrayBuffer>; name: string }> {
  const type = ask.headers.get("content-type");
  if (type?.startsWith("multipart/form-data")) {
    const form = await new Response(ask.bytes, { headers: { "content-type": type } }).formData();
    const file = form.get("file");
    if (!(file instanceof File)) throw new RestError("rest_upload_no_data", "No data supplied.", 400);
    return { bytes: new Uint8Array(await file.arrayBuffer()), name: file.name };
  }
  if (ask.bytes.length === 0) throw new RestError("rest_upload_no_data", "No data supplied.", 400);
  if (type === null) throw new RestError("rest_upload_no_content_type", "No Content-Type supplied.", 400);
  return { bytes: ask.bytes, name: fileName(ask.headers.get("content-disposition")) };
}

/** The stored file; the bytes decide over the name, and what is neither image nor known is refused. */
function store(state: State, bytes: Uint8Array<ArrayBuffer>, asked: string): MediaFile {
  const name = safeName(asked);
  const dot = name.lastIndexOf(".");
  const extension = dot < 0 ? "" : name.slice(dot + 1).toLowerCase();
  const image = IMAGES.includes(extension) ? imageFacts(bytes) : null;
  const mime_type = image?.mime_type ?? OTHERS[extension];
  if (mime_type === undefined || dot <= 0) {
    const message = "Sorry, you are not allowed to upload this file type.";
    throw new RestError("rest_upload_sideload_error", message, 500);
  }
  const stem = name.slice(0, dot);
  const same = image === null || image.extension === extension ||
    (extension.startsWith("jp") && image.extension === "jpg");
  const end = same ? extension : image.extension;
  const folder = wallTime(state.now(), state.timezone).slice(0, 7).replace("-", "/");
  const taken = new Set([...state.posts.values()].map((post) => post.file?.path));
  let path = `${folder}/${stem}.${end}`;
  for (let n = 1; taken.has(path); n++) path = `${folder}/${stem}-${n}.${end}`;
  return { path, mime_type, bytes, width: image?.width ?? 0, height: image?.height ?? 0, alt_text: "" };
}

function describe(ask: Ask, medium: Medium): void {
  const { params, state } = ask;
  medium.title = rawText(params["title"]) ?? medium.title;
  medium.excerpt = rawText(params["caption"]) ?? medium.excerpt;
  medium.content = rawText(params["description"]) ?? medium.content;
  if (params["alt_text"] !== undefined) medium.file.alt_text = params["alt_text"] as string;
  if (params["post"] !== undefined) medium.parent = params["post"] as number;
  if (params["slug"]) {
    medium.slug = uniqueSlug(state, slugify(params["slug"] as string), "attachment", 0, medium.id);
  }
  medium.modified = state.now();
}

async function upload(ask: Ask): Promise<Answer> {
  const { state, person } = ask;
  if (!can(person, "upload_files")) {
    throw refused(person, "rest_cannot_create", "Sorry, you are not allowed to create posts as this user.");
  }
  const parent = state.posts.get(ask.params["post"] as number);
  if (ask.params["post"] && (parent === undefined || !mayEdit(person, parent))) {
    throw refused(person, "rest_cannot_edit", "Sorry, you are not allowed to upload media to this post.");
  }
  const { bytes, name } = await sent(ask);
  const file = store(state, bytes, name);
  const title = file.path.split("/").at(-1)!.replace(/\.[^.]+$/, "");
  const date = { at: state.now(), floating: false };
  const post = addPost(state, {
    type: "attachment",
    author: person!.id,
    status: "inherit",
    title,
    date,
    file,
  });
  post.slug = uniqueSlug(state, slugify(title), "attachment", 0, post.id);
  const medium = post as Medium;
  describe(ask, medium);
  const location = `${restRoot(state)}wp/v2/media/${post.id}`;
  return { body: viewMedia(state, medium, true), status: 201, headers: { location } };
}

function find(ask: Ask): Medium {
  const post = ask.state.posts.get(ask.params["id"] as number);
  if (!isMedium(post)) throw new RestError("rest_post_invalid_id", "Invalid post ID.", 404);
  return post;
}

function update(ask: Ask): Answer {
  const medium = find(ask);
  if (!mayEdit(ask.person, medium)) {
    throw refused(ask.person, "rest_cannot_edit", "Sorry, you are not allowed to edit this post.");
  }
  describe(ask, medium);
  return { body: viewMedia(ask.state, medium, true) };
}

function list(ask: Ask): Answer {
  const search = ((ask.params["search"] as string | undefined) ?? "").toLowerCase();
  const mime = ask.params["mime_type"] as string | undefined;
  const type = ask.params["media_type"] as string | undefined;
  const modified = ask.params["orderby"] === "modified";
  const sign = ask.params["order"] === "asc" ? -1 : 1;
  const rows = [...ask.state.posts.values()].filter(isMedium)
    .filter(({ file }) => mime === undefined || file.mime_type === mime)
    .filter(({ file }) => type === undefined || file.mime_type.startsWith(`${type}/`))
    .filter((row) => `${row.title}\n${row.file.path}`.toLowerCase().includes(search))
    .sort((a, b) => sign * ((modified ? b.modified - a.modified : b.date.at - a.date.at) || b.id - a.id));
  return paged(
    ask,
    "/wp/v2/media",
    rows,
    (row) => {
      const { media_details, ...shown } = viewMedia(ask.state, row, ask.params["context"] === "edit");
      // Its parts cannot be asked for alone (class-wp-rest-attachments-controller.php, 6.5).
      const asked = ask.query.get("_fields")?.split(",") ?? ["media_details"];
      return asked.includes("media_details") ? { ...shown, media_details } : shown;
    },
  );
}

function remove(ask: Ask): Answer {
  const medium = find(ask);
  if (!mayEdit(ask.person, medium)) {
    throw refused(ask.person, "rest_cannot_delete", "Sorry, you are not allowed to delete this post.");
  }
  if (ask.params["force"] !== true) {
    const message = "The post does not support trashing. Set 'force=true' to delete.";
    throw new RestError("rest_trash_not_supported", message, 501);
  }
  ask.state.posts.delete(medium.id);
  return { body: { deleted: true, previous: viewMedia(ask.state, medium, true) } };
}

/** Adds `/wp/v2/media`. */
export function addMedia(app: Hono<RestEnv>): void {
  const one = "/wp/v2/media/:id{[0-9]+}";
  const id: ParamRules = { id: { type: "integer" } };
  const reading: ParamRules = { ...id, context: PAGING["context"]! };
  const listing: ParamRules = {
    ...PAGING,
    mime_type: { type: "string" },
    media_type: { type: "string", enum: ["image", "video", "audio", "application", "text"] },
    order: { type: "string", enum: ["asc", "desc"], fallback: "desc" },
    orderby: { type: "string", fallback: "date" },
  };
  route(app, ["GET"], "/wp/v2/media", () => listing, list);
  route(app, ["POST"], "/wp/v2/media", () => RULES, upload);
  route(app, ["GET"], one, () => reading, (ask) => ({
    body: viewMedia(ask.state, find(ask), ask.params["context"] === "edit"),
  }));
  route(app, ["POST", "PUT", "PATCH"], one, () => RULES, update);
  route(app, ["DELETE"], one, () => ({ ...id, force: { type: "boolean", fallback: false } }), remove);
}
