import { describe, expect, it } from "vitest";
import { STRIDE, StreamBuffer } from "../stream-buffer.ts";
import { PrivateDataStreamDetector } from "./private-data-stream-detector.ts";

const CONTEXT = 512;

/** Counts how many characters are looked at. */
class CountingTail extends StreamBuffer {
  count = 0;

  override slice(from: number, to: number): string {
    const text = super.slice(from, to);
    this.count += text.length;
    return text;
  }
}

/** How often each character of a text is looked at. */
function looksAt(text: string): number {
  const [tail, follower] = [new CountingTail(), new PrivateDataStreamDetector()];
  tail.append(text);
  while (follower.decidedTo + STRIDE <= text.length) {
    const to = tail.strideEnd(follower.decidedTo);
    tail.startStride(follower.decidedTo, to);
    follower.read(tail, to, false);
    tail.dropBefore(to - CONTEXT);
  }
  return tail.count / text.length;
}

const SIGNS = "aB3x9Kq7ZmLpQ/";
const UNBROKEN = Array.from({ length: 20_000 }, (_, at) => SIGNS[(at * 7 + (at % 11)) % 14]).join("");

describe("a word without an end", () => {
  it.each([
    ["of letters and digits", UNBROKEN],
    ["that begins as a key and is longer than any", `ghp_${"a".repeat(20_000)}`],
    ["that begins as a token and is longer than any", `eyJ${UNBROKEN}`],
  ])("is looked at again only now and then: one %s", (_name, text) => {
    // With every stride it would be thirteen times and more.
    expect(looksAt(text)).toBeLessThan(9);
  });
});
