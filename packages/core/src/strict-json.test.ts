import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Fault } from "./fault.ts";
import { parseStrictJson } from "./strict-json.ts";

/** The fault for a text; a text that is accepted fails the test. */
function refusalOf(text: string): Fault {
  try {
    parseStrictJson(text);
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error(`This was accepted: ${text.slice(0, 80)}`);
}

const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);

describe("a duplicate key", () => {
  it.each([
    ["side by side", '{"a":1,"a":1}'],
    ["with something between", '{"a":1,"b":{"c":[1,2]},"a":2}'],
    ["once plainly and once by an escape", String.raw`{"a":1,"\u0061":2}`],
    ["by two different escapes", String.raw`{"\u0061\/":1,"a/":2}`],
    ["inside another object", '{"outer":{"a":1,"a":2}}'],
    ["inside a list of objects", '[{"b":1},{"a":1,"b":2,"a":3}]'],
    ["after a list", '{"a":[{"a":1}],"a":2}'],
    ["as the empty key", '{"":1,"":2}'],
    ["with white space all around", '{ "a" : 1 ,\n\t"a" : 2 }'],
    ["under a name of the prototype", '{"__proto__":1,"__proto__":2}'],
  ])("is refused %s", (_where, text) => {
    expect(refusalOf(text)).toMatchObject({ type: "invalid_request", status: 400 });
  });

  it("is named in the message", () => {
    const fault = refusalOf(String.raw`{"model":"x","mod\u0065l":"y"}`);
    expect(fault.message).toContain('"model"');
    expect(fault.details.param).toBe("model");
  });

  it.each([
    ["in two objects of a list", '[{"a":1},{"a":2}]'],
    ["in an object and in the one around it", '{"a":{"a":{"a":1}}}'],
    ["in neighbouring objects", '{"x":{"a":1},"y":{"a":2}}'],
    ["as a key and as a value", '{"a":"a","b":"a"}'],
    ["twice in a list of texts", '{"a":["a","a","b"],"b":1}'],
    ["in another case", '{"a":1,"A":2}'],
    ["only inside a text", String.raw`{"a":"{\"a\":1,\"a\":2}"}`],
  ])("is not a key that occurs %s", (_where, text) => {
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
  });
});

describe("nesting", () => {
  it.each([
    ["lists", "[", "]"],
    ["objects", '{"a":', "}"],
  ])("of 64 %s is accepted", (_what, open, close) => {
    const text = open === "[" ? nested(64, open, close) : `${'{"a":'.repeat(63)}{}${"}".repeat(63)}`;
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ["lists", nested(65, "[", "]")],
    ["objects", `${'{"a":'.repeat(64)}{}${"}".repeat(64)}`],
    ["both", `${'[{"a":'.repeat(33)}1${"}]".repeat(33)}`],
  ])("of more than 64 %s is refused", (_what, text) => {
    expect(refusalOf(text)).toMatchObject({
      type: "invalid_request",
      message: expect.stringContaining("64"),
    });
  });

  it("is refused without deep recursion, at any depth", () => {
    expect(refusalOf("[".repeat(1_000_000)).type).toBe("invalid_request");
  });

  it("of siblings does not add up", () => {
    const text = `[${Array.from({ length: 200 }, () => '{"a":[]}').join(",")}]`;
    expect(parseStrictJson(text)).toHaveLength(200);
  });

  it("ignores brackets inside strings", () => {
    const text = JSON.stringify({
      braces: "{".repeat(100),
      brackets: "[".repeat(100),
      quotes: '"[{\\"'.repeat(50),
    });
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
  });
});

describe("valid JSON", () => {
  it("is parsed as JSON.parse does", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 1, "\t"), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(parseStrictJson(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 200 },
    );
  });

  it("is parsed as JSON.parse does where strings are full of quotes, braces and backslashes", () => {
    const awkward = fc.string({
      unit: fc.constantFrom("\\", '"', "{", "}", "[", "]", ",", ":", "a", "\n", "é", "😀"),
    });
    fc.assert(
      fc.property(fc.dictionary(awkward, fc.array(awkward)), (value) => {
        const text = JSON.stringify(value);
        expect(parseStrictJson(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 200 },
    );
  });
});

describe("invalid JSON", () => {
  it.each([
    "",
    " ",
    "{",
    "}",
    "]",
    '{"a"}',
    '{"a":1,}',
    "[1,]",
    '{"a":1',
    '{"a":"b',
    '"\\',
    '{"a":"\\x"}',
    "{'a':1}",
    "nul",
    "NaN",
    "01",
    "1 2",
    '{"a":1}{"a":1}',
    '"\n"',
    "﻿{}",
    '{"a\\":1,"a\\":2}',
  ])("is refused as an invalid request: %j", (text) => {
    expect(refusalOf(text)).toMatchObject({ type: "invalid_request", status: 400 });
  });

  it("is refused as an invalid request wherever a valid text is cut or changed", () => {
    const text = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value));
    const noise = fc.constantFrom("", '"', "\\", "{", "}", "[", "]", ",", ":", "\u0000");
    fc.assert(
      fc.property(text, fc.nat(), noise, (whole, at, insert) => {
        const place = at % (whole.length + 1);
        const changed = whole.slice(0, place) + insert + whole.slice(place + 1);
        let expected: unknown;
        try {
          expected = JSON.parse(changed);
        } catch {
          expect(refusalOf(changed).type).toBe("invalid_request");
          return;
        }
        // A change can make two keys equal; then the refusal is right as well.
        try {
          expect(parseStrictJson(changed)).toEqual(expected);
        } catch (error) {
          expect(error).toMatchObject({ type: "invalid_request", message: expect.stringContaining("twice") });
        }
      }),
      { numRuns: 300 },
    );
  });
});
