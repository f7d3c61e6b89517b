import type { JsonObject } from "@trunkline/core/json-object.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonStreamParser } from "./json-stream.ts";

const LIMIT = 1024 * 1024;

/** All objects of a body that arrives in pieces. */
function framesOf(pieces: readonly Buffer[], frameBytesMax = LIMIT): JsonObject[] {
  const frames = new JsonStreamParser(frameBytesMax);
  const found = pieces.flatMap((piece) => push(frames, piece));
  frames.end();
  return found;
}

function push(frames: JsonStreamParser, piece: Buffer): JsonObject[] {
  frames.push(piece);
  const found: JsonObject[] = [];
  for (let object = frames.next(); object !== undefined; object = frames.next()) found.push(object);
  return found;
}

const framesIn = (text: string, frameBytesMax?: number) => framesOf([Buffer.from(text)], frameBytesMax);

/** A body cut at the given offsets, which may be within a character. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...places].map((place) => place % (bytes.length + 1)).sort((a, b) => a - b);
  return [0, ...sorted].map((from, index) => bytes.subarray(from, sorted[index] ?? bytes.length));
}

const FRAMINGS: Readonly<Record<string, (objects: readonly string[]) => string>> = {
  nothing: (objects) => objects.join(""),
  lines: (objects) => objects.map((object) => `${object}\n`).join(""),
  "lines without the last end": (objects) => objects.join("\n"),
  "lines with CRLF": (objects) => objects.map((object) => `${object}\r\n`).join(""),
  "blank lines": (objects) => `\n\n${objects.join("\n\n\t \n")}\n\n`,
  events: (objects) => objects.map((object) => `data: ${object}\n\n`).join(""),
  "events without the space": (objects) => objects.map((object) => `data:${object}\n\n`).join(""),
  "events with CRLF": (objects) => objects.map((object) => `data: ${object}\r\n\r\n`).join(""),
  "events with CR alone": (objects) => objects.map((object) => `data: ${object}\r\r`).join(""),
  "events with names, ids and comments": (objects) =>
    `: hello {"delta":"no"}\nretry: 10\n\n${objects.map((object, id) => `event: {\nid: ${id}\n: [\ndata: ${object}\n\n`).join("")}`,
  "events without blank lines": (objects) => objects.map((object) => `data: ${object}\n`).join(""),
  "a bare line among events": (objects) => `event: x\n\n${objects.join("\n")}`,
  "a list": (objects) => `[${objects.join(",")}]`,
  "a list over lines": (objects) => `[\n${objects.join("\n,\n")}\n]\n`,
  "text sequences": (objects) => objects.map((object) => `\u001e${object}\n`).join(""),
  "a byte order mark": (objects) => `\ufeff${objects.join("\n")}`,
  "a byte order mark and events": (objects) => `\ufeff${objects.map((object) => `data: ${object}\n\n`).join("")}`,
};

/** Objects full of characters that could be mistaken for framing. */
const jsonObject = fc.dictionary(
  fc.string({ unit: "grapheme", maxLength: 6 }),
  fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.string({ unit: "grapheme" }),
    fc.constantFrom("}{", "\n\ndata: {", '\\"}', "[DONE]", "\\", "é€😀", "\u2028", "data:", "\r\n", "],["),
  ),
  { maxKeys: 4 },
);

