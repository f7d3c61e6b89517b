/**
 * How one model's leg of an answer ended. answered: it finished the answer. cut-off: another went on after it, or nobody
 * did. failed-check: its answer was whole and thrown away. refused: moderation took it away.
 */
export const SEGMENT_OUTCOMES = ["answered", "cut-off", "failed-check", "refused"] as const;
export type SegmentOutcome = (typeof SEGMENT_OUTCOMES)[number];

/** What stands in place of a price's version where the legs of a request have one each. */
export const PRICED_BY_SEGMENTS = "legs";
