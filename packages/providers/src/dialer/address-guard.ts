import { isIP } from "node:net";
import { DialFailure } from "./dial-failure.ts";
import { type Lookup, resolveGuarded, systemLookup } from "./guarded-lookup.ts";
import { isPublicAddress } from "./public-address.ts";

const URL_LENGTH_MAX = 2_048;

/**
 * The URL of an endpoint, or a sentence why this text can't be one. Looks at the text alone: a name in it is
 * resolved and checked when it is dialled. The URL parser has already turned every odd way to write an IPv4
 * address (0x7f.1, 2130706433, 127.1) into the usual one.
 */
export function parseEndpointUrl(text: string, mayDialPrivate: boolean): URL | string {
  if (text.length > URL_LENGTH_MAX || /[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) {
    return `The endpoint must be a URL of at most ${URL_LENGTH_MAX} characters without spaces.`;
  }
  const url = new URL(text);
  if (url.protocol !== "https:" && !(mayDialPrivate && url.protocol === "http:")) {
    return mayDialPrivate
      ? "The endpoint must be an http or https URL."
      : "The endpoint must be an https URL.";
  }
  if (url.username !== "" || url.password !== "") {
    return "The endpoint must not carry a user name or password.";
  }
  if (text.includes("#")) return "The endpoint must not have a fragment.";
  const host = hostOf(url);
  if (!mayDialPrivate && isIP(host) !== 0 && !isPublicAddress(host))
    return "The endpoint must be at a public address.";
  return url;
}

/** The name or address in a URL, an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
}

/**
 * Why a URL can't be registered as an endpoint, as a sentence; undefined when it can. Whoever may dial private
 * addresses may also register a name that does not resolve yet.
 */
export async function checkEndpoint(
  text: string,
  mayDialPrivate: boolean,
  lookup: Lookup = systemLookup,
): Promise<string | undefined> {
  const url = parseEndpointUrl(text, mayDialPrivate);
  if (typeof url === "string") return url;
  const host = hostOf(url);
  if (mayDialPrivate || isIP(host) !== 0) return undefined;
  try {
    await resolveGuarded(host, mayDialPrivate, lookup);
    return undefined;
  } catch (error) {
    if (!(error instanceof DialFailure)) throw error;
    return error.kind === "dns"
      ? "The endpoint's name could not be resolved."
      : "The endpoint must be at a public address, and its name leads to one that is not.";
  }
}
