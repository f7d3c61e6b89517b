import { textBefore } from "../cues.ts";
import type { ReportValue } from "../private-value.ts";
import { entropyOf } from "./entropy.ts";
import { isKeyLike } from "./key-like.ts";
import { isExampleValue } from "./nobodys.ts";

const JWT = /eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{10,2000}/y;
/** One of which the end is missing. */
const UNTERMINATED_JWT = /eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{64,8000}$/y;
/** One of which only the first part is here: others would be shorter, or say nothing about a signature. */
const PARTIAL_JWT = /eyJ[A-Za-z0-9_-]{200,4000}$/y;
const JWT_HEADER_FIELD = /"(?:alg|typ|enc)"\s?:/;
const LONG_JWT_HEADER_FIELD = /"(?:alg|typ|enc|kid|x5[cu]|x5t(?:#S256)?|jwk|jku|cty|crit)"\s?:/;
const DISCORD_BOT = /[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])/y;
const TERRAFORM = /[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}(?![A-Za-z0-9])/y;
const TELEGRAM_BOT = /(?:^|[^\d])(\d{8,10}:)$/;
const AZURE_CLIENT = /(?:^|[^\w~.])([A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{0,10})$/;
const WEB_HOOK =
  /(?:https?:\/\/)?(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Z0-9]{8,14}\/[A-Z0-9]{8,14}\/|(?:\w{1,8}\.)?discord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/)$/;
const KEY_LABEL =
  /(?:api|auth|access|secret|private|account|signing|client|master|license)[ _-]?(?:keys?|tokens?|secrets?)\W{0,4}(?:(?:is|was|of|for \w{1,16})\W{1,4}){0,2}$|(?:^|[^a-z])(?:secret|token|password|bearer|credential|passphrase)\W{0,4}(?:(?:is|was|of|for \w{1,16})\W{1,4}){0,2}$/i;
const HASH_LABEL = /(?:hash|digest|sha-?\d{0,3}|md5|etag|checksum|commit|uuid|nonce)[^a-z]{0,12}$/i;

/** Keys whose beginning says nothing: known by their form, by where they stand, or by what they are called. Says where the one ends that begins here. */
export function findUnprefixedKeys(
  text: string,
  start: number,
  end: number,
  reportValue: ReportValue,
): number | undefined {
  const jwtEnd = text.startsWith("eyJ", start) ? endOfJwt(text, start) : undefined;
  if (jwtEnd !== undefined) {
    reportValue("jwt", 0.9, start, jwtEnd);
    return jwtEnd;
  }
  for (const form of [DISCORD_BOT, TERRAFORM]) {
    form.lastIndex = start;
    if (form.test(text) && entropyOf(text.slice(start, form.lastIndex)) >= 3.5) {
      reportValue("api_key", 0.9, start, form.lastIndex);
      return form.lastIndex;
    }
  }
  const word = text.slice(start, Math.min(end, start + 512));
  if (!isKeyLike(word) || isExampleValue(word)) return undefined;
  const before = textBefore(text, start, 80);
  const led = leadLength(before, word);
  if (led !== undefined) reportValue("api_key", 0.95, start - led, end);
  else if (word.length >= 20 && isLabelledAsKey(before)) reportValue("api_key", 0.6, start, end);
  else return undefined;
  return end;
}

/** How much of the key stands before the long word at its end. */
function leadLength(before: string, word: string): number | undefined {
  if (word.startsWith("AA") && word.length === 35) return TELEGRAM_BOT.exec(before)?.[1]?.length;
  const azure = AZURE_CLIENT.exec(before.slice(-24))?.[1]?.length;
  return azure ?? WEB_HOOK.exec(before)?.[0].length;
}

function isLabelledAsKey(before: string): boolean {
  const line = before.slice(-40).split("\n").at(-1) ?? "";
  return KEY_LABEL.test(line) && !HASH_LABEL.test(line);
}

function endOfJwt(text: string, start: number): number | undefined {
  const end = endOf(JWT, text, start) ?? endOf(UNTERMINATED_JWT, text, start);
  if (end !== undefined)
    return JWT_HEADER_FIELD.test(decoded(text, start, text.indexOf(".", start))) ? end : undefined;
  const begun = endOf(PARTIAL_JWT, text, start);
  return begun !== undefined && LONG_JWT_HEADER_FIELD.test(decoded(text, start, begun)) ? begun : undefined;
}

function decoded(text: string, start: number, end: number): string {
  return Buffer.from(text.slice(start, end), "base64url").toString("latin1");
}

function endOf(form: RegExp, text: string, start: number): number | undefined {
  form.lastIndex = start;
  return form.test(text) ? form.lastIndex : undefined;
}
