import { ENCODINGS } from "./encodings.ts";
import { LETTER_FORMS } from "./letter-forms.ts";
import { REARRANGEMENTS } from "./rearrangements.ts";
import type { Transformation } from "./transformation.ts";

/** Every way that the battery tries. */
export const TRANSFORMATIONS: readonly Transformation[] = [...LETTER_FORMS, ...REARRANGEMENTS, ...ENCODINGS];
