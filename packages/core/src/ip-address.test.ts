import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clientNetworkOf, isInRanges, isIpRange } from "./ip-address.ts";

describe("ranges", () => {
  describe("isIpRange", () => {
    it.each([
      "10.0.0.0/8",
      "203.0.113.7",
      "203.0.113.7/32",
      "0.0.0.0/0",
      "2001:db8::/32",
      "2001:db8::1",
      "::1/128",
      "::/0",
    ])("accepts %s", (text) => {
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
      // Some parsers read these as octal or short forms, which would admit other addresses than the author meant.
      "010.0.0.1",
      "010.0.0.0/8",
      "10/8",
      "10.1/16",
      "0x0a.0.0.0/8",
    ])("refuses %j", (text) => {
      expect(isIpRange(text)).toBe(false);
    });
  });

  describe("isInRanges", () => {
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
    ])("finds %s in %j", (address, ranges) => {
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
    ])("does not find %j in %j", (address, ranges) => {
      expect(isInRanges(address, ranges)).toBe(false);
    });

    it("compares the first bits of an IPv4 address with those of the range", () => {
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

describe("clientNetworkOf", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"],
    ["2001:db8:1:2::1", "2001:db8:1:2::"],
    ["no address", "no address"],
  ])("counts the client at %s as %s", (address, network) => {
    expect(clientNetworkOf(address)).toBe(network);
  });
});
