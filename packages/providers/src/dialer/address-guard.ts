import { lookup as lookupBySystem } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { DialFailure } from "./dial-request.ts";

const URL_LENGTH_MAX = 2_048;

/**
 * The URL of an endpoint, or a sentence that says why a text can't be one. Checks the text only: a name in it is
 * resolved and checked when it is dialled. The URL parser has already normalised every unusual notation of an IPv4
 * address (0x7f.1, 2130706433, 127.1).
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
  if (mayDialPrivate && isMetadataHost(host)) return "The endpoint must not be a cloud's own metadata service.";
  return url;
}

/** The host of a URL, an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
}

/**
 * Why a URL can't be registered as an endpoint, as a sentence; undefined when it can. With permission to dial private
 * addresses, a name need not resolve yet.
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
    return "The endpoint must be at a public address, and its name leads to none.";
  }
}

/** All addresses of a name. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

/** The system resolver, which also uses the hosts file. */
export const systemLookup: Lookup = async (hostname) =>
  (await lookupBySystem(hostname, { all: true })).map(({ address }) => address);

/**
 * All addresses of a name. Without permission to dial private ones, a single private address fails the lookup, in the
 * words of an unknown name: otherwise a stranger could learn which names exist inside.
 */
async function resolveGuarded(hostname: string, mayDialPrivate: boolean, lookup: Lookup): Promise<readonly string[]> {
  const addresses = await lookup(hostname).catch((error: unknown) => {
    throw new DialFailure("dns", mayDialPrivate ? "its name could not be resolved" : NO_PUBLIC_ADDRESS, {
      cause: error,
    });
  });
  if (addresses.length === 0)
    throw new DialFailure("dns", mayDialPrivate ? "its name has no address" : NO_PUBLIC_ADDRESS);
  if (!mayDialPrivate && !addresses.every(isPublicAddress))
    throw new DialFailure("forbidden-address", NO_PUBLIC_ADDRESS);
  if (isMetadataHost(hostname) || addresses.some(isMetadataHost))
    throw new DialFailure("forbidden-address", "its name leads to a cloud's own metadata service");
  return addresses;
}

const NO_PUBLIC_ADDRESS = "its name leads to no public address";

/**
 * The lookup that sockets are opened with. Nothing resolves the name again between this check and the connect, so a DNS
 * server that changes its answer gains nothing.
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

/** Shares one lookup among simultaneous requests for the same name. The result is not cached. */
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
 * Where clouds answer a machine inside with its configuration and keys. Nobody may dial these, whatever else is allowed:
 * what answers there trusts every process on the machine.
 */
const METADATA_RANGES = [
  "169.254.0.0/16",
  "100.100.100.200/32",
  "168.63.129.16/32",
  "192.0.0.192/32",
  "fd00:ec2::/32",
  "fd20:ce::/32",
  "fe80::a9fe:a9fe/128",
].map((range) => ipaddr.parseCIDR(range));
const METADATA_NAMES: ReadonlySet<string> = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "instance-data",
  "instance-data.ec2.internal",
  "metadata.tencentyun.com",
]);

/** Whether a host, a name or an address in any notation, is a cloud's metadata service. */
export function isMetadataHost(host: string): boolean {
  if (isIP(host) === 0) return METADATA_NAMES.has(host.toLowerCase().replace(/\.$/, ""));
  const address = ipaddr.parse(host);
  const plain = address instanceof ipaddr.IPv6 ? (embeddedIpv4Of(address) ?? address) : address;
  return METADATA_RANGES.some((range) => range[0].kind() === plain.kind() && plain.match(range));
}

/** The IPv4 address inside a mapped, compatible, translated or 6to4 IPv6 address. */
function embeddedIpv4Of({ parts }: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const begins = (...start: number[]) => start.every((part, index) => parts[index] === part);
  const isTranslated = begins(0x64, 0xff9b);
  const isLast =
    isTranslated || begins(0, 0, 0, 0, 0, 0xffff) || begins(0, 0, 0, 0, 0, 0) || begins(0, 0, 0, 0, 0xffff, 0);
  if (!isLast && parts[0] !== 0x2002) return undefined;
  const [high = 0, low = 0] = isLast ? parts.slice(6) : parts.slice(1, 3);
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
}

/** Whether a name is one of this machine or of a private network. */
export function isLocalName(name: string): boolean {
  return !name.replace(/\.$/, "").includes(".") || /\.(localhost|local|internal|lan|home\.arpa)\.?$/i.test(name);
}

/** Whether a text is a public IP address. Text that is no address is not. */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || isMetadataHost(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== "unicast") return false;
  return address instanceof ipaddr.IPv4 || isGlobalUnicast(address);
}

/**
 * Only 2000::/3 is allocated. This check also excludes, without listing them, embedded IPv4 addresses in their
 * deprecated and translated forms, site-local addresses, and unassigned blocks.
 */
function isGlobalUnicast(address: ipaddr.IPv6): boolean {
  return ((address.parts[0] ?? 0) & 0xe000) === 0x2000;
}
