/** The stand-in's users, what each role may do, and how a request is told who asks. */
import type { CmsLogin, CmsUser } from "../wordpress/sandbox.ts";

const EDIT_POSTS = ["edit_posts", "delete_posts"];
const AUTHOR = [
  ...EDIT_POSTS,
  "upload_files",
  "edit_published_posts",
  "publish_posts",
  "delete_published_posts",
];
const PAGES = [
  "edit_pages",
  "edit_others_pages",
  "edit_published_pages",
  "publish_pages",
  "delete_pages",
  "delete_others_pages",
  "delete_published_pages",
  "delete_private_pages",
  "edit_private_pages",
  "read_private_pages",
];
const EDITOR = [
  ...AUTHOR,
  ...PAGES,
  "edit_others_posts",
  "delete_others_posts",
  "delete_private_posts",
  "edit_private_posts",
  "read_private_posts",
  "manage_categories",
  "manage_links",
  "moderate_comments",
  "unfiltered_html",
];
const ADMINISTRATOR = [
  ...EDITOR,
  "activate_plugins",
  "create_users",
  "delete_users",
  "edit_theme_options",
  "edit_users",
  "install_plugins",
  "list_users",
  "manage_options",
  "promote_users",
  "switch_themes",
  "update_core",
  "update_plugins",
];

/** What each role may do, as WordPress ships it. */
export const ROLES: Readonly<Record<string, readonly string[]>> = {
  administrator: ["read", ...ADMINISTRATOR],
  editor: ["read", ...EDITOR],
  /** An editor of one site of a network, where only super administrators may store code. */
  network_editor: ["read", ...EDITOR.filter((right) => right !== "unfiltered_html")],
  author: ["read", ...AUTHOR],
  contributor: ["read", ...EDIT_POSTS],
  subscriber: ["read"],
};

/** A user of the stand-in. */
export interface Person extends CmsUser {
  readonly name: string;
  readonly email: string;
}

/** Whether that person (or nobody) holds the right. */
export function can(person: Person | null, right: string): boolean {
  return person !== null && (ROLES[person.role] ?? []).includes(right);
}

const FOUR: readonly [CmsLogin, string][] = [
  ["admin", "administrator"],
  ["ed", "editor"],
  ["auth", "author"],
  ["sub", "subscriber"],
];

function applicationPassword(login: string): string {
  const text = `${login}0standin0application0password`.slice(0, 24).padEnd(24, "0");
  return text.match(/.{4}/g)!.join(" ");
}

/** The four users with fixed ids and passwords. */
export function fourPeople(): Record<CmsLogin, Person> {
  const rows = FOUR.map(([username, role], index) =>
    [username, {
      id: index + 1,
      role,
      username,
      application_password: applicationPassword(username),
      name: index === 0 ? "admin" : username.charAt(0).toUpperCase() + username.slice(1),
      email: `${username}@example.test`,
    }] as const
  );
  return Object.fromEntries(rows) as Record<CmsLogin, Person>;
}

/** Whom the Basic credentials name; wrong or missing ones are nobody, as WordPress has it. */
export function whoAsks(people: Iterable<Person>, authorization: string | null): Person | null {
  const [, encoded] = /^basic\s+(.+)$/i.exec(authorization ?? "") ?? [];
  if (encoded === undefined) return null;
  let text: string;
  try {
    text = new TextDecoder().decode(Uint8Array.fromBase64(encoded.trim()));
  } catch {
    return null;
  }
  const colon = text.indexOf(":");
  const login = text.slice(0, colon);
  const password = text.slice(colon + 1).replaceAll(/[^a-z0-9]/gi, "");
  for (const person of people) {
    if (person.username !== login && person.email !== login) continue;
    if (person.application_password.replaceAll(" ", "") === password) return person;
  }
  return null;
}
