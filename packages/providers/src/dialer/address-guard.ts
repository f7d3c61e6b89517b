import { lookup as lookupBySystem } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { DialFailure } from "./dial-request.ts";

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
    return mayDialPrivate ? "The endpoint must be an http or https URL." : "The endpoint must be an https URL.";
  }
  if (url.username !== "" || url.password !== "") {
    return "The endpoint must not carry a user name or password.";
  }
  if (text.includes("#")) return "The endpoint must not have a fragment.";
  const host = hostOf(url);
  if (!mayDialPrivate && isIP(host) !== 0 && !isPublicAddress(host)) return "The endpoint must be at a public address.";
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

/** All addresses of a name. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

/** The operating system's own resolver, which also knows the hosts file. */
export const systemLookup: Lookup = async (hostname) =>
  (await lookupBySystem(hostname, { all: true })).map(({ address }) => address);

/** All addresses of a name, or a failure. Without leave to dial private ones, a single private address spoils all. */
async function resolveGuarded(hostname: string, mayDialPrivate: boolean, lookup: Lookup): Promise<readonly string[]> {
  const addresses = await lookup(hostname).catch((error: unknown) => {
    throw new DialFailure("dns", "its name could not be resolved", { cause: error });
  });
  if (addresses.length === 0) throw new DialFailure("dns", "its name has no address");
  if (!mayDialPrivate && !addresses.every(isPublicAddress)) {
    throw new DialFailure("forbidden-address", "its name leads to an address that is not public");
  }
  return addresses;
}

/**
 * The lookup that sockets are opened with. Being the only one between the name and the connect, what it has
 * checked is what is dialled, whatever the name server says a moment later.
 */
export function guardedLookup(mayDialPrivate: boolean, lookup: Lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolveGuarded(hostname, mayDialPrivate, lookup).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (options.all === true || first === undefined) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, []),
    );
  };
}

/** Many connections that open at once to one name ask for it once. The answer is forgotten as soon as it is given. */
export function coalesceLookups(lookup: Lookup): Lookup {
  const running = new Map<string, Promise<readonly string[]>>();
  return (hostname) => {
    const known = running.get(hostname);
    if (known !== undefined) return known;
    const answer = lookup(hostname).finally(() => running.delete(hostname));
    running.set(hostname, answer);
    return answer;
  };
}

/**
 * Public by the registry, yet answered by the cloud's own host from inside a virtual machine: Azure serves a
 * machine's configuration and keys there.
 */
const PLATFORM_ADDRESSES: ReadonlySet<string> = new Set(["168.63.129.16"]);

/** Whether an IP address is one that anybody on the internet may be asked at. Anything that is no address is not. */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || PLATFORM_ADDRESSES.has(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== "unicast") return false;
  return address instanceof ipaddr.IPv4 || isGlobalUnicast(address);
}

/**
 * Only 2000::/3 was ever given out. Asking for it shuts, without naming them one by one, every block outside:
 * IPv4 inside IPv6 in its deprecated and translated forms, site-local addresses, and what is not assigned yet.
 */
function isGlobalUnicast(address: ipaddr.IPv6): boolean {
  return ((address.parts[0] ?? 0) & 0xe000) === 0x2000;
}
