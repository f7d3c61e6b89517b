/**
 * How sure what is found in an answer beside its words makes us. The presets report from HINT on; `strict` refuses
 * LIKELY, and `balanced` refuses what is CERTAIN alone.
 */
export const HINT = 0.55;
export const LIKELY = 0.7;
export const CERTAIN = 0.95;
