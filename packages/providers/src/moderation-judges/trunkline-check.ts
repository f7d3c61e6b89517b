import { CATEGORY_DESCRIPTIONS } from "./category-meanings.ts";
import { bearerHeader, isScore, type JudgeFormat, requireObject, unreadableAnswer } from "./judge-format.ts";

const ALL_CATEGORIES = Object.keys(CATEGORY_DESCRIPTIONS);

/** `POST /v1/safety/check` of another service like this one. */
export const trunklineSafetyCheck: JudgeFormat = {
  categories: ALL_CATEGORIES,
  headers: bearerHeader,
  body: ({ text, channel }) => ({ input: text, channel }),
  read(answer) {
    const categories = requireObject(requireObject(answer, "object").categories, "categories");
    const scores = ALL_CATEGORIES.flatMap((category) => {
      const score = categories[category];
      if (score === undefined) return [];
      if (!isScore(score)) throw unreadableAnswer(`has a wrong score of ${category}`);
      return [[category, score] as const];
    });
    if (scores.length === 0) throw unreadableAnswer("has no known category");
    return Object.fromEntries(scores);
  },
};
