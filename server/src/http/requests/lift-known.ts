import { type Parameters, REASONING_EFFORTS, type Scalar } from "@trunkline/core/inference.ts";

type KnownParameters = Omit<Parameters, "maxTokens" | "temperature" | "size" | "voice" | "format" | "others">;

/** What a parameter of a usual name means; undefined where its value makes no sense under that name. */
const KNOWN_PARAMETERS: Readonly<Record<string, (value: Scalar) => KnownParameters | undefined>> = {
  top_p: (value) => (isNumber(value) ? { topP: value } : undefined),
  top_k: (value) => (isPositiveInteger(value) ? { topK: value } : undefined),
  stop: (value) => (typeof value === "string" ? { stop: [value] } : undefined),
  seed: (value) => (isNumber(value) && Number.isSafeInteger(value) ? { seed: value } : undefined),
  frequency_penalty: (value) => (isNumber(value) ? { frequencyPenalty: value } : undefined),
  presence_penalty: (value) => (isNumber(value) ? { presencePenalty: value } : undefined),
  reasoning_effort: (value) => {
    const effort = REASONING_EFFORTS.find((known) => known === value);
    return effort === undefined ? undefined : { thinking: { effort } };
  },
};

/** Parts the parameters that every provider has a word for from those that only one may understand. */
export function splitKnownParameters(
  given: Readonly<Record<string, Scalar>>,
): KnownParameters & Pick<Parameters, "others"> {
  let knownParameters: KnownParameters = {};
  const others: Record<string, Scalar> = {};
  for (const [name, value] of Object.entries(given)) {
    const meaning = Object.hasOwn(KNOWN_PARAMETERS, name) ? KNOWN_PARAMETERS[name]?.(value) : undefined;
    if (meaning === undefined) others[name] = value;
    else knownParameters = { ...knownParameters, ...meaning };
  }
  return { ...knownParameters, others };
}

function isNumber(value: Scalar): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isPositiveInteger(value: Scalar): value is number {
  return isNumber(value) && Number.isSafeInteger(value) && value > 0;
}
