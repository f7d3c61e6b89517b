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
    if (text.includes("/")) return ipaddr.parseCIDR(text);
    if (ipaddr.IPv4.isValidFourPartDecimal(text)) return [ipaddr.IPv4.parse(text), 32];
    return ipaddr.IPv6.isValid(text) ? [ipaddr.IPv6.parse(text), 128] : undefined;
  } catch {
    // A text that can't be parsed is no range; the parser only says so by throwing.
    return undefined;
  }
}
