import {
  decimalModulo,
  digitAt,
  isMonthAndDay,
  type NationalIdFormat,
  passesLuhn,
  passesVerhoeff,
  weightedSum,
} from "./id-checks.ts";

/** Asia, Africa and Australia. */
export const REST_OF_WORLD_ID_FORMATS: readonly NationalIdFormat[] = [
  {
    // India: people
    pattern: "[2-9]\\d{3}([ -]?)\\d{4}\\1\\d{4}",
    digits: 12,
    isValid: passesVerhoeff,
    keywords: /aadha+r|\buid\b|आधार/i,
  },
  {
    // India: tax; the fourth letter marks a person
    pattern: "[A-Z]{3}P[A-Z]\\d{4}[A-Z]",
    digits: 4,
    capitals: 6,
    isValid: () => true,
    keywords: /\bpan\b|permanent account/i,
    weightWithoutKeyword: 0.6,
  },
  {
    pattern: "[A-Z]{3}[ABCFGHLJT][A-Z]\\d{4}[A-Z]",
    digits: 4,
    capitals: 6,
    isValid: () => true,
    keywords: /\bpan\b|permanent account/i,
  },
  {
    // China
    pattern: "[1-9]\\d{5}(?:19|20)\\d{2}[01]\\d[0-3]\\d{4}[0-9X]",
    digits: 17,
    isValid: isChinese,
    keywords: /身份证|身分證|identity|\bid\b/i,
    weightWithoutKeyword: 0.85,
  },
  {
    // Hong Kong
    pattern: "[A-Z]{1,2}\\d{6} ?\\([0-9A]\\)",
    digits: 6,
    capitals: 1,
    isValid: isHongKong,
    keywords: /hkid|身份證/i,
    weightWithoutKeyword: 0.65,
  },
  {
    // Taiwan
    pattern: "[A-Z][1289]\\d{8}",
    digits: 9,
    capitals: 1,
    isValid: isTaiwanese,
    keywords: /身分證|統一編號|taiwan/i,
  },
  {
    // Singapore
    pattern: "[STFGM]\\d{7}[A-Z]",
    digits: 7,
    capitals: 2,
    isValid: isSingaporean,
    keywords: /nric|\bfin\b/i,
    weightWithoutKeyword: 0.65,
  },
  {
    // Korea; newer numbers have no check digit
    pattern: "\\d{2}[01]\\d[0-3]\\d-[1-8]\\d{6}",
    digits: 13,
    isValid: (id) => isMonthAndDay(id.slice(2, 4), id.slice(4, 6)),
    keywords: /주민|resident registration|\brrn\b/i,
  },
  {
    pattern: "\\d{2}[01]\\d[0-3]\\d-[1-8]\\d{6}",
    digits: 13,
    isValid: (id) =>
      isMonthAndDay(id.slice(2, 4), id.slice(4, 6)) &&
      (11 - (weightedSum(id, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11)) % 10 === digitAt(id, 12),
    keywords: /주민/,
    weightWithoutKeyword: 0.7,
  },
  {
    // Japan
    pattern: "\\d{4}([ -]?)\\d{4}\\1\\d{4}",
    digits: 12,
    isValid: (id) => {
      const rest = weightedSum(id, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
      return (rest <= 1 ? 0 : 11 - rest) === digitAt(id, 11);
    },
    keywords: /マイナンバー|個人番号|my ?number/i,
  },
  {
    // Thailand
    pattern: "[1-8]([ -]?)\\d{4}\\1\\d{5}\\1\\d{2}\\1\\d",
    digits: 13,
    isValid: (id) => (11 - (weightedSum(id, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 10 === digitAt(id, 12),
    keywords: /บัตรประชาชน|thai/i,
    weightWithoutKeyword: 0.65,
    requiresSeparators: true,
  },
  {
    // Indonesia
    pattern: "\\d{6}[0-7]\\d[01]\\d{7}",
    digits: 16,
    isValid: (id) => isMonthAndDay(id.slice(8, 10), String(Number(id.slice(6, 8)) % 40)),
    keywords: /\bnik\b|\bktp\b/i,
  },
  {
    // Israel
    pattern: "\\d{9}",
    digits: 9,
    isValid: passesLuhn,
    keywords: /teudat|תעודת זהות|israel/i,
  },
  {
    // Australia: tax, health, business
    pattern: "\\d{3} ?\\d{3} ?\\d{2,3}",
    digits: 8,
    isValid: (id) =>
      weightedSum(id, id.length === 9 ? [1, 4, 3, 7, 5, 8, 6, 9, 10] : [10, 7, 8, 4, 6, 3, 5, 1]) % 11 === 0,
    keywords: /\btfn\b|tax file/i,
  },
  {
    pattern: "[2-6]\\d{3} ?\\d{5} ?\\d",
    digits: 10,
    isValid: (id) => weightedSum(id, [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === digitAt(id, 8),
    keywords: /medicare/i,
  },
  {
    pattern: "\\d{2} ?\\d{3} ?\\d{3} ?\\d{3}",
    digits: 11,
    isValid: (id) => decimalModulo(String(weightedSum(id, [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) - 10), 89) === 0,
    keywords: /\babn\b/i,
  },
  {
    // South Africa
    pattern: "\\d{2}[01]\\d[0-3]\\d ?\\d{4} ?[01][89]\\d",
    digits: 13,
    isValid: (id) => isMonthAndDay(id.slice(2, 4), id.slice(4, 6)) && passesLuhn(id),
    keywords: /south africa|\brsa\b|\bid (?:number|no)/i,
    weightWithoutKeyword: 0.6,
  },
];

function isChinese(id: string): boolean {
  const sum = weightedSum(id, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
  return isMonthAndDay(id.slice(10, 12), id.slice(12, 14)) && "10X98765432".charAt(sum % 11) === id.charAt(17);
}

function isHongKong(id: string): boolean {
  const padded = id.length === 8 ? ` ${id}` : id;
  let sum = 0;
  for (let at = 0; at < 8; at += 1) {
    const character = padded.charAt(at);
    const value = character === " " ? 36 : Number.parseInt(character, 36);
    sum += value * (9 - at);
  }
  const check = padded.charAt(8) === "A" ? 10 : digitAt(padded, 8);
  return (sum + check) % 11 === 0;
}

const TAIWANESE = "ABCDEFGHJKLMNPQRSTUVXYWZIO";

function isTaiwanese(id: string): boolean {
  const place = TAIWANESE.indexOf(id.charAt(0)) + 10;
  const sum = Math.floor(place / 10) + (place % 10) * 9 + weightedSum(id.slice(1), [8, 7, 6, 5, 4, 3, 2, 1, 1]);
  return sum % 10 === 0;
}

function isSingaporean(id: string): boolean {
  const kind = id.charAt(0);
  const extra = kind === "T" || kind === "G" ? 4 : kind === "M" ? 3 : 0;
  const rest = (weightedSum(id.slice(1), [2, 7, 6, 5, 4, 3, 2]) + extra) % 11;
  const letters = kind === "S" || kind === "T" ? "JZIHGFEDCBA" : kind === "M" ? "XWUTRQPNJLK" : "XWUTRQPNMLK";
  return letters.charAt(kind === "M" ? 10 - rest : rest) === id.charAt(8);
}
