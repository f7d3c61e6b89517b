import { describe, expect, it } from "vitest";
import { mimeTypeOfPath, readDataUrl } from "./data-url.ts";

describe("readDataUrl", () => {
  it.each([
    ["data:image/png;base64,AAAA", { mediaType: "image/png", base64: "AAAA" }],
    ["DATA:image/png;name=a;BASE64,AAAA", { mediaType: "image/png", base64: "AAAA" }],
    ["data:,a%20b", { mediaType: "text/plain", base64: "YSBi" }],
    ["data:text/plain;charset=utf-8,100%", { mediaType: "text/plain", base64: "MTAwJQ==" }],
    ["data:image/svg+xml,%3Csvg%2F%3E", { mediaType: "image/svg+xml", base64: btoa("<svg/>") }],
    ["DATA:Image/PNG;name=a.png;BASE64,iVBO", { mediaType: "image/png", base64: "iVBO" }],
    ["https://example.com/a,b", undefined],
    ["data:image/png", undefined],
    ["", undefined],
  ])("reads %j", (url, content) => {
    expect(readDataUrl(url)).toEqual(content);
  });

  it("decodes percent-encoded bytes that are not valid UTF-8", () => {
    expect(readDataUrl("data:text/plain,%E9")?.base64).toBe(Buffer.from([0xe9]).toString("base64"));
    expect(readDataUrl("data:text/plain,é%E9")?.base64).toBe(Buffer.from([0xc3, 0xa9, 0xe9]).toString("base64"));
  });
});

describe("mimeTypeOfPath", () => {
  it.each([
    ["https://example.com/a.PNG?x=.pdf", "image/png"],
    ["https://example.com/a.pdf", "application/pdf"],
    ["https://example.com/a", undefined],
    ["https://example.com/a.constructor", undefined],
    ["nowhere", undefined],
  ])("guesses the media type of %j", (url, mimeType) => {
    expect(mimeTypeOfPath(url)).toBe(mimeType);
  });
});
