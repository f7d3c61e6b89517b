import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clientNetworkOf, isInRanges, isIpRange } from "./ip-address.ts";

describe("ip-ranges", () => {
  describe("a range", () => {
    it.each([
      "10.0.0.0/8",
      "203.0.113.7",
      "203.0.113.7/32",
      "0.0.0.0/0",
      "2001:db8::/32",
      "2001:db8::1",
      "::1/128",
      "::/0",
    ])("can be %s", (text) => {
      expect(isIpRange(text)).toBe(true);
    });

    it.each([
      "",
      "10.0.0.0/33",
      "10.0.0.0/-1",
      "10.0.0.0/",
      "10.0.0.0/8/8",
      "::/129",
      "example.com",
      "256.0.0.1",
      "1.2.3",
      " 10.0.0.1",
      "10.0.0.1 ",
      "localhost",
      // What some readers take for octal or for a short form would let in other addresses than its author meant.
      "010.0.0.1",
      "010.0.0.0/8",
      "10/8",
      "10.1/16",
      "0x0a.0.0.0/8",
    ])("can't be %j", (text) => {
      expect(isIpRange(text)).toBe(false);
    });
  });

  describe("an address", () => {
    it.each([
      ["10.1.2.3", ["10.0.0.0/8"]],
      ["203.0.113.7", ["203.0.113.7"]],
      ["192.0.2.1", ["10.0.0.0/8", "192.0.2.0/24"]],
      ["2001:db8:0:1::5", ["2001:db8::/32"]],
      ["2001:DB8::1", ["2001:db8::1"]],
      ["2001:db8:0:0:0:0:0:1", ["2001:db8::1"]],
      ["::ffff:10.1.2.3", ["10.0.0.0/8"]],
      ["::ffff:a01:203", ["10.0.0.0/8"]],
      ["10.1.2.3", ["::ffff:10.1.2.3"]],
      ["10.1.2.3", ["::ffff:10.0.0.0/104"]],
      ["127.0.0.1", ["0.0.0.0/0"]],
      ["::1", ["::/0"]],
    ])("%s is in %j", (address, ranges) => {
      expect(isInRanges(address, ranges)).toBe(true);
    });

    it.each([
      ["11.0.0.1", ["10.0.0.0/8"]],
      ["203.0.113.8", ["203.0.113.7"]],
      ["2001:db9::1", ["2001:db8::/32"]],
      ["::ffff:11.1.2.3", ["10.0.0.0/8"]],
      ["10.0.0.1", ["::/0"]],
      ["::1", ["0.0.0.0/0"]],
      ["10.0.0.1", []],
      ["10.0.0.1", ["nonsense"]],
      ["", ["0.0.0.0/0", "::/0"]],
      ["nonsense", ["0.0.0.0/0", "::/0"]],
    ])("%j is not in %j", (address, ranges) => {
      expect(isInRanges(address, ranges)).toBe(false);
    });

    it("of version 4 is in a range exactly when its first bits are the range's", () => {
      const bits = fc.integer({ min: 0, max: 0xffff_ffff });
      const write = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join(".");
      fc.assert(
        fc.property(bits, bits, fc.integer({ min: 0, max: 32 }), (address, base, length) => {
          const near =
            length === 0 ? address : ((base >>> (32 - length)) << (32 - length)) | (address & (2 ** (32 - length) - 1));
          for (const value of [address, near >>> 0]) {
            const isInside = length === 0 || value >>> (32 - length) === base >>> (32 - length);
            expect(isInRanges(write(value), [`${write(base)}/${length}`])).toBe(isInside);
            expect(isInRanges(`::ffff:${write(value)}`, [`${write(base)}/${length}`])).toBe(isInside);
          }
        }),
      );
    });
  });
});

describe("network-of", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"],
    ["2001:db8:1:2::1", "2001:db8:1:2::"],
    ["no address", "no address"],
  ])("the stranger at %s counts as %s", (address, network) => {
    expect(clientNetworkOf(address)).toBe(network);
  });
});
