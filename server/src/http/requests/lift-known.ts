import { EFFORTS, type Parameters, type Scalar } from "@trunkline/core/inference.ts";

type Known = Omit<Parameters, "maxTokens" | "temperature" | "size" | "voice" | "format" | "others">;

/** What a parameter of a usual name means; undefined where its value makes no sense under that name. */
const MEANINGS: Readonly<Record<string, (value: Scalar) => Known | undefined>> = {
  top_p: (value) => (isNumber(value) ? { topP: value } : undefined),
  top_k: (value) => (isCount(value) ? { topK: value } : undefined),
  stop: (value) => (typeof value === "string" ? { stop: [value] } : undefined),
  seed: (value) => (isNumber(value) && Number.isSafeInteger(value) ? { seed: value } : undefined),
  frequency_penalty: (value) => (isNumber(value) ? { frequencyPenalty: value } : undefined),
  presence_penalty: (value) => (isNumber(value) ? { presencePenalty: value } : undefined),
  reasoning_effort: (value) => {
    const effort = EFFORTS.find((known) => known === value);
    return effort === undefined ? undefined : { thinking: { effort } };
  },
};

/** Parts the parameters that every provider has a word for from those that only one may understand. */
export function liftKnown(given: Readonly<Record<string, Scalar>>): Known & Pick<Parameters, "others"> {
  let known: Known = {};
  const others: Record<string, Scalar> = {};
  for (const [name, value] of Object.entries(given)) {
    const meaning = Object.hasOwn(MEANINGS, name) ? MEANINGS[name]?.(value) : undefined;
    if (meaning === undefined) others[name] = value;
    else known = { ...known, ...meaning };
  }
  return { ...known, others };
}

function isNumber(value: Scalar): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isCount(value: Scalar): value is number {
  return isNumber(value) && Number.isSafeInteger(value) && value > 0;
}
