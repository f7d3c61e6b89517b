import { expect, test } from "vitest";
import { appendText } from "./append-text.ts";

test("a text of many pieces is all of them in their order", () => {
  const pieces = Array.from({ length: 5_000 }, (_, n) => (n % 7 === 0 ? "" : `piece ${n} 世界 `));
  let text = "";
  for (const piece of pieces) text = appendText(text, piece);
  expect(text).toBe(pieces.join(""));
  expect(appendText(text, text)).toBe(text.repeat(2));
  expect(appendText("", "")).toBe("");
});
