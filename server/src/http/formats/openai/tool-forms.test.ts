import { describe, expect, it } from "vitest";
import { toCustomInput, toolFormsOf } from "./tool-forms.ts";

describe("the input of a custom tool", () => {
  it.each([
    ['{"input":"*** Begin Patch"}', "*** Begin Patch"],
    ['{"patch":"*** Begin Patch"}', "*** Begin Patch"],
    ['"*** Begin Patch"', "*** Begin Patch"],
    ["*** Begin Patch", "*** Begin Patch"],
    ['{"a":"x","b":"y"}', '{"a":"x","b":"y"}'],
    ["7", "7"],
  ])("is read from %s", (callArguments, input) => {
    expect(toCustomInput(callArguments)).toBe(input);
  });
});

describe("the tools of a request", () => {
  it("are known by the names that the model was told, where their form differs", () => {
    const forms = toolFormsOf(
      {
        tools: [
          { type: "function", name: "plain" },
          { type: "custom", name: "patch" },
          { type: "web_search" },
          { type: "namespace", name: "team", tools: [{ type: "function", name: "spawn" }] },
        ],
      },
      "beside",
    );
    expect([...forms]).toEqual([
      ["patch", { name: "patch", namespace: undefined, isCustom: true }],
      ["team__spawn", { name: "spawn", namespace: "team", isCustom: false }],
    ]);
  });

  it("may have their definitions inside", () => {
    const forms = toolFormsOf({ tools: [{ type: "custom", custom: { name: "patch" } }] }, "inside");
    expect(forms.get("patch")).toEqual({ name: "patch", namespace: undefined, isCustom: true });
  });

  it("may be missing", () => {
    expect(toolFormsOf({}, "inside").size).toBe(0);
  });
});
