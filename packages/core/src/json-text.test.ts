import { expect, it } from "vitest";
import { JsonText } from "./json-text.ts";

const STRINGS = [
  "",
  "plain words",
  'a "quote"',
  "a \\ backslash",
  "a line\nand a tab\t",
  "\u0000\u001f\u007f\u0080\u2028\u2029",
  "größer, 漢字",
  "😀 and half of it \ud83d, the other \ude00 alone",
];

it("writes strings as JSON.stringify does, and counts their bytes", () => {
  const json = new JsonText();
  json.addAscii('{"strings":[');
  for (const string of STRINGS) {
    json.addString('"', string, '",');
  }
  json.add(`${JSON.stringify("größer")}]}`);
  expect(json.text).toBe(JSON.stringify({ strings: [...STRINGS, "größer"] }));
  expect(json.bytes).toBe(Buffer.byteLength(json.text));
});
