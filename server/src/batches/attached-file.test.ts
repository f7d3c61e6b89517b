import { describe, expect, it } from "vitest";
import { mediaTypeOf } from "./attached-file.ts";

describe("the type of a file", () => {
  it.each([
    ["plan.pdf", "application/pdf", "application/pdf"],
    ["plan", "Image/PNG; name=x", "image/png"],
    ["PLAN.PDF", "application/octet-stream", "application/pdf"],
    ["notes.txt", "", "text/plain"],
    ["notes", "", "application/octet-stream"],
    ["notes.txt", 'text/html,<script>"', "text/plain"],
  ])("%s, sent as %j: %s", (name, sent, type) => {
    expect(mediaTypeOf(name, sent)).toBe(type);
  });
});
