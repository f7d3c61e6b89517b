/** The format of a national identifier. */
export interface NationalIdFormat {
  /** A bounded pattern without flags; letters are upper case. */
  readonly pattern: string;
  /** The minimum number of digits and capitals, which is cheaper to test than the pattern. */
  readonly digits: number;
  readonly capitals?: number;
  /** Whether the value without separators is valid. */
  readonly isValid: (compact: string) => boolean;
  /** Labels of the identifier. */
  readonly keywords: RegExp;
  /** The confidence without a label, for formats and checks that are distinctive enough. */
  readonly weightWithoutKeyword?: number;
  /** Whether that requires separators. */
  readonly requiresSeparators?: boolean;
}

/** Sums the digits times their weights; digits without a weight do not count. */
export function weightedSum(digits: string, weights: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < weights.length; at += 1) sum += digitAt(digits, at) * (weights[at] ?? 0);
  return sum;
}

export function digitAt(digits: string, at: number): number {
  return digits.charCodeAt(at) - 48;
}

/** ISO 7812: every second digit from the right is doubled, and the sum ends in zero. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = digitAt(digits, digits.length - 1 - at);
    const counted = at % 2 === 1 ? digit * 2 : digit;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum % 10 === 0;
}

/** The remainder of a decimal number of any length. */
export function decimalModulo(digits: string, divisor: number): number {
  let remainder = 0;
  for (let at = 0; at < digits.length; at += 1) remainder = (remainder * 10 + digitAt(digits, at)) % divisor;
  return remainder;
}

/** ISO 13616: country and check digits moved to the end, letters as numbers, remainder 1 modulo 97. */
export function passesMod97(iban: string): boolean {
  let remainder = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}

/** ISO 7064, mod 11, 10: used by the German tax number among others. */
export function passesMod11And10(digits: string): boolean {
  let product = 10;
  for (let at = 0; at < digits.length - 1; at += 1) {
    const sum = (digitAt(digits, at) + product) % 10;
    product = ((sum === 0 ? 10 : sum) * 2) % 11;
  }
  return (11 - product) % 10 === digitAt(digits, digits.length - 1);
}

const DIHEDRAL = [
  "0123456789",
  "1234067895",
  "2340178956",
  "3401289567",
  "4012395678",
  "5987604321",
  "6598710432",
  "7659821043",
  "8765932104",
  "9876543210",
];
const PERMUTED = [
  "0123456789",
  "1576283094",
  "5803796142",
  "8916043527",
  "9453126870",
  "4286573901",
  "2793806415",
  "7046913258",
];

/** Verhoeff's check digit, which detects every wrong digit and every swapped pair. */
export function passesVerhoeff(digits: string): boolean {
  let check = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const permuted = digitAt(PERMUTED[at % 8] ?? "", digitAt(digits, digits.length - 1 - at));
    check = digitAt(DIHEDRAL[check] ?? "", permuted);
  }
  return check === 0;
}

/** Whether a day and a month are plausible; the length of the month is not checked. */
export function isMonthAndDay(month: string, day: string): boolean {
  return +month >= 1 && +month <= 12 && +day >= 1 && +day <= 31;
}
