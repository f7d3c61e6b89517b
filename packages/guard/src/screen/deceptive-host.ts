import { domainToUnicode } from "node:url";
import type { WebAddress } from "./link.ts";

const IP = /^(?:\d{1,3}(?:\.\d{1,3}){3}|0x[0-9a-f]{6,8}|\d{8,10}|\[[0-9a-f:.]{2,45}\])$/;
/** Of one's own machine or house: in examples and manuals, and nothing that lures anybody. */
const PRIVATE_IP = /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|0\.0\.0\.0$|\[::1?\]$)/;
/** Kept for documentation. */
const DOCUMENTATION_IP = /^(?:192\.0\.2\.|198\.51\.100\.|203\.0\.113\.)/;
const LOOKS_LIKE_A_HOST = /^(?:www\.|[^:]*\.(?:com|org|net|gov|edu|io|co|[a-z]{2})\b)/i;
const LATIN = /[a-z]/;
const LOOK_ALIKES = /[\u0370-\u03ff\u0400-\u052f\u0530-\u058f]/;
/** Letters that read as Latin ones where a whole name is spelt with them. */
const ALL_LOOK_ALIKES = /^[асԁеһіјӏорԛѕԝхуүαορτυνικβ0-9-]+$/;

/** Whether an address pretends to be another, or hides whose it is. */
export function isDeceptiveAddress({ user, host }: WebAddress): boolean {
  if (user.includes(":") || LOOKS_LIKE_A_HOST.test(user)) return true;
  if (IP.test(host)) return !PRIVATE_IP.test(host) && !DOCUMENTATION_IP.test(host);
  return hasLookAlikes(host);
}

function hasLookAlikes(host: string): boolean {
  const isPlain = !/[^ -~]/.test(host);
  if (isPlain && !host.includes("xn--")) return false;
  const shown = isPlain ? domainToUnicode(host) : host;
  return shown
    .split(".")
    .some((label) => LOOK_ALIKES.test(label) && (LATIN.test(label) || ALL_LOOK_ALIKES.test(label)));
}
