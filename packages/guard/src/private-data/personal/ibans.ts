import type { ReportValue } from "../private-value.ts";
import { passesMod97 } from "./check-digits.ts";

/** How long an account number is in each country that has them. */
const IBAN_LENGTHS: Readonly<Record<string, number>> = Object.fromEntries(
  (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 " +
    "FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 " +
    "MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 " +
    "TN24 TR26 UA29 VA22 VG24 XK20 YE30"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);
const IBAN_START = /(?<![A-Za-z0-9])[A-Z]{2}\d{2}/g;

/** Bank accounts: the length of their country, and check digits. */
export function findIbans(stretch: string, offset: number, reportValue: ReportValue): void {
  for (const { 0: beginning, index } of stretch.matchAll(IBAN_START)) {
    const length = IBAN_LENGTHS[beginning.slice(0, 2)];
    if (length === undefined) continue;
    const end = ibanEnd(stretch, index, length);
    if (end === undefined) continue;
    const compact = stretch.slice(index, end).replace(/[^A-Z0-9]/g, "");
    if (passesMod97(compact)) reportValue("iban", 0.95, offset + index, offset + end);
  }
}

/** Where so many letters and digits from here on end, with single separators between them. */
function ibanEnd(stretch: string, start: number, length: number): number | undefined {
  let count = 0;
  let at = start;
  for (; count < length; at += 1) {
    const character = stretch.charAt(at);
    if (/[A-Z0-9]/.test(character)) count += 1;
    else if (!/[ -]/.test(character) || !/[A-Z0-9]/.test(stretch.charAt(at + 1))) return undefined;
  }
  return /[A-Za-z0-9]/.test(stretch.charAt(at)) ? undefined : at;
}
