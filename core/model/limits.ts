/** Every limit of the service but those of OAuth, which are beside their nouns. */

const KIB = 1024;
const MIB = 1024 * KIB;

/** Every limit of the service. Sizes are bytes of UTF-8. */
export const LIMITS = {
  /** Of an answer of a read over MCP; what is longer is shortened, with a way to read on. */
  ANSWER_CHARACTERS: 20_000,
  BODY_BYTES: 2 * MIB,
  ADMIN_BODY_BYTES: 256 * KIB,
  LOGIN_BODY_BYTES: 4 * KIB,
  /** The arguments of a call: values, of all levels together, and how deep they are nested. */
  JSON_NODES: 50_000,
  NESTING_LEVELS: 64,
  /** What rules may look at in the arguments of one call: values, and what texts hold where they are read as something. */
  RULE_STEPS: 150_000,
  SCHEDULE_LEAD_SECONDS_MIN: 60,
  /** What the CRM's tools look at where nothing else is asked for. */
  CRM_WINDOW_DAYS: 30,
  CRM_COMPARE_DAYS: 14,
  CRM_TEXT_BACK_MINUTES: 5,
  CRM_TAG_USES_MIN: 5,
  CODE_PAGE_HTML_BYTES: 200 * KIB,
  CODE_PAGE_CSS_BYTES: 100 * KIB,
  CODE_PAGE_JS_BYTES: 100 * KIB,
  STRUCTURED_DATA_BYTES: 100 * KIB,
  STRUCTURED_DATA_LEVELS: 32,
  STATIC_FILE_BYTES: 900 * KIB,
  BULK_FILES_MAX: 1000,
  BULK_BYTES: 100 * MIB,
  BULK_FILE_BYTES: 25 * MIB,
  REPO_PATH_CHARACTERS: 250,
  MEDIA_BYTES: 20 * MIB,
  /** Calls per minute and token, and per minute and site, in one process; a full minute's worth may come at once. */
  CALLS_PER_MINUTE_TOKEN: 1200,
  CALLS_PER_MINUTE_SITE: 1200,
  /** Calls of one token that are worked on at once, how many more may wait, and the bytes of all bodies in flight. */
  CALLS_IN_FLIGHT_PER_TOKEN: 64,
  CALLS_WAITING_PER_TOKEN: 256,
  BODY_BYTES_IN_FLIGHT: 256 * MIB,
  /** Larger bodies take turns once they are there, so many bytes of them at a time; each takes several times its size. */
  LARGE_BODY_BYTES: 4 * MIB,
  LARGE_BODY_BYTES_AT_ONCE: 40 * MIB,
  CALL_DEADLINE_MS: 60_000,
  UPSTREAM_DEADLINE_MS: 20_000,
  UPSTREAM_WAIT_SECONDS: 40, // for the end of what an upstream is doing, within a call
  UPSTREAM_LOOK_MS: 4000,
  VISIT_DEADLINE_MS: 5_000, // for what a visitor would get at an address
  UPSTREAM_BYTES: 8 * MIB,
  UPSTREAM_RETRIES: 2,
  /** The longest an upstream that is too busy is waited for within a call. */
  UPSTREAM_BUSY_MS: 5000,
  /** The longest wait that a caller is asked for, whatever an upstream asks: clients obey it, and some forget why. */
  RETRY_AFTER_SECONDS: 24 * 60 * 60,
  /** Things of one kind that are listed for who links a site, and requests that list them. */
  LINKABLE_MAX: 1000,
  LINKABLE_PAGES_MAX: 100,
  /** Preview branches of a repository that are looked at in one order, and those that one order deletes. */
  PREVIEW_BRANCHES_MAX: 100,
  PREVIEW_REMOVALS_MAX: 30,
  /** How long a connection is kept for the next request, and how many for one address of a host. */
  UPSTREAM_IDLE_MS: 30_000,
  UPSTREAM_IDLE_PER_ADDRESS: 128,
  /** A request that must not be sent twice takes no connection that was idle for longer: it may be closing. */
  UPSTREAM_FRESH_MS: 1000,
  /** How long one address of a host is waited for before the next is tried beside it. */
  UPSTREAM_NEXT_ADDRESS_MS: 250,
  UPSTREAM_HEADER_BYTES: 64 * KIB,
  UPSTREAM_EXCERPT_CHARACTERS: 300,
  UPSTREAM_STATUS_MIN: 400,
  UPSTREAM_STATUS_MAX: 599,
  /** Of a file with our mark: how many of the blobs written for it are known as ours, and for how long. */
  MANAGED_BLOBS_PER_FILE: 10,
  MANAGED_FILE_DAYS: 400,
  /** How long a preview can be confirmed, and how long the answer of a call is repeated. */
  CONFIRM_TOKEN_MS: 15 * 60_000,
  IDEMPOTENCY_MS: 24 * 60 * 60_000,
  /**
   * A request that a person must approve: how long it waits and is known, how much is kept of its arguments, how many of
   * one token may wait, how long a call may wait for the decision, and the words that may go with one.
   */
  APPROVAL_MS: 7 * 24 * 60 * 60_000,
  APPROVAL_KNOWN_MS: 37 * 24 * 60 * 60_000,
  APPROVAL_BYTES: MIB,
  /** What a person is shown of the changes of one, as JSON. */
  APPROVAL_SHOWN_BYTES: 8 * MIB,
  /** Texts of a request that can be edited on its page, together. */
  APPROVAL_EDIT_BYTES: 256 * 1024,
  APPROVALS_PER_GRANT: 100,
  APPROVAL_WAIT_SECONDS: 40,
  APPROVAL_LOOK_MS: 500,
  APPROVAL_WORDS_CHARACTERS: 1000,
  /**
   * Webhooks: how many there may be, how many deliveries of one may wait and how many that ended are kept, how long one
   * attempt may take and what is read of its answer, how long a delivery is tried and kept, and how long a secret that
   * was replaced signs on.
   */
  WEBHOOKS_MAX: 50,
  WEBHOOK_WAITING_MAX: 200,
  WEBHOOK_DELIVERIES_KEPT: 50,
  WEBHOOK_DEADLINE_MS: 15_000,
  WEBHOOK_ANSWER_BYTES: 4 * KIB,
  WEBHOOK_TRIED_MS: 24 * 60 * 60_000,
  WEBHOOK_KEPT_MS: 35 * 24 * 60 * 60_000,
  WEBHOOK_ROTATION_MS: 24 * 60 * 60_000,
  WEBHOOK_ADDRESS_CHARACTERS: 2048,
  WEBHOOKS_AT_ONCE: 8,
  WEBHOOK_LEASE_MS: 60_000,
  /** How often a client comes back with a call that waits for a person, and how many of one token are kept waiting at once. */
  ROUNDS: 8,
  ROUNDS_WAITING: 4,
  /** What stood where a call writes: the most that is kept of one call, in the commit of its intent, and of one site. */
  BEFORE_IMAGE_BYTES: 4 * MIB,
  BEFORE_IMAGE_ALONG_BYTES: 160 * KIB,
  UNDO_SITE_BYTES: 100 * MIB,
  UNDO_DAYS: 30,
  UNDO_DAYS_MAX: 400,
  /**
   * A change set: its items, what their arguments come to, the sites that are worked on at once, how long one is waited
   * for within a call, how long it is kept once it has ended, and how soon another instance may go on with one.
   */
  SET_ITEMS_MAX: 50,
  SET_BYTES: 4 * MIB,
  SET_SITES_AT_ONCE: 8,
  SET_ANSWER_MS: 20_000,
  SET_WAIT_SECONDS: 40,
  SET_KEPT_MS: 24 * 60 * 60_000,
  SET_LEASE_MS: 12_000,
  /** A page of list_changes. */
  CHANGES_PAGE_BYTES: 4 * KIB,
  REPEATED_ANSWER_BYTES: 60 * KIB,
  REVISION_PARTS_MAX: 100,
  /** Items of each list that a summary keeps. */
  SUMMARY_ITEMS: 20,
  WORKSPACE_AUDITS: 100,
  /** The largest export that is summarised, and the largest answer that is given. */
  TOPICMAP_EXPORT_BYTES: 32 * MIB,
  TOPICMAP_RESULT_BYTES: 5 * MIB,
  TOPICMAP_WRITE_DEADLINE_MS: 30_000,
  TOPICMAP_TYPES_KEPT_MS: 10 * 60_000,
  PASTED_CONTENT_BYTES: 200 * KIB,
  /** The largest reply of a report that is read. */
  REPORT_BYTES: 32 * MIB,
  /** A stored file: how much of one is answered, how large one may be that is saved, how large a document is exported. */
  STORED_TEXT_BYTES: MIB,
  STORED_FILE_BYTES: 5 * MIB,
  EXPORT_BYTES: 11 * MIB,
  PREVIEW_FIELD_BYTES: 8 * KIB,
  PREVIEW_BYTES: 32 * KIB,
  AUDIT_ARGUMENT_BYTES: 8 * KIB,
  AUDIT_SEGMENT_BYTES: 60 * KIB,
  AUDIT_PAGE_MAX: 500,
  /** What one run of retention may drop beyond the run before, without being told to. */
  AUDIT_RETENTION_RUN_MS: 31 * 24 * 60 * 60 * 1000,
  CACHE_CHECK_MS: 500,
  /** A process writes that a token was used at most this often. */
  TOKEN_USE_MS: 5 * 60_000,
  /** How long a trial on the console, and the token that it is run with, last. */
  TRIAL_MS: 15 * 60_000,
  /** How many of them one person may begin in a minute: each is kept, with a token. */
  TRIALS_PER_MINUTE: 60,
  /** How long an operation of the store is waited for. */
  STORE_DEADLINE_MS: 5000,
  /** How long a link for connecting an account can be opened, and how long its consent page may take. */
  CONNECT_LINK_MS: 10 * 60_000,
  /** A connection that ends within that time, and cannot renew itself, is warned of. */
  CONNECTION_ENDS_SOON_MS: 7 * 24 * 60 * 60_000,
  /** Listings kept in memory, one per visibility and version. */
  LISTINGS_MAX: 1024,
  LISTINGS_BYTES: 32 * MIB,
  /** Calls of other tools that one call may make, and how deep they may be nested. */
  NESTED_CALLS_MAX: 50,
  NESTED_CALL_LEVELS: 2,
  /** How long after its deadline a write without an outcome is taken for one that is unknown. */
  DOUBT_AFTER_MS: 60_000,
  /** How often a write that can be repeated says that it is still at work, and after which silence its process is dead. */
  WRITER_SIGN_MS: 2000,
  WRITER_SILENT_MS: 8000,
  WRITES_NAMED_MAX: 20,
  RESOLUTION_NOTE_CHARACTERS: 500,
  /**
   * A site's tool server: its whole list of tools, one page of it, and how many; the values that any answer holds; the
   * answer of one tool, and how long it may take.
   */
  TOOL_LIST_BYTES: 4 * MIB,
  TOOL_PAGE_BYTES: MIB,
  TOOL_LIST_PAGES: 50,
  TOOL_ANSWER_NODES: 200_000,
  TOOL_RESULT_BYTES: MIB,
  TOOL_CALL_DEADLINE_MS: 40_000,
  /** The answer of a held call: the tool's own, and its effects. */
  HELD_BYTES: 8 * MIB,
  /** Around a write of a site's own tool: of how many types of posts it is asked what is public, and for how many of each. */
  PUBLIC_KINDS: 10,
  PUBLIC_ITEMS: 100,
  /** What a site is asked for a search of texts, and what is read of a repository. */
  FIND_REQUESTS: 5,
  FIND_PAGES: 10,
  FIND_FILES: 300,
  FIND_BYTES: 16 * MIB,
  /** Things that are read for the calls of one set, most of which may have the new text already. */
  REPLACE_READS: 150,
  /** How long a session of a tool server is used; the content platform's end after a day without use. */
  TOOL_SESSION_MS: 12 * 60 * 60_000,
  /** What behavior analytics can be asked for at once: days back from now, and dimensions. */
  BEHAVIOR_DAYS_MAX: 3,
  BEHAVIOR_DIMENSIONS_MAX: 3,
  /** The longest window that is read from snapshots. */
  SNAPSHOT_WINDOW_DAYS: 365,
  /** When a day's snapshots are due (01:30 UTC) and count as late, how long they are kept, how many are made at once. */
  SNAPSHOT_DUE_MS: 90 * 60_000,
  SNAPSHOT_LATE_MS: 6 * 60 * 60_000,
  SNAPSHOT_DAYS_KEPT: 400,
  SNAPSHOTS_AT_ONCE: 4,
  SNAPSHOT_ATTEMPTS_MAX: 2,
  SNAPSHOT_LEASE_MS: 60_000,
  /**
   * Tools of sites' own servers: how many and how much of a server is kept, how much of it is shown that nobody has read,
   * how much of one is kept, and how often they are listed.
   */
  TOOLS_PER_SERVER_MAX: 1000,
  TOOL_CATALOG_BYTES: 512 * KIB,
  UNREAD_TOOLS_BYTES: 96 * KIB,
  LISTED_TOOL_BYTES: 48 * KIB,
  TOOL_CATALOG_REFRESH_MS: 60 * 60_000,
  TOOL_CATALOG_RETRY_MS: 5 * 60_000,
  TOOL_CATALOG_LEASE_MS: 90_000,
  TOOL_CATALOGS_AT_ONCE: 4,
  TOOL_CATALOG_SPREAD_MS: 30_000,
  /** How long work in the background goes on before others have their turn. */
  TURN_MS: 5,
  /** How long a call alone at work is believed to be without a sign of life: two thirds of it are longer than a request. */
  EXCLUSIVE_LEASE_MS: 60_000,
  /** What is shown of the words in which a site's own tool reports its failure. */
  TOOL_ERROR_CHARACTERS: 2000,
  /** Calls in flight when the gateway is told to stop: how long they are waited for, and how long for what is cut off. */
  SHUTDOWN_SECONDS: 4,
  SHUTDOWN_CUT_OFF_MS: 500,
  /** How long the store may take to close after a fault that nobody caught: it may be what is broken. */
  FAULT_CLOSE_MS: 10_000,
  /** How long the end of a process waits for its log: whoever reads it may hang. */
  LOG_END_MS: 1000,
  /** How long refreshes of connected accounts are waited for when the store is closed. */
  ACCOUNTS_FINISH_MS: 4000,
  /** How long a client's connection is kept without a request on it. */
  IDLE_CONNECTION_MS: 40_000,
  /** All that a page may take that is read as a visitor, and all that its second reading may. */
  VISIT_MS: 5000,
  LOGIN_ATTEMPTS_PER_MINUTE: 10,
  /** Tokens that nobody knows, from one address, before more of them are answered 429. */
  WRONG_TOKENS_PER_MINUTE: 60,
  SESSION_MS: 12 * 60 * 60 * 1000,
  /** Whoever signed in with the master token signs in again after so long. */
  MASTER_SESSION_MS: 8 * 60 * 60 * 1000,
} as const;

