import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

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
