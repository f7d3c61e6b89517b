import {
  decimalModulo,
  digitAt,
  isMonthAndDay,
  type NationalIdFormat,
  passesLuhn,
  passesMod11And10,
  weightedSum,
} from "./id-checks.ts";

const SPANISH_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE";
const FINNISH_SIGNS = "0123456789ABCDEFHJKLMNPRSTUVWXY";
const IRISH_LETTERS = "WABCDEFGHIJKLMNOPQRSTUV";
/** The values of characters at odd positions of a codice fiscale, starting with 0 and A. */
const ITALIAN_ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

export const EUROPEAN_ID_FORMATS: readonly NationalIdFormat[] = [
  {
    // United Kingdom: national insurance
    pattern: "(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\\d{2} ?\\d{2} ?\\d{2} ?[A-D]",
    digits: 6,
    capitals: 3,
    isValid: () => true,
    keywords: /national insurance|\bnino?\b|\bni (?:number|no)/i,
    weightWithoutKeyword: 0.65,
  },
  {
    // United Kingdom: health service
    pattern: "\\d{3}[ -]?\\d{3}[ -]?\\d{4}",
    digits: 10,
    isValid: (id) => elevenLess(weightedSum(id, [10, 9, 8, 7, 6, 5, 4, 3, 2]), 11) === digitAt(id, 9),
    keywords: /\bnhs\b/i,
  },
  {
    // Germany: tax
    pattern: "[1-9]\\d ?\\d{3} ?\\d{3} ?\\d{3}",
    digits: 11,
    isValid: (id) => repeatsOneDigit(id.slice(0, 10)) && passesMod11And10(id),
    keywords: /steuer|idnr|tax|\btin\b|\bid-?nr/i,
  },
  {
    // Germany: pension
    pattern: "\\d{2} ?[0-3]\\d[01]\\d\\d{2} ?[A-Z] ?\\d{3}",
    digits: 11,
    capitals: 1,
    isValid: isGermanPension,
    keywords: /rente|sozialversicherung|sv-?n/i,
    weightWithoutKeyword: 0.65,
  },
  {
    // France: social security
    pattern: "[1278] ?\\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\\d) ?(?:\\d{2}|2[AB]) ?\\d{3} ?\\d{3} ?\\d{2}",
    digits: 14,
    isValid: isFrenchNir,
    keywords: /sécu|secu|\bnir\b|\binsee\b|num[ée]ro/i,
    weightWithoutKeyword: 0.8,
  },
  {
    // Spain: citizens and foreigners
    pattern: "(?:\\d{8}|[XYZ][- ]?\\d{7})[- ]?[A-HJ-NP-TV-Z]",
    digits: 7,
    capitals: 1,
    isValid: (id) => {
      const digits = id.slice(0, -1).replace(/^[XYZ]/, (letter) => String("XYZ".indexOf(letter)));
      return SPANISH_LETTERS.charAt(Number(digits) % 23) === id.at(-1);
    },
    keywords: /\bdni\b|\bnie\b|\bnif\b|identidad/i,
    weightWithoutKeyword: 0.65,
  },
  {
    // Italy: codice fiscale
    pattern: "[A-Z]{6}[\\dL-NP-V]{2}[A-EHLMPRST][\\dL-NP-V]{2}[A-Z][\\dL-NP-V]{3}[A-Z]",
    digits: 4,
    capitals: 9,
    isValid: isCodiceFiscale,
    keywords: /codice fiscale|\bc\.?f\.?\b/i,
    weightWithoutKeyword: 0.8,
  },
  {
    // Netherlands
    pattern: "\\d{9}|\\d{4}[ .]\\d{2}[ .]\\d{3}|\\d{3}[ .]\\d{3}[ .]\\d{3}",
    digits: 9,
    isValid: (id) => +id > 0 && weightedSum(id, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0,
    keywords: /\bbsn\b|burgerservice|sofi/i,
  },
  {
    // Belgium
    pattern: "\\d{2}[. ]?[0-5]\\d[. ]?[0-3]\\d[- ]?\\d{3}[. ]?\\d{2}",
    digits: 11,
    isValid: (id) => {
      const [number, check] = [id.slice(0, 9), Number(id.slice(9))];
      return 97 - decimalModulo(number, 97) === check || 97 - decimalModulo(`2${number}`, 97) === check;
    },
    keywords: /rijksregister|registre national|niss|\binsz\b|national number|nationaal/i,
    weightWithoutKeyword: 0.65,
    requiresSeparators: true,
  },
  {
    // Poland
    pattern: "\\d{11}",
    digits: 11,
    isValid: (id) =>
      isMonthAndDay(String(Number(id.slice(2, 4)) % 20), id.slice(4, 6)) &&
      weightedSum(id, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0,
    keywords: /pesel/i,
  },
  {
    // Sweden
    pattern: "(?:19|20)?\\d{2}[01]\\d[0-369]\\d[-+]?\\d{4}",
    digits: 10,
    isValid: (id) => {
      const ten = id.slice(-10);
      return isMonthAndDay(ten.slice(2, 4), String(Number(ten.slice(4, 6)) % 60)) && passesLuhn(ten);
    },
    keywords: /person(?:nummer|nr)|samordning|swedish/i,
    weightWithoutKeyword: 0.6,
    requiresSeparators: true,
  },
  {
    // Finland
    pattern: "[0-3]\\d[01]\\d{3}[-+A-FU-Y]\\d{3}[0-9A-FHJ-NPR-Y]",
    digits: 9,
    isValid: (id) => {
      const digits = id.slice(0, 6) + id.slice(-4, -1);
      return isMonthAndDay(id.slice(2, 4), id.slice(0, 2)) && FINNISH_SIGNS.charAt(Number(digits) % 31) === id.at(-1);
    },
    keywords: /hetu|henkilötunnus|personbeteckning/i,
    weightWithoutKeyword: 0.65,
  },
  {
    // Norway
    pattern: "[0-7]\\d[01]\\d{3} ?\\d{5}",
    digits: 11,
    isValid: (id) =>
      isMonthAndDay(id.slice(2, 4), String(Number(id.slice(0, 2)) % 40)) &&
      weightedSum(id, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 === 0 &&
      weightedSum(id, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
    keywords: /fødselsn|personnummer|d-nummer/i,
    weightWithoutKeyword: 0.6,
  },
  {
    // Denmark
    pattern: "[0-3]\\d[01]\\d{3}-?\\d{4}",
    digits: 10,
    isValid: (id) => isMonthAndDay(id.slice(2, 4), id.slice(0, 2)),
    keywords: /\bcpr\b|personnummer/i,
  },
  {
    // Portugal
    pattern: "[1-35689]\\d{2} ?\\d{3} ?\\d{3}",
    digits: 9,
    isValid: (id) => elevenLess(weightedSum(id, [9, 8, 7, 6, 5, 4, 3, 2]), 11) % 10 === digitAt(id, 8),
    keywords: /\bnif\b|contribuinte/i,
  },
  {
    // Switzerland
    pattern: "756\\.?\\d{4}\\.?\\d{4}\\.?\\d{2}",
    digits: 13,
    isValid: (id) => weightedSum(id, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0,
    keywords: /\bahv\b|\bavs\b/i,
    weightWithoutKeyword: 0.75,
  },
  {
    // Austria
    pattern: "[1-9]\\d{3} ?[0-3]\\d[01]\\d{3}",
    digits: 10,
    isValid: (id) => weightedSum(id, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11 === digitAt(id, 3),
    keywords: /sozialversicherung|\bsvnr\b|sv-?nummer/i,
  },
  {
    // Ireland
    pattern: "\\d{7}[A-W][A-IW]?",
    digits: 7,
    capitals: 1,
    isValid: (id) => {
      const second = id.charAt(8) === "" ? 0 : IRISH_LETTERS.indexOf(id.charAt(8));
      return IRISH_LETTERS.charAt((weightedSum(id, [8, 7, 6, 5, 4, 3, 2]) + second * 9) % 23) === id.charAt(7);
    },
    keywords: /\bpps/i,
  },
  {
    // Czechia and Slovakia
    pattern: "\\d{2}[0-8]\\d[0-3]\\d/?\\d{4}",
    digits: 10,
    isValid: (id) =>
      isMonthAndDay(String((Number(id.slice(2, 4)) % 50) % 20), id.slice(4, 6)) && decimalModulo(id, 11) === 0,
    keywords: /rodn[ée]/i,
    weightWithoutKeyword: 0.6,
    requiresSeparators: true,
  },
  {
    // Romania
    pattern: "[1-9]\\d{2}[01]\\d[0-3]\\d{7}",
    digits: 13,
    isValid: (id) => {
      const rest = weightedSum(id, [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11;
      return isMonthAndDay(id.slice(3, 5), id.slice(5, 7)) && (rest === 10 ? 1 : rest) === digitAt(id, 12);
    },
    keywords: /\bcnp\b|cod numeric/i,
  },
  {
    // Turkey
    pattern: "[1-9]\\d{10}",
    digits: 11,
    isValid: isTurkish,
    keywords: /kimlik|tckn|\bt\.?c\.?\b|turkish/i,
  },
  {
    // Russia: pension
    pattern: "\\d{3}-\\d{3}-\\d{3}[- ]\\d{2}",
    digits: 11,
    isValid: (id) => {
      const sum = weightedSum(id, [9, 8, 7, 6, 5, 4, 3, 2, 1]);
      return (sum % 101) % 100 === Number(id.slice(9));
    },
    keywords: /снилс|snils/i,
    weightWithoutKeyword: 0.6,
  },
];

function elevenLess(sum: number, modulus: number): number {
  const rest = modulus - (sum % modulus);
  return rest === modulus ? 0 : rest;
}

/** Exactly one digit occurs two or three times among the first ten. */
function repeatsOneDigit(digits: string): boolean {
  const counts = new Map<string, number>();
  for (const digit of digits) counts.set(digit, (counts.get(digit) ?? 0) + 1);
  const repeated = [...counts.values()].filter((count) => count > 1);
  return repeated.length === 1 && (repeated[0] ?? 0) <= 3;
}

function isGermanPension(id: string): boolean {
  const letter = String(id.charCodeAt(8) - 64).padStart(2, "0");
  const digits = id.slice(0, 8) + letter + id.slice(9, 11);
  let sum = 0;
  for (const [at, weight] of [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1].entries()) {
    const product = digitAt(digits, at) * weight;
    sum += (product % 10) + Math.floor(product / 10);
  }
  return isMonthAndDay(id.slice(4, 6), String(Number(id.slice(2, 4)) % 50)) && sum % 10 === digitAt(id, 11);
}

/** The departments of Corsica count as 19 and 18. */
function isFrenchNir(id: string): boolean {
  const digits = id.replace("2A", "19").replace("2B", "18");
  return 97 - decimalModulo(digits.slice(0, 13), 97) === Number(id.slice(13));
}

function isCodiceFiscale(id: string): boolean {
  let sum = 0;
  for (let at = 0; at < 15; at += 1) {
    const value = Number.parseInt(id.charAt(at), 36);
    const rank = value > 9 ? value - 10 : value;
    sum += at % 2 === 0 ? (ITALIAN_ODD[rank] ?? 0) : rank;
  }
  return sum % 26 === id.charCodeAt(15) - 65;
}

function isTurkish(id: string): boolean {
  const odd = weightedSum(id, [1, 0, 1, 0, 1, 0, 1, 0, 1]);
  const even = weightedSum(id, [0, 1, 0, 1, 0, 1, 0, 1, 0]);
  const tenth = (((odd * 7 - even) % 10) + 10) % 10;
  return tenth === digitAt(id, 9) && (odd + even + tenth) % 10 === digitAt(id, 10);
}
