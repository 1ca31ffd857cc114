/** What every sandbox CMS is to its users, a real WordPress or the stand-in. */

/** One of the four users every sandbox CMS has. */
export interface CmsUser {
  readonly id: number;
  /** `administrator`, `editor`, `author` or `subscriber`. */
  readonly role: string;
  readonly username: string;
  /** As WordPress shows it: six groups of four; the spaces do not count. */
  readonly application_password: string;
}

/** The logins of the four users, by falling power. */
export type CmsLogin = "admin" | "ed" | "auth" | "sub";

/** A running CMS on loopback; disposing it is stopping it. */
export interface CmsSandbox extends AsyncDisposable {
  readonly kind: "wordpress" | "stand-in";
  /** `http://127.0.0.1:<port>`, and `/two` where it is a site of a network; without a trailing slash. */
  readonly base_url: string;
  /** Its REST routes are behind `/index.php?rest_route=`. */
  readonly plain_permalinks?: boolean;
  readonly users: Readonly<Record<CmsLogin, CmsUser>>;
  /** Publishes what is due; nothing scheduled goes live without it. */
  runCron(): Promise<void>;
  /** Leaves no process, connection or folder behind; safe to call twice. */
  stop(): Promise<void>;
}
