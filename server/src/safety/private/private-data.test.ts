import { describe, expect, it } from "vitest";
import { findPrivateData } from "./private-data.ts";

const found = (text: string) =>
  findPrivateData(text).map(({ category, start, end }) => [category, text.slice(start, end)]);

// Put together at run time, so that no scanner takes this file for a leak.
const AWS_KEY = `AKIA${"ABCDEFGH".repeat(2)}`;
const API_KEY = `sk-${"a1B2".repeat(8)}`;

describe("findPrivateData", () => {
  it("finds keys and private key blocks", () => {
    expect(found(`key=${AWS_KEY};`)).toEqual([["secret", AWS_KEY]]);
    expect(found(`export KEY=${API_KEY}`)).toEqual([["secret", API_KEY]]);
    expect(found("-----BEGIN RSA PRIVATE KEY-----\nabc")).toEqual([
      ["secret", "-----BEGIN RSA PRIVATE KEY-----"],
    ]);
  });

  it("finds card numbers that pass their check digit, and no others", () => {
    expect(found("pay with 4111 1111 1111 1111 now")).toEqual([["pii", "4111 1111 1111 1111"]]);
    expect(found("pay with 4111 1111 1111 1112 now")).toEqual([]);
    expect(found("order 1234567890123456")).toEqual([]);
    expect(found("0.4111111111111111")).toEqual([]);
  });

  it("finds bank accounts that pass their check digits, and no others", () => {
    expect(found("to GB82 WEST 1234 5698 7654 32")).toEqual([["pii", "GB82 WEST 1234 5698 7654 32"]]);
    expect(found("to GB83 WEST 1234 5698 7654 32")).toEqual([]);
  });

  it("finds e-mail addresses, but not those that are reserved for documentation", () => {
    expect(found("mail jo.doe+x@mail.firma.de!")).toEqual([["pii", "jo.doe+x@mail.firma.de"]]);
    expect(found("mail jo@example.com, jo@api.example.org or jo@host.test")).toEqual([]);
    expect(found("npm i left-pad@1.3.0 @scope/name")).toEqual([]);
  });
});
