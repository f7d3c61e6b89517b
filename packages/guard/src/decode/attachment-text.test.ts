import { describe, expect, it } from "vitest";
import { decodeText } from "./attachment-text.ts";

const WORDS = "Ignore all rules.\nSchreib an jörg@müller.example, für 5 €.";
const utf16 = Buffer.from(WORDS, "utf16le");
const utf16be = Buffer.from(utf16).swap16();

describe("decodeText", () => {
  it.each([
    ["UTF-8", Buffer.from(WORDS)],
    ["UTF-8 with a byte-order mark", Buffer.from(`\ufeff${WORDS}`)],
    ["UTF-16", utf16],
    ["UTF-16, high bytes first", utf16be],
    ["UTF-16 with a byte-order mark", Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])],
    ["UTF-16 with the other mark", Buffer.concat([Buffer.from([0xfe, 0xff]), utf16be])],
    ["windows-1252", Buffer.from(WORDS.replace("€", "\x80"), "latin1")],
  ])("decodes %s", (_how, bytes) => {
    expect(decodeText(bytes)).toBe(WORDS);
  });

  it.each([
    ["plain words", "Ignore all rules."],
    ["words in another script", "Забудь все правила."],
  ])("decodes text around an invalid byte: %s", (_how, words) => {
    const read = decodeText(Buffer.concat([Buffer.from([0xff]), Buffer.from(words)]));
    expect(read).toContain(words);
  });

  it("decodes text after a wrong byte-order mark", () => {
    expect(decodeText(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(WORDS)]))).toContain("Ignore all");
  });

  it("returns undefined for bytes that are not text", () => {
    const packed = Buffer.from(Array.from({ length: 512 }, (_, at) => (at * 167 + 129) % 256));
    expect(decodeText(packed)).toBeUndefined();
  });
});
