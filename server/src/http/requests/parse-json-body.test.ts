import { parseStrictJson } from "@trunkline/core/strict-json.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJsonBody } from "./parse-json-body.ts";

/** What a parser makes of a text: the value, or the fault's sentence and field. */
function outcome(parse: (text: string) => unknown, text: string): unknown {
  try {
    return { value: parse(text) };
  } catch (error) {
    return { message: (error as Error).message, details: Reflect.get(error as Error, "details") };
  }
}

function expectSame(text: string): void {
  expect(outcome(parseJsonBody, text)).toEqual(outcome(parseStrictJson, text));
}

describe("parseJsonBody", () => {
  it.each([
    "",
    " ",
    "null",
    "[]",
    '{"a":1,"a":2}',
    '{"a":1,"\\u0061":2}',
    '{"a":{"b":1},"c":{"b":1}}',
    '{"a":{"b":1,"b":1}}',
    '[{"a":1},{"a":1,"a":1}]',
    '{"__proto__":1}',
    '{"__proto__":1,"__proto__":2}',
    '{"constructor":1,"toString":2}',
    '{"1":1,"01":2,"1":3}',
    '{"a:b":"c:d","e\\":":":"}',
    '{"a":"\\\\"}',
    '{"a":"\\\\\\""}',
    '{"a":"never ends',
    '{"a":1',
    '{"a":1,}',
    '{"a"::1}',
    "{:1}",
    ":",
    '{"a":1}}',
    '{"a":1,"a":2',
    "\ufeff{}",
  ])("reads %j as the strict parser does", expectSame);

  it.each([1, 47, 48, 49, 64, 65, 100])("reads %i levels as the strict parser does", (depth) => {
    expectSame(`${"[".repeat(depth)}${"]".repeat(depth)}`);
    expectSame(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);
  });

  it("reads every text as the strict parser does", () => {
    const piece = fc.constantFrom('"a"', '"b"', '"\\u0061"', ":", ",", "{", "}", "[", "]", "1", '"', "\\", " ");
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => expectSame(pieces.join(""))),
      {
        numRuns: 3_000,
      },
    );
    fc.assert(fc.property(fc.json(), expectSame));
  });
});
