import { describe, expect, it } from "vitest";
import { safeNext } from "./safe-next.ts";

describe("where a log-in leads", () => {
  it.each(["/", "/keys", "/requests?status=error#last", "/models/acme/large"])("is a path of this site: %s", (path) => {
    expect(safeNext(path)).toBe(path);
  });

  it.each([
    "https://elsewhere.example/",
    "//elsewhere.example",
    "/\\elsewhere.example",
    "\\\\elsewhere.example",
    "/\t/elsewhere.example",
    " //elsewhere.example",
    "javascript:alert(1)",
    "keys",
    "",
    undefined,
    ["/keys"],
  ])("is the start for anything else: %j", (next) => {
    expect(safeNext(next)).toBe("/");
  });

  it("can't climb to another site by its dots", () => {
    expect(safeNext("/..//elsewhere.example")).not.toMatch(/^\/\//);
  });
});
