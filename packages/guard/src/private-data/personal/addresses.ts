import type { ReportValue } from "../candidates/private-value.ts";
import { matchesIn } from "../candidates/scan-text.ts";

const DOMAIN = /@(?:[A-Za-z0-9À-ɏ][A-Za-z0-9À-ɏ-]{0,62}\.){1,5}[A-Za-z]{2,24}(?![A-Za-z0-9_@])/y;
const LOCAL_MAX = 64;
/** Reserved for documentation and tests. */
const RESERVED = /(?:[@.])(?:example(?:\.(?:com|org|net))?|test|invalid|localhost)$/i;
/** Names that stand for any person. */
const PLACEHOLDER_NAME =
  /^(?:user(?:name)?|name|e?-?mail|you(?:r.*)?|me|my.*|some(?:one|body)|any(?:one|body)|foo|bar|baz|test(?:er|user|ing)?|admin|info|hello|jo|a|b|x|alice|bob|john|jane|joe|john\.?doe|jane\.?doe|first\.?last|firstname\.lastname|noreply|no-reply|support|contact|example)\d{0,3}$/i;
/** File and package names rather than hosts. */
const FILE_NAME =
  /\.(?:png|jpe?g|gif|svg|webp|ico|pdf|js|mjs|ts|tsx|jsx|css|html?|json|ya?ml|md|txt|py|rb|go|rs|java|sh|zip|gz)$/i;
/** Programs that use the syntax of an address. */
const PROGRAM_NAME = /^(?:git|hg|svn|root|mailer-daemon)$/i;

/** Finds an email address around each at sign. Addresses at reserved hosts count only with a personal name. */
export function findEmails(text: string, atSigns: readonly number[], reportValue: ReportValue): void {
  for (const at of atSigns) {
    const start = localStart(text, at);
    if (start === at) continue;
    DOMAIN.lastIndex = at;
    const domain = DOMAIN.exec(text)?.[0];
    if (domain === undefined || FILE_NAME.test(domain)) continue;
    const local = text.slice(start, at);
    if (PROGRAM_NAME.test(local) || isInUrl(text, start)) continue;
    const isReserved = RESERVED.test(domain);
    if (isReserved && PLACEHOLDER_NAME.test(local)) continue;
    reportValue("email", isReserved ? 0.55 : 0.7, start, at + domain.length);
  }
}

/** Whether this is the user part of a URL. */
function isInUrl(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - LOCAL_MAX), start);
  const slashes = before.lastIndexOf("://");
  return slashes !== -1 && !/[\s/?#]/.test(before.slice(slashes + 3));
}

/** The start of the local part before an at sign; the at sign itself if there is none. */
function localStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < LOCAL_MAX && isLocalPartCharacter(text.charCodeAt(start - 1))) start -= 1;
  // With another at sign before it, it is a handle: @user@host.
  if (text.charAt(start - 1) === "@") return at;
  while (start < at && isInnerOnlyCharacter(text.charCodeAt(start))) start += 1;
  return isInnerOnlyCharacter(text.charCodeAt(at - 1)) ? at : start;
}

function isLocalPartCharacter(code: number): boolean {
  if (code >= 128) return code >= 0xc0 && code <= 0x24f;
  return isLetterOrDigit(code) || LOCAL_SIGNS.includes(String.fromCharCode(code));
}

const LOCAL_SIGNS = "._%+-'";

function isLetterOrDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || ((code | 32) >= 97 && (code | 32) <= 122);
}

/** Characters allowed inside the local part, but neither first nor last. */
function isInnerOnlyCharacter(code: number): boolean {
  return code === 46 || code === 39 || code === 37 || code === 45;
}

const MASKED_EMAIL =
  /[([{<] ?at ?[)\]}>] ?((?:[A-Za-z0-9][A-Za-z0-9-]{0,40} ?(?:[([{<] ?(?:dot|punkt|point|punto) ?[)\]}>]|\.) ?){1,4}[A-Za-z]{2,12})\b/iy;
/** If "the", "a" or "this" follows, a real dot is meant. */
const SPOKEN_EMAIL =
  / at (?!the |an? |this |that |every |each )((?:[A-Za-z0-9][A-Za-z0-9-]{0,40} dot ){1,3}[A-Za-z]{2,12})\b/iy;
/** The maximum distance between "at" and the first "dot" of a spoken address. */
const SPOKEN_REACH = 48;

/** "name (at) host (dot) com" */
export function findMaskedEmails(text: string, brackets: readonly number[], reportValue: ReportValue): void {
  for (const bracket of brackets) {
    MASKED_EMAIL.lastIndex = bracket;
    if (!MASKED_EMAIL.test(text)) continue;
    const end = MASKED_EMAIL.lastIndex;
    const at = text.charAt(bracket - 1) === " " ? bracket - 1 : bracket;
    const start = localStart(text, at);
    if (start < at) reportValue("email", 0.55, start, end);
  }
}

/** "name at host dot com" */
export function findSpokenEmails(text: string, dots: readonly number[], reportValue: ReportValue): void {
  let done = 0;
  for (const dot of dots) {
    const from = Math.max(done, dot - SPOKEN_REACH);
    const before = text.slice(from, dot).lastIndexOf(" at ");
    if (before === -1) continue;
    const at = from + before;
    SPOKEN_EMAIL.lastIndex = at;
    const start = localStart(text, at);
    if (start === at || !SPOKEN_EMAIL.test(text)) continue;
    done = SPOKEN_EMAIL.lastIndex;
    reportValue("email", 0.55, start, done);
  }
}

/** Too common in logs to be reported by default; a lower threshold redacts them. */
const WEIGHT = 0.3;
const OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const IPV4 = new RegExp(`(?<![\\d.])(?:${OCTET}\\.){3}${OCTET}(?!\\.?\\d)`, "g");
/** Loopback, private, link-local, multicast and documentation ranges. */
const NON_PUBLIC_IPV4 =
  /^(?:0|10|127|22[4-9]|23\d|24\d|25\d)\.|^192\.168\.|^169\.254\.|^172\.(?:1[6-9]|2\d|3[01])\.|^192\.0\.2\.|^198\.51\.100\.|^203\.0\.113\.|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./;

export function findIpv4(segment: string, offset: number, reportValue: ReportValue): void {
  for (const { 0: address, index } of matchesIn(segment, IPV4)) {
    if (!NON_PUBLIC_IPV4.test(address))
      reportValue("ip_address", WEIGHT, offset + index, offset + index + address.length);
  }
}

const MAC = /[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}(?![:0-9A-Fa-f])/y;
const IPV6 = /[0-9A-Fa-f]{1,4}(?::{1,2}[0-9A-Fa-f]{1,4}){3,7}(?![:0-9A-Fa-f.])/y;
const PUBLIC_IPV6 = /^[23][0-9a-f]{3}:(?!0?db8:)/i;

/** Finds MAC and IPv6 addresses. */
export function findNetworkAddresses(text: string, colons: readonly number[], reportValue: ReportValue): void {
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
