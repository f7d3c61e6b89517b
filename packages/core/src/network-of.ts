import ipaddr from "ipaddr.js";

/** The network that counts as one stranger: an IPv4 address, or the /64 that an IPv6 line is given. */
export function clientNetworkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const plain = ipaddr.process(address);
  if (plain.kind() === "ipv4") return plain.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${plain.toString()}/64`).toString();
}
