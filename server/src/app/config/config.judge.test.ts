import { JUDGEABLE_CATEGORIES } from "@trunkline/guard/judge/doubts.ts";
import { describe, expect, it } from "vitest";
import { mistakeOf, useConfigFiles } from "../../../test/support/config-file.ts";

const { read } = useConfigFiles();
const JUDGE = ["safety:", "  judge:"];
const ENDPOINT = [...JUDGE, "    endpoint:", "      kind: openai-moderation"];

describe("a judge of doubtful texts", () => {
  it("is not there unless it is asked for", () => {
    expect(read(["safety:", "  preset: strict"]).judge).toBeUndefined();
  });

  it("is a model, on the usual terms", () => {
    expect(read([...JUDGE, "    model: openai/gpt-small"]).judge).toEqual({
      by: "openai/gpt-small",
      timeBoxMs: 800,
      onFailure: "open",
      categories: JUDGEABLE_CATEGORIES,
      band: undefined,
      atOnce: 32,
    });
  });

  it("is an endpoint, with its key out of the environment and on terms of its own", () => {
    const lines = [
      ...ENDPOINT,
      "      url: http://10.0.0.7/v1/moderations",
      "      api_key_env: GUARD_KEY",
      "      model: omni",
      "    time_box_ms: 250",
      "    on_failure: closed",
      "    categories: [hate, violence]",
      "    band: { from: 0.4, to: 0.7 }",
      "    at_once: 4",
    ];
    const { judge } = read(lines, { GUARD_KEY: "key-of-the-guard" });
    const by = { kind: "openai-moderation", url: "http://10.0.0.7/v1/moderations", model: "omni" };
    expect(judge).toMatchObject({ by, timeBoxMs: 250, onFailure: "closed", atOnce: 4 });
    expect(judge).toMatchObject({ categories: ["hate", "violence"], band: { from: 0.4, to: 0.7 } });
    expect(typeof judge?.by === "object" && judge.by.key?.reveal()).toBe("key-of-the-guard");
    expect(JSON.stringify(judge)).not.toContain("key-of-the-guard");
  });

  it("decides what its endpoint can tell of", () => {
    const { judge } = read([...ENDPOINT, "      url: https://guard.test/v1/moderations"]);
    expect(judge?.categories).toContain("hate");
    expect(judge?.categories).not.toContain("injection");
  });

  it.each<[string, string[], number, RegExp]>([
    ["neither a model nor an endpoint", [...JUDGE, "    time_box_ms: 100"], 2, /safety\.judge must name/],
    [
      "both",
      [...ENDPOINT, "      url: https://guard.test/", "    model: openai/gpt-small"],
      2,
      /safety\.judge .*not both/,
    ],
    ["a model without its provider", [...JUDGE, "    model: gpt-small"], 3, /judge\.model .*provider\/name/],
    [
      "an unknown kind",
      [...JUDGE, "    endpoint:", "      kind: oracle"],
      4,
      /endpoint\.kind must be one of/,
    ],
    ["an address that is none", [...ENDPOINT, "      url: guard.test"], 5, /endpoint\.url is no address/],
    ["no address", ENDPOINT, 3, /endpoint\.url is required/],
    [
      "a time box of nothing",
      [...JUDGE, "    model: a/b", "    time_box_ms: 0"],
      4,
      /time_box_ms must be at least 10/,
    ],
    [
      "a wrong way to fail",
      [...JUDGE, "    model: a/b", "    on_failure: maybe"],
      4,
      /on_failure must be one of: open, closed/,
    ],
    [
      "a band that ends before it begins",
      [...JUDGE, "    model: a/b", "    band: { from: 0.8, to: 0.5 }"],
      4,
      /band\.to must be more/,
    ],
    [
      "a category that is no matter of opinion",
      [...JUDGE, "    model: a/b", "    categories: [hate, pii]"],
      4,
      /categories\[1\] is nothing that this judge/,
    ],
    [
      "a category that its endpoint does not know",
      [...ENDPOINT, "      url: https://guard.test/", "    categories: [jailbreak]"],
      6,
      /categories\[0\] is nothing that this judge/,
    ],
    [
      "an unknown field",
      [...JUDGE, "    model: a/b", "    retries: 3"],
      4,
      /judge\.retries is not a known field/,
    ],
  ])("is refused with %s, by its line", (_what, lines, line, message) => {
    const mistake = mistakeOf(() => read(lines));
    expect(mistake).toContain(`line ${line}:`);
    expect(mistake).toMatch(message);
  });

  it("is missed its key by the variable's name, which is not repeated where it is wrong", () => {
    const lines = [...ENDPOINT, "      url: https://guard.test/", "      api_key_env: GUARD_KEY"];
    expect(mistakeOf(() => read(lines))).toContain("GUARD_KEY, which is not set");
    const message = mistakeOf(() => read(lines, { GUARD_KEY: "hunter2 hunter2" }));
    expect(message).toContain("GUARD_KEY");
    expect(message).not.toContain("hunter2");
  });
});
