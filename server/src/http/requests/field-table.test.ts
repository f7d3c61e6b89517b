import { faultOf } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { booleanField, choiceField, Field, fieldTable, integerField, listField, stringField } from "./field-table.ts";

const limits = fieldTable(
  {
    count: integerField(1, 5),
    unit: choiceField(["word", "line"]).optional().describe("What is counted."),
    names: listField(2, stringField(1, 3)).nullish(),
    strict: booleanField().optional(),
    best: new Field((value, param, names: readonly string[]) => `${param}=${names.indexOf(String(value))}`, z.string()),
  },
  "limits",
);

describe("a field table", () => {
  it("reads each field by its name, and with what its reader needs besides", () => {
    const fields = { count: 3, unit: "line", names: ["a", "b"], strict: false, best: "b" };
    expect(limits.read.count(fields)).toBe(3);
    expect(limits.read.unit(fields)).toBe("line");
    expect(limits.read.names(fields)).toEqual(["a", "b"]);
    expect(limits.read.strict(fields)).toBe(false);
    expect(limits.read.best(fields, ["a", "b"])).toBe("limits.best=1");
  });

  it.each([undefined, null])("reads %s as absent where the field is not required", (value) => {
    expect(limits.read.unit({ unit: value })).toBeUndefined();
    expect(limits.read.names({ names: value })).toBeUndefined();
    expect(faultOf(() => limits.read.count({ count: value })).details.param).toBe("limits.count");
  });

  it("refuses a wrong value by the path of the field", () => {
    expect(faultOf(() => limits.read.count({ count: 6 }))).toMatchObject({
      message: "`limits.count` must be from 1 to 5.",
      details: { param: "limits.count" },
    });
    expect(faultOf(() => limits.read.names({ names: ["a", "long"] })).details.param).toBe("limits.names[1]");
  });

  it("documents the same bounds", () => {
    expect(z.toJSONSchema(limits.schema, { io: "input" })).toMatchObject({
      properties: {
        count: { type: "integer", minimum: 1, maximum: 5 },
        unit: { type: "string", enum: ["word", "line"], description: "What is counted." },
        names: {
          anyOf: [
            { type: "array", maxItems: 2, items: { type: "string", minLength: 1, maxLength: 3 } },
            { type: "null" },
          ],
        },
        strict: { type: "boolean" },
      },
      required: ["count", "best"],
    });
  });
});
