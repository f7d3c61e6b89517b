import { lookup as lookupBySystem } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { DialFailure } from "./dial-failure.ts";
import { isPublicAddress } from "./public-address.ts";

/** All addresses of a name. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

/** The operating system's own resolver, which also knows the hosts file. */
export const systemLookup: Lookup = async (hostname) =>
  (await lookupBySystem(hostname, { all: true })).map(({ address }) => address);

/** All addresses of a name, or a failure. Without leave to dial private ones, a single private address spoils all. */
export async function resolveGuarded(
  hostname: string,
  mayDialPrivate: boolean,
  lookup: Lookup,
): Promise<readonly string[]> {
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
