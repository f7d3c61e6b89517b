import ipaddr from "ipaddr.js";

/** Whether a text is an address or a CIDR range, such as `10.0.0.0/8` or `2001:db8::1`. */
export function isIpRange(text: string): boolean {
  return parseRange(text) !== undefined;
}

/** Whether an address lies in one of the ranges. An IPv4-mapped IPv6 address counts as its IPv4 address. */
export function isInRanges(address: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const plain = ipaddr.process(address);
  return ranges.some((text) => {
    const range = parseRange(text);
    return range !== undefined && range[0].kind() === plain.kind() && plain.match(range);
  });
}

/** Whether every address of a range lies in one of the ranges. */
export function isRangeWithin(text: string, ranges: readonly string[]): boolean {
  const inner = parseRange(text);
  if (inner === undefined) return false;
  return ranges.some((outerText) => {
    const outer = parseRange(outerText);
    return outer !== undefined && outer[0].kind() === inner[0].kind() && inner[1] >= outer[1] && inner[0].match(outer);
  });
}

function parseRange(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] | undefined {
  try {
    const [address = "", length, ...rest] = text.split("/");
    if (rest.length > 0) return undefined;
    // Different parsers read the short and octal forms of IPv4 as different addresses.
    if (!ipaddr.IPv6.isValid(address) && !ipaddr.IPv4.isValidFourPartDecimal(address)) return undefined;
    const whole = ipaddr.parse(address).kind() === "ipv4" ? 32 : 128;
    return unmapIpv4Range(ipaddr.parseCIDR(`${address}/${length ?? whole}`));
  } catch {
    // The parser reports an invalid range only by throwing.
    return undefined;
  }
}

/** Turns an IPv4-mapped IPv6 range into its IPv4 range. */
function unmapIpv4Range(range: [ipaddr.IPv4 | ipaddr.IPv6, number]): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const [address, length] = range;
  if (!(address instanceof ipaddr.IPv6) || !address.isIPv4MappedAddress() || length < 96) return range;
  return [address.toIPv4Address(), length - 96];
}

/** The network that counts as one client: an IPv4 address, or an IPv6 /64, which one subscriber gets. */
export function clientNetworkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const plain = ipaddr.process(address);
  if (plain.kind() === "ipv4") return plain.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${plain.toString()}/64`).toString();
}
