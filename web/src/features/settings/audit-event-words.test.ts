import { describe, expect, it } from "vitest";
import { detailText, wordsOf } from "./audit-event-words.ts";

describe("an action of the audit log", () => {
  it.each([
    ["key.create", "API key created"],
    ["second_factor.confirm", "Two-factor turned on"],
    ["session.end_all", "Logged out everywhere"],
    ["billing.alerts", "Billing alerts changed"],
  ])("is said in words: %s", (action, words) => {
    expect(wordsOf(action)).toBe(words);
  });

  it.each(["key.levitate", "key", "", ".create", "key.constructor"])(
    "stays as it is where it is not known: %j",
    (action) => {
      expect(wordsOf(action)).toBe(action);
    },
  );
});

describe("a detail", () => {
  it.each([
    ["plain", "plain"],
    [["read", "manage"], "read, manage"],
    [true, "Yes"],
    [null, "None"],
    [0.5, "0.5"],
    [{ limit: 5 }, '{"limit":5}'],
    [[1, 2], "[1,2]"],
  ])("is text: %j", (value, text) => {
    expect(detailText(value)).toBe(text);
  });
});
