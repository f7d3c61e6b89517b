import { describe, expect, it } from "vitest";
import { isOriginIn, isOriginPattern } from "./origins.ts";

describe("an entry of a list of origins", () => {
  it.each(["*", "https://app.example.com", "http://localhost:3000", "https://*.example.com", "app://obsidian.md"])(
    "may be %s",
    (value) => expect(isOriginPattern(value)).toBe(true),
  );
  it.each([
    "",
    "example.com",
    "https://",
    "https://a.example/path",
    "https://a.*.example",
    "https://A.example",
    "null",
  ])('may not be "%s"', (value) => expect(isOriginPattern(value)).toBe(false));
});

it.each([
  ["https://app.example.com", ["https://app.example.com"], true],
  ["HTTPS://App.Example.com", ["https://app.example.com"], true],
  ["https://app.example.com:8443", ["https://app.example.com"], false],
  ["http://app.example.com", ["https://app.example.com"], false],
  ["https://a.b.example.com", ["https://*.example.com"], true],
  ["https://example.com", ["https://*.example.com"], false],
  ["https://.example.com", ["https://*.example.com"], false],
  ["https://evilexample.com", ["https://*.example.com"], false],
  ["null", ["*"], true],
  ["https://a.example", [], false],
])("%s in %j: %s", (origin, patterns, expected) => expect(isOriginIn(origin, patterns)).toBe(expected));
