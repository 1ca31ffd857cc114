/** What clients say of themselves: in a registration, or in a metadata document at their own address. */
import { z } from "zod";
import { OAUTH_LIMITS, type OAuthClient } from "../../core/model.ts";
import { redirectFault } from "../../rules/redirect_uri.ts";
import { OAuthFault } from "./fault.ts";

const texts = z.array(z.string());
/** Fields beyond these are not ours to judge. */
const METADATA = z.looseObject({
  redirect_uris: texts.min(1).max(OAUTH_LIMITS.REDIRECT_URIS),
  client_name: z.string().optional(),
  grant_types: texts.optional(),
  response_types: texts.optional(),
  token_endpoint_auth_method: z.string().optional(),
});

const bad = (message: string) => new OAuthFault("invalid_client_metadata", message);

/** A redirect URI that a client names and may not have, and why. */
export interface LeftOut {
  readonly redirect_uri: string;
  /** Follows the URI in a sentence. */
  readonly reason: string;
}

/** What a client says of itself, as far as it is taken. */
export interface ClientMetadata extends Omit<OAuthClient, "id"> {
  readonly authMethod?: string;
  /** The redirect URIs that it names beside those that were taken. */
  readonly leftOut: readonly LeftOut[];
}

/**
 * Reads what both ways have in common. Programs name every address they may ever wait at, so an address that is not
 * allowed is left out, and the others are kept. Throws OAuthFault: invalid_redirect_uri where none is left,
 * invalid_client_metadata.
 */
export function clientMetadata(value: unknown): ClientMetadata {
  const read = METADATA.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    const at = issue?.path.join(".") || "The client's metadata";
    if (issue?.path[0] === "redirect_uris") {
      throw new OAuthFault(
        "invalid_redirect_uri",
        `redirect_uris: expected a list of 1 to ${OAUTH_LIMITS.REDIRECT_URIS} addresses`,
      );
    }
    throw bad(`${at}: expected ${issue?.code === "invalid_type" ? issue.expected : "another value"}`);
  }
  const { client_name, grant_types, response_types, token_endpoint_auth_method } = read.data;
  const { redirect_uris, leftOut } = judgedRedirects(read.data.redirect_uris);
  if (grant_types && !grant_types.includes("authorization_code")) {
    throw bad("grant_types: authorization_code must be among them; refresh_token may be");
  }
  if (response_types && !response_types.includes("code")) {
    throw bad("response_types: code must be among them, for nothing else is answered");
  }
  return { name: nameOf(client_name), redirect_uris, authMethod: token_endpoint_auth_method, leftOut };
}

const SHOWN_CHARACTERS = 200;

function judgedRedirects(named: readonly string[]): Pick<ClientMetadata, "redirect_uris" | "leftOut"> {
  const leftOut = named.flatMap((uri) => {
    const reason = uri.length > OAUTH_LIMITS.REDIRECT_URI_CHARACTERS
      ? `is longer than ${OAUTH_LIMITS.REDIRECT_URI_CHARACTERS} characters`
      : redirectFault(uri);
    return reason === null ? [] : [{ uri, redirect_uri: uri.slice(0, SHOWN_CHARACTERS), reason }];
  });
  const refused = new Set(leftOut.map(({ uri }) => uri));
  const redirect_uris = named.filter((uri) => !refused.has(uri));
  const [first] = leftOut;
  if (first !== undefined && redirect_uris.length === 0) {
    throw new OAuthFault("invalid_redirect_uri", `redirect_uris: "${first.redirect_uri}" ${first.reason}`);
  }
  return { redirect_uris, leftOut: leftOut.map(({ redirect_uri, reason }) => ({ redirect_uri, reason })) };
}

/** Characters that change how the text around them reads: controls, and marks of direction. */
const UNREADABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

function nameOf(name: string | undefined): string | null {
  const text = name?.trim() ?? "";
  if (text === "") return null;
  if (text.length > OAUTH_LIMITS.CLIENT_NAME_CHARACTERS || UNREADABLE.test(text)) {
    throw bad(
      `client_name: at most ${OAUTH_LIMITS.CLIENT_NAME_CHARACTERS} characters, without control characters`,
    );
  }
  return text;
}
