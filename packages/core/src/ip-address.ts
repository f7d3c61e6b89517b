import ipaddr from "ipaddr.js";

/** Whether a text is an address or a range in CIDR form, such as `10.0.0.0/8` or `2001:db8::1`. */
export function isIpRange(text: string): boolean {
  return parseRange(text) !== undefined;
}

/** Whether an address lies in one of the ranges. IPv4 inside IPv6 counts as the IPv4 address that it is. */
export function isInRanges(address: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const plain = ipaddr.process(address);
  return ranges.some((text) => {
    const range = parseRange(text);
    return range !== undefined && range[0].kind() === plain.kind() && plain.match(range);
  });
}

function parseRange(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] | undefined {
  try {
    const [address = "", length, ...rest] = text.split("/");
    if (rest.length > 0) return undefined;
    // Short and octal forms of IPv4 mean different addresses to different readers.
    if (!ipaddr.IPv6.isValid(address) && !ipaddr.IPv4.isValidFourPartDecimal(address)) return undefined;
    const whole = ipaddr.parse(address).kind() === "ipv4" ? 32 : 128;
    return unmapIpv4Range(ipaddr.parseCIDR(`${address}/${length ?? whole}`));
  } catch {
    // A text that can't be parsed is no range; the parser only says so by throwing.
    return undefined;
  }
}

/** IPv4 written inside IPv6 is the IPv4 range that it is. */
function unmapIpv4Range(range: [ipaddr.IPv4 | ipaddr.IPv6, number]): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const [address, length] = range;
  if (!(address instanceof ipaddr.IPv6) || !address.isIPv4MappedAddress() || length < 96) return range;
  return [address.toIPv4Address(), length - 96];
}

/** The network that counts as one stranger: an IPv4 address, or the /64 that an IPv6 line is given. */
export function clientNetworkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const plain = ipaddr.process(address);
  if (plain.kind() === "ipv4") return plain.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${plain.toString()}/64`).toString();
}
