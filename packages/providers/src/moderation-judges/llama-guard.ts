import { bearer, type JudgeFormat, objectOr, unreadable } from "./judge-format.ts";

/** What the hazards of its list are to us. None: it has no category here. */
const HAZARDS: Readonly<Record<string, readonly string[]>> = {
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
const TELLS = [...new Set(Object.values(HAZARDS).flat())];
const ANSWER = /^\s*(?:safe|unsafe\s*\n\s*(?<hazards>S\d{1,2}(?:\s*,\s*S\d{1,2})*))\s*$/;
/** It says a word and a few letters. */
const TOKENS_MAX = 64;

/** A model of Llama Guard's kind behind a server that speaks OpenAI's chat form and has the model's own template. */
export const llamaGuardChat: JudgeFormat = {
  tells: TELLS,
  headers: bearer,
  body: ({ text }, { model }) => ({
    ...(model === undefined ? {} : { model }),
    messages: [{ role: "user", content: text }],
    temperature: 0,
    max_tokens: TOKENS_MAX,
  }),
  read(answer) {
    const { choices } = objectOr(answer, "object");
    const { message } = objectOr(Array.isArray(choices) ? choices[0] : undefined, "choice");
    const { content } = objectOr(message, "message");
    const said = typeof content === "string" ? ANSWER.exec(content) : null;
    if (said === null) throw unreadable("is neither safe nor unsafe");
    const hazards = said.groups?.hazards;
    if (hazards === undefined) return Object.fromEntries(TELLS.map((category) => [category, 0]));
    // Whatever it does not name may still be there: it was found unsafe.
    return Object.fromEntries(
      hazards.split(",").flatMap((hazard) => {
        const categories = HAZARDS[hazard.trim()];
        if (categories === undefined) throw unreadable("names an unknown hazard");
        return categories.map((category) => [category, 1] as const);
      }),
    );
  },
};
