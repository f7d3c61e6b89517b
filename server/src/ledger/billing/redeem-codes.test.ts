import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashRedeemCode, newRedeemCode, parseRedeemCode, redeemCodeHint } from "./redeem-codes.ts";

const code = fc.constant(undefined).map(newRedeemCode);

describe("a redeem code", () => {
  it("has one format, and no two are the same", () => {
    const codes = Array.from({ length: 500 }, newRedeemCode);
    for (const one of codes) expect(one).toMatch(/^TL-([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{5}$/);
    expect(new Set(codes).size).toBe(500);
  });

  it("is read in any case and spacing, and with look-alikes", () => {
    fc.assert(
      fc.property(code, (one) => {
        const bare = one.slice(3).replaceAll("-", "");
        for (const typed of [
          one,
          one.toLowerCase(),
          ` ${one.replaceAll("-", " ")} `,
          bare,
          `TL${bare}`,
          one.replaceAll("0", "O").replaceAll("1", "l"),
          one.replaceAll("0", "o").replaceAll("1", "I"),
        ])
          expect(parseRedeemCode(typed), typed).toBe(one);
      }),
    );
  });

  it("is refused with any one character wrong, and with any two adjacent characters swapped", () => {
    const one = "TL-7K3M-Q9ZD-0W2B-XR5T";
    const whole = [..."0123456789ABCDEFGHJKMNPQRSTVWXYZ"].map((last) => parseRedeemCode(one + last));
    expect(whole.filter((read) => read !== undefined)).toHaveLength(1);
    fc.assert(
      fc.property(code, fc.nat(16), fc.nat(30), (right, place, other) => {
        const bare = [...right.slice(3).replaceAll("-", "")];
        const others = [..."0123456789ABCDEFGHJKMNPQRSTVWXYZ"].filter((letter) => letter !== bare[place]);
        expect(parseRedeemCode(bare.with(place, others[other] ?? "").join(""))).toBeUndefined();
        const next = bare[place + 1];
        if (next === undefined || next === bare[place]) return;
        const exchanged = bare.with(place, next).with(place + 1, bare[place] ?? "");
        expect(parseRedeemCode(exchanged.join(""))).toBeUndefined();
      }),
    );
  });

  it.each(["", "TL-", "TL-7K3M", "a".repeat(200), "TL-UUUU-UUUU-UUUU-UUUUU", "💳".repeat(17)])(
    "is not read from %j",
    (text) => {
      expect(parseRedeemCode(text)).toBeUndefined();
    },
  );

  it("is stored as a hash, and shown by its first group", () => {
    expect(hashRedeemCode("TL-7K3M-Q9ZD-0W2B-XR5T0")).toHaveLength(32);
    expect(redeemCodeHint("TL-7K3M-Q9ZD-0W2B-XR5T0")).toBe("TL-7K3M…");
  });
});
