import { describe, expect, it } from "vitest";
import { parseDataUrl } from "./response-parts.ts";

describe("a data URL", () => {
  it.each([
    ["data:image/png;base64,iVBO", "image/png", "iVBO"],
    ["DATA:Image/PNG;name=a.png;BASE64,iVBO", "image/png", "iVBO"],
    ["data:image/svg+xml,%3Csvg%2F%3E", "image/svg+xml", Buffer.from("<svg/>").toString("base64")],
    ["data:,100%", "application/octet-stream", Buffer.from("100%").toString("base64")],
  ])("%s holds %s", (url, mediaType, base64) => {
    expect(parseDataUrl(url)).toEqual({ mediaType, base64 });
  });

  it.each(["https://example.com/a.png", "data:image/png", ""])("%j is none", (url) => {
    expect(parseDataUrl(url)).toBeUndefined();
  });
});
