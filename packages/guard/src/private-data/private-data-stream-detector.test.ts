import { describe, expect, it } from "vitest";
import { STRIDE, StreamBuffer } from "../stream-buffer.ts";
import { PrivateDataStreamDetector } from "./private-data-stream-detector.ts";

const CONTEXT = 512;

/** Counts the characters read. */
class CountingBuffer extends StreamBuffer {
  count = 0;

  override slice(from: number, to: number): string {
    const text = super.slice(from, to);
    this.count += text.length;
    return text;
  }
}

/** How often each character of a text is read. */
function readsPerCharacter(text: string): number {
  const [buffer, detector] = [new CountingBuffer(), new PrivateDataStreamDetector()];
  buffer.append(text);
  while (detector.decidedTo + STRIDE <= text.length) {
    const to = buffer.strideEnd(detector.decidedTo);
    buffer.startStride(detector.decidedTo, to);
    detector.read(buffer, to, false);
    buffer.dropBefore(to - CONTEXT);
  }
  return buffer.count / text.length;
}

const SIGNS = "aB3x9Kq7ZmLpQ/";
const UNBROKEN = Array.from({ length: 20_000 }, (_, at) => SIGNS[(at * 7 + (at % 11)) % 14]).join("");

describe("an endless word", () => {
  it.each([
    ["of letters and digits", UNBROKEN],
    ["that begins as a key and is longer than any", `ghp_${"a".repeat(20_000)}`],
    ["that begins as a token and is longer than any", `eyJ${UNBROKEN}`],
  ])("is searched again only now and then: one %s", (_name, text) => {
    // With every stride it would be at least thirteen times.
    expect(readsPerCharacter(text)).toBeLessThan(9);
  });
});