describe("JsonStreamParser", () => {
  it.each(Object.entries(FRAMINGS))("finds the same objects wherever the bytes are cut: %s", (_name, frame) => {
    fc.assert(
      fc.property(fc.array(jsonObject, { maxLength: 5 }), fc.array(fc.nat()), (objects, places) => {
        const texts = objects.map((object) => JSON.stringify(object));
        const bytes = Buffer.from(frame(texts));
        expect(framesOf(cut(bytes, places))).toEqual(texts.map((text) => JSON.parse(text)));
      }),
    );
  });

  it("finds them when every byte arrives alone", () => {
    const bytes = Buffer.from(
      '\ufeff: note\r\ndata: {"delta":"né€😀\\"}{"}\r\n\r\ndata:{"done":true}\r\n\r\ndata: [DONE]\r\n',
    );
    const pieces = Array.from(bytes, (byte) => Buffer.of(byte));
    expect(framesOf(pieces)).toEqual([{ delta: 'né€😀"}{' }, { done: true }, { done: true }]);
  });

  it("reads objects that differ in one text alone, whatever that text is", () => {
    const text = fc.oneof(
      fc.constantFrom(
        "",
        "Hello",
        " wor",
        "ld",
        '"',
        "\\",
        '"}],"x":"',
        "\n",
        "é€😀",
        "\ud83d",
        "\u0000",
        '","b":"',
        "␀trunkline␀",
      ),
      fc.string({ unit: "grapheme" }),
    );
    const shape = fc.constantFrom<(text: string) => unknown>(
      (content) => ({ id: "c-1", choices: [{ index: 0, delta: { content }, finish_reason: null }], usage: null }),
      (content) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: content } }),
      (content) => ({ content, again: content, list: [[content]] }),
      (content) => ({ [content]: "key", a: "same" }),
      (content) => ({ a: content, b: content.length }),
    );
    fc.assert(
      fc.property(
        shape,
        fc.array(text, { maxLength: 20 }),
        fc.array(fc.nat(), { maxLength: 4 }),
        (of, texts, places) => {
          const written = texts.map((one) => JSON.stringify(of(one)));
          const body = written.map((one) => `data: ${one}\n\n`).join("");
          expect(framesOf(cut(Buffer.from(body), places))).toEqual(written.map((one) => JSON.parse(one)));
        },
      ),
    );
  });

  it("keeps objects apart that were made from the same pattern", () => {
    const events = ["a", "b", "c", "d"].map(
      (content) => `data: ${JSON.stringify({ list: [{ content }], id: { n: 1 } })}\n\n`,
    );
    const found = framesOf(events.map((event) => Buffer.from(event)));
    expect(found).toEqual(["a", "b", "c", "d"].map((content) => ({ list: [{ content }], id: { n: 1 } })));
  });

  it("reads an object that is spread over the lines of one event", () => {
    expect(framesIn('data: {"delta":\ndata: "a",\ndata:"n": [1,\n: note\ndata: 2]}\n\n')).toEqual([
      { delta: "a", n: [1, 2] },
    ]);
  });

  it("reads objects that are printed over many lines", () => {
    expect(framesIn(`${JSON.stringify({ output: "a" }, null, 2)}\n`)).toEqual([{ output: "a" }]);
  });

  it("treats the marker at the end of events as the end", () => {
    expect(framesIn('data: {"delta":"a"}\n\ndata: [DONE]\n\n')).toEqual([{ delta: "a" }, { done: true }]);
    expect(framesIn("data:[DONE]")).toEqual([{ done: true }]);
  });

  it("returns complete objects before it fails on the rest", () => {
    const frames = new JsonStreamParser(LIMIT);
    frames.push(Buffer.from('{"delta":"a"}oops'));
    expect(frames.next()).toEqual({ delta: "a" });
    expect(() => frames.next()).toThrow("the answer is not JSON");
  });

  it.each([
    "<html><body>502 Bad Gateway</body></html>",
    "Bad Gateway",
    "upstream: error",
    "data: hello\n\n",
    "null",
    '"just a string"',
    "42",
    "[1,2]",
    "[[{}]]",
    "[DO]",
    "[DONEX]",
    "]",
    "{]",
    '{"a":1]',
    "{'output': 'a'}",
    '{"output":"a"}}',
    '{"output":undefined}',
    '{"output":"a\nb"}',
    "\u001f\u008b\u0008",
  ])("refuses anything that is not JSON: %j", (text) => {
    expect(() => framesIn(text)).toThrow("the answer is not JSON");
  });

  it.each(['{"output":"a', '{"output":"a"', '{"output":"\\', "[", '[{"output":"a"}', 'data: {"a":', "[DONE"])(
    "reports a missing end: %j",
    (text) => {
      expect(() => framesIn(text)).toThrow(
        expect.objectContaining({ kind: "broken", reason: "the answer is not complete JSON" }),
      );
    },
  );

  it.each(["", " \n\r\n", "\ufeff", ": only a comment\n\n", "event: ping\n", "data\n", "data:\n\n", "[]"])(
    "finds nothing in %j",
    (text) => {
      expect(framesIn(text)).toEqual([]);
    },
  );

  it("accepts objects up to the limit in bytes, each separately", () => {
    const object = '{"a":"é"}';
    const size = Buffer.byteLength(object);
    expect(framesIn(object.repeat(100), size)).toHaveLength(100);
    expect(() => framesIn(object, size - 1)).toThrow(expect.objectContaining({ kind: "too-large" }));
  });

  it("gives up an endless object as soon as it exceeds the limit", () => {
    const frames = new JsonStreamParser(1_000);
    expect(push(frames, Buffer.from(`{"a":"${"x".repeat(900)}`))).toEqual([]);
    expect(() => push(frames, Buffer.alloc(200, "x"))).toThrow("more than 1000 bytes");
  });

  it("survives deep nesting", () => {
    const nested = (depth: number) => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
    expect(framesIn(nested(64))).toHaveLength(1);
    expect(() => framesIn(nested(65))).toThrow("nested too deeply");
    expect(() => framesIn(`{"a":${"[".repeat(500_000)}`)).toThrow("nested too deeply");
    expect(() => framesIn(`${'{"a":'.repeat(100_000)}`)).toThrow("nested too deeply");
  });

  it("does not turn a key into a prototype", () => {
    const [frame] = framesIn('{"__proto__":{"output":"a"}}');
    expect(frame?.output).toBeUndefined();
  });
});
