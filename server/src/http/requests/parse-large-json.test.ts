import { Fault } from "@trunkline/core/fault.ts";
import { parseStrictJson } from "@trunkline/core/strict-json.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseLargeJson } from "./parse-large-json.ts";

/** The value, or that the text is refused. The sentences of the two parsers differ. */
async function outcome(parse: (text: string) => unknown, text: string): Promise<unknown> {
  try {
    return { value: await parse(text) };
  } catch (error) {
    expect(error).toBeInstanceOf(Fault);
    return "refused";
  }
}

async function expectSame(text: string): Promise<void> {
  expect(await outcome(parseLargeJson, text)).toEqual(await outcome(parseStrictJson, text));
}

describe("parseLargeJson", () => {
  it.each([
    "",
    " ",
    "null",
    "nul",
    "[]",
    " [ ] ",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[}",
    "{]",
    "{}{}",
    '{"a":1,"a":2}',
    '{"a":1,"\\u0061":2}',
    '{"a":{"b":1},"c":{"b":1}}',
    '{"__proto__":{"x":1}}',
    '{"__proto__":1,"__proto__":2}',
    '{"constructor":1,"toString":2}',
    '{"a":"\\\\"}',
    '{"a":"\\\\\\""}',
    '{"a":"\\u00"}',
    '{"a":"\\u',
    '{"a":"never ends',
    '{"a":1',
    '{"a"::1}',
    '["\n"]',
    "[01]",
    "[-]",
    "[1e5, -0.5E-3, 1.]",
    "[1.5, -2e+3]",
    "\ufeff{}",
  ])("reads %j as the strict parser does", expectSame);

  it.each([1, 63, 64, 65])("reads %i levels as the strict parser does", async (depth) => {
    await expectSame(`${"[".repeat(depth)}${"]".repeat(depth)}`);
    await expectSame(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);
  });

  it("reads every text as the strict parser does", async () => {
    const piece = fc.constantFrom('"a"', '"b"', '"\\u0061"', ":", ",", "{", "}", "[", "]", "1", '"', "\\", " ");
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 24 }), (pieces) => expectSame(pieces.join(""))),
      { numRuns: 3_000 },
    );
    await fc.assert(fc.asyncProperty(fc.json(), expectSame));
  });

  it.each(['\\"', "\\u00e9", "\\ud83d\\ude00", "a\\\\", "😀", "plain "])(
    "reads a long string of %s in pieces",
    async (unit) => {
      const text = `{"text":"x${unit.repeat(50_000)}","next":1}`;
      expect(await parseLargeJson(text)).toEqual(JSON.parse(text));
    },
  );

  it("reads a long string whose escapes stand close together and far apart", async () => {
    const plain = "a stretch of plain text without any escape, é😀 ";
    const units = ["\n", '"', "\\", "\u0001", "x".repeat(11), "x".repeat(12), "x".repeat(13), plain];
    const indexes = fc.array(fc.nat({ max: units.length - 1 }), { minLength: 40, maxLength: 120 });
    await fc.assert(
      fc.asyncProperty(indexes, async (chosen) => {
        const unit = chosen.map((index) => units[index] ?? "").join("") || "x";
        const value = { text: unit.repeat(Math.ceil(150_000 / unit.length)), next: [1] };
        expect(await parseLargeJson(JSON.stringify(value))).toEqual(value);
      }),
      { numRuns: 20 },
    );
  });

  it("refuses more than 200,000 values, and says so", async () => {
    const withValues = (count: number) => `[${"[],".repeat(count - 2)}[]]`;
    expect(await parseLargeJson(withValues(200_000))).toHaveLength(199_999);
    await expect(parseLargeJson(withValues(200_001))).rejects.toThrow("more than 200,000 values");
  });

  it("refuses a number that is a text of digits", async () => {
    await expect(parseLargeJson(`[${"1".repeat(1_001)}]`)).rejects.toThrow("a number has more than 1,000 characters");
  });

  it("yields to other requests while it reads", async () => {
    let turns = 0;
    let isDone = false;
    const turn = (): void => {
      turns++;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    await parseLargeJson(`[${'{"k":1.5},'.repeat(90_000)}0]`);
    isDone = true;
    expect(turns).toBeGreaterThan(2);
  });
});
