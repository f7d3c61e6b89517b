import { ENCODINGS } from "./encodings.ts";
import { LETTER_FORMS } from "./letter-forms.ts";
import { REARRANGEMENTS } from "./rearrangements.ts";

/** One way to hide a text from whoever reads it letter by letter. The same text always becomes the same. */
export interface Transformation {
  readonly name: string;
  apply(text: string): string;
}

/** Every way that the battery tries. */
export const TRANSFORMATIONS: readonly Transformation[] = [...LETTER_FORMS, ...REARRANGEMENTS, ...ENCODINGS];
