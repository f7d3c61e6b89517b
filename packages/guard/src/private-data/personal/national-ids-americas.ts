import { digitAt, isMonthAndDay, type NationalIdFormat, passesLuhn, weightedSum } from "./id-checks.ts";

/** Printed on cards in wallets that were sold, and in an advertisement. */
const PUBLISHED_SSNS = new Set(["078051120", "219099999"]);
const CURP_SIGNS = "0123456789ABCDEFGHIJKLMN:OPQRSTUVWXYZ";

export const AMERICAN_ID_FORMATS: readonly NationalIdFormat[] = [
  {
    // United States: social security
    pattern: "(?!000|666|9)\\d{3}-(?!00)\\d{2}-(?!0000)\\d{4}",
    digits: 9,
    isValid: isSsn,
    keywords: /\bssn\b|social security/i,
    weightWithoutKeyword: 0.6,
  },
  {
    // The same without hyphens
    pattern: "(?!000|666|9)\\d{3}([ .]?)(?!00)\\d{2}\\1(?!0000)\\d{4}",
    digits: 9,
    isValid: isSsn,
    keywords: /\bssn\b|social security/i,
  },
  {
    // United States: taxpayers without a social security number, and employers
    pattern: "9\\d{2}-?(?:5\\d|6[0-5]|7\\d|8[0-8]|9[0-24-9])-?\\d{4}",
    digits: 9,
    isValid: () => true,
    keywords: /\bitin\b|taxpayer/i,
  },
  {
    pattern: "\\d{2}-\\d{7}",
    digits: 9,
    isValid: () => true,
    keywords: /\bein\b|\bfein\b|employer id|tax id/i,
  },
  {
    // Canada
    pattern: "[1-79]\\d{2}([ -]?)\\d{3}\\1\\d{3}",
    digits: 9,
    isValid: passesLuhn,
    keywords: /\bsin\b|social insurance|\bnas\b|assurance sociale/i,
  },
  {
    // Brazil: people and companies
    pattern: "\\d{3}\\.?\\d{3}\\.?\\d{3}[-/]?\\d{2}",
    digits: 11,
    isValid: isCpf,
    keywords: /\bcpf\b/i,
    weightWithoutKeyword: 0.65,
    requiresSeparators: true,
  },
  {
    pattern: "\\d{2}\\.?\\d{3}\\.?\\d{3}/?\\d{4}-?\\d{2}",
    digits: 14,
    isValid: isCnpj,
    keywords: /\bcnpj\b/i,
    weightWithoutKeyword: 0.65,
    requiresSeparators: true,
  },
  {
    // Mexico: people, and the tax number
    pattern: "[A-Z][AEIOUX][A-Z]{2}\\d{2}[01]\\d[0-3]\\d[HMX][A-Z]{2}[B-DF-HJ-NP-TV-Z]{3}[A-Z0-9]\\d",
    digits: 7,
    capitals: 10,
    isValid: isCurp,
    keywords: /\bcurp\b/i,
    weightWithoutKeyword: 0.8,
  },
  {
    pattern: "[A-Z&]{3,4}\\d{2}[01]\\d[0-3]\\d[A-Z0-9]{3}",
    digits: 6,
    capitals: 3,
    isValid: (id) => isMonthAndDay(id.slice(-7, -5), id.slice(-5, -3)),
    keywords: /\brfc\b/i,
  },
  {
    // Argentina
    pattern: "(?:20|2[3-7]|30|33|34)-?\\d{8}-?\\d",
    digits: 11,
    isValid: (id) => {
      const rest = 11 - (weightedSum(id, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11);
      return (rest === 11 ? 0 : rest === 10 ? 9 : rest) === digitAt(id, 10);
    },
    keywords: /\bcui[tl]\b/i,
    weightWithoutKeyword: 0.6,
    requiresSeparators: true,
  },
  {
    // Chile
    pattern: "\\d{1,2}\\.\\d{3}\\.\\d{3}-[0-9K]|\\d{7,8}-?[0-9K]",
    digits: 7,
    isValid: isRut,
    keywords: /\brut\b|\brun\b/i,
    weightWithoutKeyword: 0.6,
    requiresSeparators: true,
  },
];

function isSsn(id: string): boolean {
  return !PUBLISHED_SSNS.has(id) && !/^(\d)\1+$/.test(id);
}

function isCpf(id: string): boolean {
  if (/^(\d)\1+$/.test(id)) return false;
  const check = (weights: readonly number[]) => ((weightedSum(id, weights) * 10) % 11) % 10;
  return (
    check([10, 9, 8, 7, 6, 5, 4, 3, 2]) === digitAt(id, 9) &&
    check([11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) === digitAt(id, 10)
  );
}

function isCnpj(id: string): boolean {
  if (/^(\d)\1+$/.test(id)) return false;
  const check = (weights: readonly number[]) => {
    const rest = weightedSum(id, weights) % 11;
    return rest < 2 ? 0 : 11 - rest;
  };
  return (
    check([5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) === digitAt(id, 12) &&
    check([6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) === digitAt(id, 13)
  );
}

/** Ñ has a value of its own between N and O, but never occurs in the scanned range. */
function isCurp(id: string): boolean {
  let sum = 0;
  for (let at = 0; at < 17; at += 1) sum += CURP_SIGNS.indexOf(id.charAt(at)) * (18 - at);
  return isMonthAndDay(id.slice(6, 8), id.slice(8, 10)) && (10 - (sum % 10)) % 10 === digitAt(id, 17);
}

function isRut(id: string): boolean {
  let sum = 0;
  const digits = id.slice(0, -1);
  for (let at = 0; at < digits.length; at += 1) sum += digitAt(digits, digits.length - 1 - at) * (2 + (at % 6));
  const check = 11 - (sum % 11);
  return (check === 11 ? "0" : check === 10 ? "K" : String(check)) === id.at(-1);
}
