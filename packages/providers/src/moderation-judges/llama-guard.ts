import { bearerHeader, type JudgeFormat, requireObject, unreadableAnswer } from "./judge-format.ts";

/** What the hazards of its list are to us. None: it has no category here. */
const HAZARD_CATEGORIES: Readonly<Record<string, readonly string[]>> = {
  S1: ["violence", "illicit", "unsafe_intent"],
  S2: ["illicit", "unsafe_intent"],
  S3: ["sexual", "illicit", "unsafe_intent"],
  S4: ["sexual_minors", "unsafe_intent"],
  S5: [],
  S6: [],
  S7: ["unsafe_intent"],
  S8: [],
  S9: ["violence", "illicit", "unsafe_intent"],
  S10: ["hate"],
  S11: ["self_harm"],
  S12: ["sexual"],
  S13: [],
  S14: ["illicit", "unsafe_intent"],
};
const LLAMA_GUARD_CATEGORIES = [...new Set(Object.values(HAZARD_CATEGORIES).flat())];
const LLAMA_GUARD_ANSWER = /^\s*(?:safe|unsafe\s*\n\s*(?<hazards>S\d{1,2}(?:\s*,\s*S\d{1,2})*))\s*$/;
/** It says a word and a few letters. */
const LLAMA_GUARD_TOKENS_MAX = 64;

/** A model of Llama Guard's kind behind a server that speaks OpenAI's chat form and has the model's own template. */
export const llamaGuardChat: JudgeFormat = {
  categories: LLAMA_GUARD_CATEGORIES,
  headers: bearerHeader,
  body: ({ text }, { model }) => ({
    ...(model === undefined ? {} : { model }),
    messages: [{ role: "user", content: text }],
    temperature: 0,
    max_tokens: LLAMA_GUARD_TOKENS_MAX,
  }),
  read(answer) {
    const { choices } = requireObject(answer, "object");
    const { message } = requireObject(Array.isArray(choices) ? choices[0] : undefined, "choice");
    const { content } = requireObject(message, "message");
    const said = typeof content === "string" ? LLAMA_GUARD_ANSWER.exec(content) : null;
    if (said === null) throw unreadableAnswer("is neither safe nor unsafe");
    const hazards = said.groups?.hazards;
    if (hazards === undefined)
      return Object.fromEntries(LLAMA_GUARD_CATEGORIES.map((category) => [category, 0]));
    // Whatever it does not name may still be there: it was found unsafe.
    return Object.fromEntries(
      hazards.split(",").flatMap((hazard) => {
        const categories = HAZARD_CATEGORIES[hazard.trim()];
        if (categories === undefined) throw unreadableAnswer("names an unknown hazard");
        return categories.map((category) => [category, 1] as const);
      }),
    );
  },
};
