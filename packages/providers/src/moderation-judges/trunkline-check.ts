import { CATEGORY_MEANINGS } from "./category-meanings.ts";
import { bearer, isScore, type JudgeFormat, objectOr, unreadable } from "./judge-format.ts";

const TELLS = Object.keys(CATEGORY_MEANINGS);

/** `POST /v1/safety/check` of another service like this one. */
export const trunklineCheck: JudgeFormat = {
  tells: TELLS,
  headers: bearer,
  body: ({ text, channel }) => ({ input: text, channel }),
  read(answer) {
    const categories = objectOr(objectOr(answer, "object").categories, "categories");
    const scores = TELLS.flatMap((category) => {
      const score = categories[category];
      if (score === undefined) return [];
      if (!isScore(score)) throw unreadable(`has a wrong score of ${category}`);
      return [[category, score] as const];
    });
    if (scores.length === 0) throw unreadable("has no known category");
    return Object.fromEntries(scores);
  },
};