/** How people sign in and stay signed in. Sizes are bytes of UTF-8. */
export const PEOPLE_LIMITS = {
  /** How long a session may be idle, and how exactly it is known when it was used last. */
  SESSION_IDLE_MS: 2 * 60 * 60 * 1000,
  SESSION_SEEN_MS: 60_000,
  /** How long after signing in a way in may be added. */
  SIGN_IN_FRESH_MS: 15 * 60_000,
  INVITATION_MS: 72 * 60 * 60 * 1000,
  CHALLENGE_MS: 5 * 60_000,
  /** How long a browser is known in which somebody has signed in. */
  DEVICE_MS: 180 * 24 * 60 * 60_000,
  PASSPHRASE_CHARACTERS_MIN: 12,
  PASSPHRASE_CHARACTERS_MAX: 256,
  PASSKEYS_MAX: 10,
  /**
   * Attempts to sign in with a passphrase that are counted together, and how many wrong ones may be for one account from
   * one address or from one browser that is known, for one account from anywhere, and from one address: so a stranger
   * at one address shuts nobody else's account, and nobody out who has signed in from there before.
   */
  SIGN_IN_WINDOW_MS: 15 * 60_000,
  SIGN_IN_ATTEMPTS_ACCOUNT: 10,
  SIGN_IN_ATTEMPTS_ACCOUNT_ALL: 100,
  SIGN_IN_ATTEMPTS_ADDRESS: 50,
  /** No e-mail address is longer. */
  EMAIL_CHARACTERS_MAX: 254,
  FORM_BYTES: 64 * 1024,
  /** A form with edited texts, in which a sign of a text can take three, and more is written than stood there. */
  TEXTS_FORM_BYTES: 2 * 1024 * 1024,
} as const;

/**
 * Streams that tell people how many requests wait: how many there may be, how long one lives, how often all are looked at,
 * when a quiet one is kept alive, and how many ids it tells.
 */
export const APPROVAL_EVENT_LIMITS = {
  STREAMS_MAX: 512,
  STREAMS_PER_PERSON: 4,
  STREAM_MS: 60 * 60_000,
  LOOK_MS: 2000,
  QUIET_MS: 15_000,
  IDS: 50,
} as const;

/** How many there may be, how long one lives, how often it is looked at, and when a quiet one is kept alive. */
export const SUBSCRIPTION_LIMITS = {
  STREAMS_MAX: 1024,
  STREAMS_PER_TOKEN: 16,
  STREAM_MS: 12 * 60 * 60_000,
  LOOK_MS: 250,
  QUIET_MS: 15_000,
} as const;
