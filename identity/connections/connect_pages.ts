/** What the pages of connecting say: what was connected, or what was not and why. */

/** A page in words; how it looks is the door's. */
export interface ConnectPage {
  readonly status: number;
  readonly title: string;
  readonly paragraphs: readonly string[];
  readonly lists?: readonly { readonly heading: string; readonly items: readonly string[] }[];
  /** The one way on. */
  readonly next?: { readonly label: string; readonly href: string };
  /** Set where an account is connected now. */
  readonly connected?: true;
}

const ANOTHER = "Ask whoever sent it to you for another.";
const NOTHING = "Nothing was connected, and nothing was changed.";
const AGAIN = "You can open the link again in this browser while its ten minutes last.";

/** No link has that text. */
export const UNKNOWN: ConnectPage = {
  status: 404,
  title: "This link is not known",
  paragraphs: [`It may be cut short, or it is more than a day old. ${ANOTHER}`],
};
/** Its ten minutes are over. */
export const EXPIRED: ConnectPage = {
  status: 410,
  title: "This link is too old",
  paragraphs: [`A link for connecting an account can be opened for ten minutes. ${ANOTHER}`, NOTHING],
};
/** An account was connected with it. */
export const USED: ConnectPage = {
  status: 410,
  title: "This link was used already",
  paragraphs: [`An account was connected with it, and it works only once. ${ANOTHER}`],
};
/** It belongs to the browser that opened it first. */
export const OTHER_BROWSER: ConnectPage = {
  status: 403,
  title: "This link was opened in another browser",
  paragraphs: [
    "It works only in the browser that opened it first. Go on there, or ask whoever sent it to you for another.",
    "If it was not you who opened it, say so: somebody else has seen the link, or a program that checks mail opened " +
    "it. Another link is best sent another way then.",
  ],
};
/** The user it was made for is no longer there. */
export const USER_GONE: ConnectPage = {
  status: 410,
  title: "This link is for nobody any more",
  paragraphs: [`The user it was made for has been removed. ${NOTHING}`],
};

/** An answer that cannot be taken. */
export const RETURNED = {
  unknown: {
    status: 400,
    title: "This answer belongs to no request",
    paragraphs: [
      "The gateway asked for nothing that this would answer. Open the link you were sent.",
      NOTHING,
    ],
  },
  used: {
    status: 400,
    title: "This answer was used already",
    paragraphs: [
      "Each answer counts once; this page was opened again, or sent on. Nothing was changed by it.",
    ],
  },
  expired: {
    status: 410,
    title: "This took too long",
    paragraphs: [`Consent has to be given within ten minutes. ${ANOTHER}`, NOTHING],
  },
  other: {
    status: 403,
    title: "This answer belongs to another browser",
    paragraphs: [
      "An account is connected in the browser that the link was opened in, and in no other.",
      NOTHING,
    ],
  },
} as const satisfies Record<string, ConnectPage>;

/** What will be asked for, and the way to the consent page. */
export function ready(
  { vendor, email, rights, next }: {
    vendor: string;
    email: string;
    rights: readonly string[];
    next: string;
  },
): ConnectPage {
  return {
    status: 200,
    title: "Connect an account",
    paragraphs: [
      `A ${vendor} account will be connected for ${email}. Only sites that are bound to this user will use it.`,
      "You will be asked to sign in there and to agree. The gateway never sees your password.",
    ],
    lists: [{ heading: "The gateway asks to", items: rights }],
    next: { label: "Continue", href: next },
  };
}

/** An account was connected; what was not granted is named. */
export function connected(
  { vendor, account, granted, missing, replaced, manage_url }: {
    vendor: string;
    account: string;
    granted: readonly string[];
    missing: readonly string[];
    replaced: string | null;
    manage_url: string;
  },
): ConnectPage {
  const whole = missing.length === 0;
  return {
    status: 200,
    connected: true,
    title: whole ? "Connected" : "Connected, but not with everything",
    paragraphs: [
      `The ${vendor} account ${account} is connected.`,
      ...(replaced === null ? [] : [
        `It takes the place of ${replaced}, which the gateway no longer uses; its access can be ended at ${manage_url}`,
      ]),
      ...(whole
        ? []
        : ["What you did not agree to does not work. To add it, ask for another link and tick it."]),
      "You can close this page.",
    ],
    lists: [
      { heading: "The gateway may", items: granted },
      ...(whole ? [] : [{ heading: "Not agreed to", items: missing }]),
    ],
  };
}

/** The person did not agree. */
export function denied(vendor: string): ConnectPage {
  return {
    status: 403,
    title: "Nothing was connected",
    paragraphs: [`You did not agree at ${vendor}. ${AGAIN}`, "Nothing was changed."],
  };
}

/** The consent page itself failed. */
export function notAsked(vendor: string, error: string): ConnectPage {
  const word = error.replace(/[^\w. -]/g, "").slice(0, 60);
  return {
    status: 502,
    title: "Nothing was connected",
    paragraphs: [`${vendor} could not ask you: it reported "${word}". ${AGAIN}`, "Nothing was changed."],
  };
}

/** Every box was left unticked. */
export function noRights(vendor: string): ConnectPage {
  return {
    status: 403,
    title: "Nothing was connected",
    paragraphs: [
      `You signed in at ${vendor} but ticked nothing of what was asked for, so there is nothing to connect. ${AGAIN}`,
      "Nothing was kept.",
    ],
  };
}

/** A fault of the gateway's own. */
export function broken(request_id: string): ConnectPage {
  return {
    status: 500,
    title: "Something failed",
    paragraphs: [
      `The gateway could not do this; its operator finds the cause in the log, under request id ${request_id}.`,
      "Open the link again in a while.",
    ],
  };
}

/** The exchange failed. */
export function failed(vendor: string, why: string): ConnectPage {
  return {
    status: 502,
    title: "Nothing was connected",
    paragraphs: [`Connecting with ${vendor} failed: ${why}.`, AGAIN],
  };
}
