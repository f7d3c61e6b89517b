import { heldBytesEach } from "@trunkline/testing/used-heap.ts";
import { expect, it } from "vitest";
import { RepeatedObject } from "./repeated-object.ts";

const LINE_BYTES = 8_000;

/** A delta of an answer, as a text of its own. */
function lineOf(index: number): string {
  const content = `a piece of text with the number ${index}`;
  return Buffer.from(`{"choices":[{"delta":{"content":"${content}"}}],"more":"${"x".repeat(LINE_BYTES)}"}`).toString();
}

function learnt(...lines: readonly string[]): RepeatedObject {
  const objects = new RepeatedObject();
  for (const line of lines) objects.learn(line, JSON.parse(line));
  return objects;
}

it("keeps of a line its text alone, however long the line is", async () => {
  const objects = learnt(lineOf(0), lineOf(1), lineOf(2));
  const { bytes, held } = await heldBytesEach(500, (index) =>
    objects.objectWith(objects.readText(Buffer.from(`${lineOf(index)}\n`), 0) ?? ""),
  );
  expect(held[499]).toMatchObject({ choices: [{ delta: { content: "a piece of text with the number 499" } }] });
  expect(bytes).toBeLessThan(LINE_BYTES / 2);
});

it.each(["plain", "", "größer 🌲", 'a \\"quote\\"', "a line\\nand \\u00e9", "\\\\"])("reads the text %j", (text) => {
  const objects = learnt('{"a":[{"b":"one","c":{}}],"d":1}', '{"a":[{"b":"two","c":{}}],"d":1}');
  const line = `{"a":[{"b":"${text}","c":{}}],"d":1}`;
  const bytes = Buffer.from(`data: ${line}\r\ndata: more`);
  expect(objects.objectWith(objects.readText(bytes, 6) ?? "")).toEqual(JSON.parse(line));
  expect(bytes.toString("utf8", 6, objects.end)).toBe(line);
});

it.each([
  ["it goes on", '{"a":"x"} {"a":"y"}\n'],
  ["its end has not come", '{"a":"x"}'],
  ["its text has not come", '{"a":"x'],
  ["its text ends in half an escape", '{"a":"x\\'],
  ["another text follows", '{"a":"x","b":"y"}\n'],
  ["an escape is not valid", '{"a":"\\x"}\n'],
  ["a line break is in the text", '{"a":"x\ny"}\n'],
])("leaves a line to be parsed where %s", (_case, line) => {
  expect(learnt('{"a":"one"}', '{"a":"two"}').readText(Buffer.from(line), 0)).toBeUndefined();
});

it.each([
  ["a number", '{"a":1,"b":2}', '{"a":3,"b":2}', '{"a":4,"b":2}'],
  ["a key", '{"one":1}', '{"two":1}', '{"six":1}'],
  ["two texts", '{"a":"one","b":"one"}', '{"a":"two","b":"two"}', '{"a":"two","b":"six"}'],
  ["a text behind an escaped quote", '{"a":"\\"one"}', '{"a":"\\"two"}', '{"a":"\\"six"}'],
  ["a text that is replaced", '{"a":"one","a":"x"}', '{"a":"two","a":"x"}', '{"a":"six","a":"x"}'],
  ["a prototype", '{"__proto__":{"a":"one"}}', '{"__proto__":{"a":"two"}}', '{"__proto__":{"a":"six"}}'],
])("learns nothing from objects that differ in %s", (_case, one, two, three) => {
  expect(learnt(one, two).readText(Buffer.from(`${three}\n`), 0)).toBeUndefined();
});
