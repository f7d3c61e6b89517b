import { describe, expect, it } from "vitest";
import { mistakeOf, PLAIN_MODEL, useConfigFiles } from "../../../test/support/config-file.ts";
import { readConfig } from "./config.ts";

const { fileWith, read } = useConfigFiles();

describe("a credential from a variable", () => {
  const lines = [...PLAIN_MODEL, "    credential_env: SMALL_KEY"];

  it("is missed by the model's and the variable's name", () => {
    expect(mistakeOf(() => read(lines))).toMatch(/small.*SMALL_KEY/);
    expect(mistakeOf(() => read(lines, { SMALL_KEY: "" }))).toContain("SMALL_KEY");
  });

  it("must be one that can be sent in a header, as one in the file must, and is not repeated", () => {
    for (const value of ["hunter2\nX-Evil: 1", "hunter2 hunter2", "hünter2", "hunter2\n"]) {
      const message = mistakeOf(() => read(lines, { SMALL_KEY: value }));
      expect(message).toContain("SMALL_KEY");
      expect(message).not.toContain("nter2");
    }
  });
});

describe("a mistake in the file", () => {
  /** The mistake of these lines, which must name the file. */
  function mistakeIn(...lines: string[]): string {
    const path = fileWith(lines);
    const message = mistakeOf(() => readConfig({ TRUNKLINE_CONFIG: path }));
    expect(message).toContain(path);
    return message.replace(path, "");
  }

  it.each<[string, string[], number, RegExp]>([
    ["broken syntax", ["limits:", "  burst: 1", " burst: 2"], 3, /./],
    ["an open quote", ["limits:", '  burst: "1'], 3, /./],
    ["a tab for indentation", ["limits:", "\tburst: 1"], 2, /./],
    ["a key given twice", ["limits:", "  burst: 1", "  burst: 2"], 3, /./],
    ["an unknown field", ["limits:", "  burts: 1"], 2, /limits\.burts is not a known field/],
    [
      "an unknown field that holds more",
      ["trust_proxy: true", "limts:", "  burst: 1"],
      2,
      /limts is not a known field/,
    ],
    ["a wrong type", ["limits:", "  burst: many"], 2, /limits\.burst (?!is required).*number/],
    ["a number out of range", ["limits:", "  burst: 0"], 2, /limits\.burst .*1/],
    ["a fraction", ["limits:", "  burst: 1.5"], 2, /limits\.burst .*int/],
    [
      "a wrong choice",
      ["routing:", "  strategy: fastest"],
      2,
      /routing\.strategy must be one of: cost-optimized, .*hybrid/,
    ],
    [
      "an unknown category",
      ["safety:", "  categories:", "    rudeness: refuse"],
      3,
      /safety\.categories.*rudeness/,
    ],
    [
      "a category that has no values to take out",
      ["safety:", "  categories:", "    hate: redact"],
      3,
      /safety\.categories\.hate can't be redacted/,
    ],
    ["a weight beyond all bounds", [...PLAIN_MODEL, "    weight: 1001"], 6, /models\[0\]\.weight .*1000/],
    ["a share in percent", [...PLAIN_MODEL, "    canary_share: 5"], 6, /models\[0\]\.canary_share .*1/],
    [
      "more exploration than is allowed",
      ["routing:", "  exploration: 0.06"],
      2,
      /routing\.exploration .*0\.05/,
    ],
    ["a threshold in percent", ["reconciliation:", "  threshold: 5"], 2, /reconciliation\.threshold .*1/],
    ["a text for a list", ["models: none"], 1, /models (?!is required).*array/],
    ["a list for the whole file", ["- models"], 1, /the file (?!is required).*object/],
    ["a null for a section", ["limits:"], 1, /limits (?!is required)/],
    [
      "a name that is taken",
      [...PLAIN_MODEL.map((line) => line.replace("small", "auto"))],
      2,
      /models\[0\]\.name .*auto/,
    ],
    [
      "a provider that is taken",
      [...PLAIN_MODEL, "    provider: builtin"],
      6,
      /models\[0\]\.provider .*builtin/,
    ],
    [
      "an unknown field of a model",
      [...PLAIN_MODEL, "    prize: 1"],
      6,
      /models\[0\]\.prize is not a known field/,
    ],
  ])("is told with its line and field: %s", (_what, lines, line, said) => {
    const message = mistakeIn(...lines);
    expect(message).toMatch(said);
    expect(message).toContain(`line ${line}:`);
  });

  const second = (pricing: string[]) => [
    ...PLAIN_MODEL,
    "  - name: second",
    "    type: text",
    "    endpoint: https://example.test/generate",
    ...pricing,
  ];

  it("deep inside the second model's prices is told as a wrong type, where it is", () => {
    const message = mistakeIn(
      ...second(["    pricing:", "      input_per_1k_tokens: cheap", "      output_per_1k_tokens: 1"]),
    );
    expect(message).toMatch(/line 10: models\[1\]\.pricing\.input_per_1k_tokens (?!is required).*number/);
  });

  it("that leaves a price out is told as such, near the prices", () => {
    const message = mistakeIn(...second(["    pricing:", "      input_per_1k_tokens: 1"]));
    expect(message).toMatch(/line (9|10): models\[1\]\.pricing\.output_per_1k_tokens is required/);
  });

  it("that leaves all prices out is told as such, near the model", () => {
    expect(mistakeIn(...second([]))).toMatch(/line (6|7|8): models\[1\]\.pricing is required/);
  });

  it.each([
    ["too dear", "1000.5"],
    ["below zero", "-1"],
    ["finer than twelve decimals", "0.0000000000001"],
    ["that is nothing", "null"],
  ])("of a price %s is told where it is", (_what, price) => {
    const message = mistakeIn(
      ...second([`    pricing: { input_per_1k_tokens: ${price}, output_per_1k_tokens: 1 }`]),
    );
    expect(message).toMatch(/line 9: models\[1\]\.pricing\.input_per_1k_tokens /);
  });

  it("about a credential does not repeat it", () => {
    for (const credential of ["hunter2 hunter2", '"hunter2\\n"', "[hunter2]"]) {
      const message = mistakeIn(...PLAIN_MODEL, `    credential: ${credential}`);
      expect(message).toMatch(/line 6: models\[0\]\.credential/);
      expect(message).not.toContain("hunter2");
    }
  });

  it("in an alias that leads nowhere is a mistake in the file, too", () => {
    expect(mistakeIn(...PLAIN_MODEL, "    credential: *hunter2")).toMatch(/./);
  });
});
