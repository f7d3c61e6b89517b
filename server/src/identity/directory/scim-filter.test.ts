import { describe, expect, it } from "vitest";
import { parseScimFilter } from "./scim-filter.ts";

const compare = (attribute: string, operator: string, value: unknown) => ({
  kind: "compare",
  attribute,
  operator,
  value,
});

describe("parseScimFilter", () => {
  it.each([
    ['userName eq "ada@example.com"', compare("username", "eq", "ada@example.com")],
    ['USERNAME Eq "a \\"b\\""', compare("username", "eq", 'a "b"')],
    ["active eq true", compare("active", "eq", true)],
    ["externalId pr", { kind: "present", attribute: "externalid" }],
    ['emails[type eq "work"].value eq "a@b.c"', compare("emails.value", "eq", "a@b.c")],
    ['name.givenName sw "A"', compare("name.givenname", "sw", "A")],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "a"', compare("username", "eq", "a")],
    [
      'a eq "1" and b eq "2" or not (c pr)',
      {
        kind: "or",
        left: { kind: "and", left: compare("a", "eq", "1"), right: compare("b", "eq", "2") },
        right: { kind: "not", inner: { kind: "present", attribute: "c" } },
      },
    ],
    [
      'a eq "1" and (b eq "2" or c pr)',
      {
        kind: "and",
        left: compare("a", "eq", "1"),
        right: { kind: "or", left: compare("b", "eq", "2"), right: { kind: "present", attribute: "c" } },
      },
    ],
  ])("reads %s", (text, expected) => {
    expect(parseScimFilter(text)).toEqual(expected);
  });

  it.each([
    "",
    "userName",
    "userName eq",
    'userName is "a"',
    'userName eq "a',
    "userName eq a",
    'userName eq "a" and',
    '(userName eq "a"',
    'userName eq "a") or',
    'not userName eq "a"',
    'userName eq "\\u0000"',
    "'; drop table people; --",
    `${"(".repeat(500)}a pr${")".repeat(500)}`,
    `a eq "${"x".repeat(3_000)}"`,
  ])("refuses %j", (text) => {
    expect(() => parseScimFilter(text)).toThrow(expect.objectContaining({ type: "invalid_request" }));
  });
});
