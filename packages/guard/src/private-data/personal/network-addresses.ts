import type { ReportValue } from "../private-value.ts";

/** Too common in logs to be reported; those who want to take them out set a lower mark. */
const WEIGHT = 0.3;
const OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const IPV4 = new RegExp(`(?<![\\d.])(?:${OCTET}\\.){3}${OCTET}(?!\\.?\\d)`, "g");
/** Of this machine, of private networks, of links, of groups, and those kept for documentation. */
const NON_PUBLIC_IPV4 =
  /^(?:0|10|127|22[4-9]|23\d|24\d|25\d)\.|^192\.168\.|^169\.254\.|^172\.(?:1[6-9]|2\d|3[01])\.|^192\.0\.2\.|^198\.51\.100\.|^203\.0\.113\.|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./;

export function findIpv4(stretch: string, offset: number, reportValue: ReportValue): void {
  for (const { 0: address, index } of stretch.matchAll(IPV4)) {
    if (!NON_PUBLIC_IPV4.test(address))
      reportValue("ip_address", WEIGHT, offset + index, offset + index + address.length);
  }
}

const MAC = /[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}(?![:0-9A-Fa-f])/y;
const IPV6 = /[0-9A-Fa-f]{1,4}(?::{1,2}[0-9A-Fa-f]{1,4}){3,7}(?![:0-9A-Fa-f.])/y;
const PUBLIC_IPV6 = /^[23][0-9a-f]{3}:(?!0?db8:)/i;

/** Addresses that are written with colons. */
export function findNetworkAddresses(
  text: string,
  colons: readonly number[],
  reportValue: ReportValue,
): void {
  let done = 0;
  for (let at = 0; at + 2 < colons.length; at += 1) {
    const colon = colons[at] ?? 0;
    if (colon < done || (colons[at + 2] ?? 0) - colon > 10) continue;
    const start = hexStart(text, colon);
    if (start === colon) continue;
    MAC.lastIndex = start;
    IPV6.lastIndex = start;
    if (MAC.test(text)) {
      reportValue("mac_address", WEIGHT, start, MAC.lastIndex);
      done = MAC.lastIndex;
    } else if (PUBLIC_IPV6.test(text.slice(start, start + 12)) && IPV6.test(text)) {
      reportValue("ip_address", WEIGHT, start, IPV6.lastIndex);
      done = IPV6.lastIndex;
    }
  }
}

function hexStart(text: string, colon: number): number {
  let start = colon;
  while (start > 0 && colon - start < 4 && /[0-9A-Fa-f]/.test(text.charAt(start - 1))) start -= 1;
  return /[0-9A-Za-z:]/.test(text.charAt(start - 1)) ? colon : start;
}
