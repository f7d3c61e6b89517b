import { describe, expect, it } from "vitest";
import { readTyped } from "./redeem-code.ts";

const CODE = "TL-7K3M-Q9ZD-0W2B-XR5T1";

describe("a code that is typed", () => {
  it("is whole in every form that the service takes", () => {
    for (const text of [CODE, CODE.toLowerCase(), "7k3m q9zd ow2b xr5tl", ` ${CODE} `, "TL7K3MQ9ZD0W2BXR5TI"])
      expect(readTyped(text), text).toEqual({ state: "whole" });
  });

  it("lacks characters until its end", () => {
    expect(readTyped("")).toEqual({ state: "empty" });
    expect(readTyped("  ")).toEqual({ state: "empty" });
    expect(readTyped("TL-")).toEqual({ state: "partial", missing: 17 });
    expect(readTyped("TL-7K3M")).toEqual({ state: "partial", missing: 13 });
    expect(readTyped(CODE.slice(0, -1))).toEqual({ state: "partial", missing: 1 });
  });

  it("is wrong with any other last character, with two exchanged, and where it is too long", () => {
    for (const last of "023456789ABCDEFGHJKMNPQRSTVWXYZ")
      expect(readTyped(CODE.slice(0, -1) + last), last).toEqual({ state: "wrong" });
    expect(readTyped("TL-K73M-Q9ZD-0W2B-XR5T1")).toEqual({ state: "wrong" });
    expect(readTyped(`${CODE}00`)).toEqual({ state: "wrong" });
  });

  it("names a character that no code has", () => {
    expect(readTyped("TL-7U")).toEqual({ state: "impossible", character: "U" });
    expect(readTyped("TL-7€")).toEqual({ state: "impossible", character: "€" });
  });
});
