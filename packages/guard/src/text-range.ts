/** A range of a text, end exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}
