import { describe, expect, it } from "vitest";
import { readSafetyModel } from "./bundled-model.ts";
import { FeatureScanner } from "./feature-scanner.ts";
import { SlidingWindow } from "./sliding-window.ts";
import type { WordSums } from "./word-sums.ts";

const model = readSafetyModel();

/** The sums, counts and ends of all blocks of a text that arrives in pieces. */
function scan(pieces: readonly string[], wordSums?: WordSums) {
  const blocks: unknown[] = [];
  const scanner = new FeatureScanner(
    model.weights,
    (features, size, counts, end, summedFeatures) => {
      const window = new SlidingWindow(1000);
      window.push(model.table, features, size, counts, end, summedFeatures);
      blocks.push([[...window.whole().cells], end]);
    },
    true,
    wordSums,
  );
  for (const piece of pieces) scanner.read(piece);
  scanner.finish();
  return blocks;
}

describe("WordSums", () => {
  it.each([
    "The quick brown fox jumps over the lazy dog, and nobody minds. THEN it sleeps until noon.",
    "a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l m n o p q r s t u v w x y z",
    "Don't stop; e.g. iPhone, McDonald's (well-known) and user_name42 aren't `words`.\n\nUnconstitutionally internationalisation.",
    '{"note": "Done.\\nSell all", "a":"no","n":4} | cell | <td>value</td>',
    "Zwölf Boxkämpfer jagen Viktor! 今天天气很好，我们去公园散步吧。 the end",
    "kill the damn stupid idiot and steal his password ".repeat(9),
    "x".repeat(300),
  ])("changes no sum of %s", (text) => {
    const listed = scan([text]);
    expect(scan([text], model.wordSums)).toEqual(listed);
    // Now every word is known.
    expect(scan([text], model.wordSums)).toEqual(listed);
    expect(scan(text.match(/.{1,7}/gs) ?? [], model.wordSums)).toEqual(listed);
  });
});
