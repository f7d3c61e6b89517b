import type { SafetyCategory } from "../categories.ts";

/** Something of somebody's that should not travel. Offsets into the text as it was written. */
export interface PrivateDatum {
  readonly category: Extract<SafetyCategory, "pii" | "secret">;
  readonly weight: number;
  readonly start: number;
  readonly end: number;
}

/** In every match of the patterns below; most texts hold none of it and are done with one look. */
const NEEDED = /@|\d{4}|[A-Z]{2}\d|-----B|sk-|gh[pousr]_|xox|AIza|AKIA|ASIA|k_live_|tl_/;
const SECRET =
  /-----BEGIN (?:[A-Z]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----|\b(?:AKIA|ASIA)[A-Z2-7]{16}\b|\bsk-(?:[a-z]{2,8}\d{0,2}-)?[A-Za-z0-9_-]{20,}|\bgh[pousr]_[A-Za-z0-9]{36}|\bxox[abprs]-[A-Za-z0-9-]{10,}|\bAIza[A-Za-z0-9_-]{35}|\b[rs]k_live_[A-Za-z0-9]{20,}|\btl_[A-Za-z0-9]{38}\b/g;
const MAYBE_CARD =
  /(?<![\d.,-])(?:3[47]|4\d|5[1-5]|2[2-7]|6[0245])\d{2}[ -]?\d{4}[ -]?\d{4}[ -]?\d{1,4}(?![\d.,]?\d)/g;
const MAYBE_IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g;
const DOMAIN_OF_EMAIL = /(?<=[\w.%+-])@(?:[A-Za-z0-9-]{1,63}\.){1,4}[A-Za-z]{2,24}\b/g;
const LOCAL_PART = /[\w.%+-]{1,64}$/;
/** Reserved for documentation and tests: nobody's. */
const NOBODYS_DOMAIN = /(?:^@|\.)(?:example(?:\.(?:com|org|net))?|test|invalid|localhost)$/i;

/** Keys, cards, bank accounts and e-mail addresses. Reads the original text, as their letters' case matters. */
export function findPrivateData(text: string): PrivateDatum[] {
  const found: PrivateDatum[] = [];
  if (!NEEDED.test(text)) return found;
  const note = (category: PrivateDatum["category"], weight: number, start: number, length: number) =>
    found.push({ category, weight, start, end: start + length });

  for (const match of text.matchAll(SECRET)) note("secret", 0.95, match.index, match[0].length);
  for (const match of text.matchAll(MAYBE_CARD)) {
    if (passesLuhn(match[0].replace(/\D/g, ""))) note("pii", 0.9, match.index, match[0].length);
  }
  for (const match of text.matchAll(MAYBE_IBAN)) {
    if (passesMod97(match[0].replaceAll(" ", ""))) note("pii", 0.9, match.index, match[0].length);
  }
  for (const match of text.matchAll(DOMAIN_OF_EMAIL)) {
    if (NOBODYS_DOMAIN.test(match[0])) continue;
    const local = LOCAL_PART.exec(text.slice(Math.max(0, match.index - 64), match.index))?.[0] ?? "";
    note("pii", 0.6, match.index - local.length, local.length + match[0].length);
  }
  return found;
}

function passesLuhn(digits: string): boolean {
  if (digits.length < 13 || digits.length > 19) return false;
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** ISO 13616: country and check digits to the end, letters as numbers, the rest by 97 is one. */
function passesMod97(iban: string): boolean {
  if (iban.length < 15 || iban.length > 34) return false;
  let remainder = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}
