/** Whether a text is an address, or a range in CIDR form, as the server takes it. */
export function isIpRange(text: string): boolean {
  const [address = "", bits, ...more] = text.split("/");
  if (more.length > 0) return false;
  const width = isIpv4(address) ? 32 : isIpv6(address) ? 128 : undefined;
  if (width === undefined) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= width);
}

function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  // A zone, such as %eth0, may follow.
  const halves = text.replace(/%[0-9a-z]+$/i, "").split("::");
  if (halves.length > 2) return false;
  const groups = halves.map((half) => (half === "" ? [] : half.split(":")));
  const last = groups.at(-1)?.at(-1) ?? "";
  // The last four bytes may be written as an IPv4 address.
  const hasIpv4 = isIpv4(last);
  const all = groups.flat();
  const count = all.length + (hasIpv4 ? 1 : 0);
  const areGroups = (hasIpv4 ? all.slice(0, -1) : all).every((group) => /^[0-9a-f]{1,4}$/i.test(group));
  return areGroups && (halves.length === 2 ? count < 8 : count === 8);
}
