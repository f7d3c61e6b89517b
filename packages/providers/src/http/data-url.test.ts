import { describe, expect, it } from "vitest";
import { mimeTypeOfPath, readDataUrl } from "./data-url.ts";

describe("readDataUrl", () => {
  it.each([
    ["data:image/png;base64,AAAA", { mediaType: "image/png", base64: "AAAA" }],
    ["DATA:image/png;name=a;BASE64,AAAA", { mediaType: "image/png", base64: "AAAA" }],
    ["data:,a%20b", { mediaType: "text/plain", base64: "YSBi" }],
    ["data:text/plain;charset=utf-8,100%", { mediaType: "text/plain", base64: "MTAwJQ==" }],
    ["https://example.com/a,b", undefined],
    ["data:image/png", undefined],
  ])("reads %j", (url, content) => {
    expect(readDataUrl(url)).toEqual(content);
  });
});

describe("mimeTypeOfPath", () => {
  it.each([
    ["https://example.com/a.PNG?x=.pdf", "image/png"],
    ["https://example.com/a.pdf", "application/pdf"],
    ["https://example.com/a", undefined],
    ["https://example.com/a.constructor", undefined],
    ["nowhere", undefined],
  ])("guesses what is at %j", (url, mimeType) => {
    expect(mimeTypeOfPath(url)).toBe(mimeType);
  });
});
