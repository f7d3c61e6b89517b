/** How a country writes the numbers of its people. */
export interface NationalIdFormat {
  /** Bounded, without a `g`: letters are capitals. */
  readonly pattern: string;
  /** The fewest digits and capitals that it has: cheaper to ask than the pattern. */
  readonly digits: number;
  readonly capitals?: number;
  /** Whether the characters without separators are a number that can be. */
  readonly isValid: (compact: string) => boolean;
  /** Words by which people call it. */
  readonly keywords: RegExp;
  /** Where its form and check speak for themselves: how sure they make us without a word about it. */
  readonly weightWithoutKeyword?: number;
  /** Whether it is so only where it is written with separators. */
  readonly requiresSeparators?: boolean;
}
