import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPublicAddress } from "./public-address.ts";

const RESERVED: readonly (readonly [string, string])[] = [
  ["this network", "0.0.0.0"],
  ["this network", "0.1.2.3"],
  ["private", "10.0.0.1"],
  ["private", "10.255.255.255"],
  ["shared by carriers", "100.64.0.1"],
  ["shared by carriers", "100.127.255.255"],
  ["a cloud's metadata in the carriers' range", "100.100.100.200"],
  ["loopback", "127.0.0.1"],
  ["loopback", "127.255.255.254"],
  ["link-local", "169.254.0.1"],
  ["a cloud's metadata", "169.254.169.254"],
  ["private", "172.16.0.1"],
  ["private", "172.31.255.255"],
  ["protocol assignments", "192.0.0.1"],
  ["a cloud's metadata in protocol assignments", "192.0.0.192"],
  ["documentation", "192.0.2.1"],
  ["AS112", "192.31.196.1"],
  ["AMT", "192.52.193.1"],
  ["6to4 relays", "192.88.99.1"],
  ["private", "192.168.1.1"],
  ["AS112", "192.175.48.1"],
  ["benchmarking", "198.18.0.1"],
  ["benchmarking", "198.19.255.255"],
  ["documentation", "198.51.100.1"],
  ["documentation", "203.0.113.1"],
  ["multicast", "224.0.0.1"],
  ["multicast", "239.255.255.255"],
  ["future use", "240.0.0.1"],
  ["broadcast", "255.255.255.255"],
  ["a cloud's own host", "168.63.129.16"],
  ["unspecified", "::"],
  ["loopback", "::1"],
  ["IPv4-compatible", "::127.0.0.1"],
  ["IPv4-compatible, public inside", "::8.8.8.8"],
  ["IPv4-mapped", "::ffff:127.0.0.1"],
  ["IPv4-mapped in hexadecimal", "::ffff:7f00:1"],
  ["IPv4-mapped, public inside", "::ffff:8.8.8.8"],
  ["IPv4-translated", "::ffff:0:127.0.0.1"],
  ["NAT64", "64:ff9b::7f00:1"],
  ["NAT64, public inside", "64:ff9b::808:808"],
  ["local NAT64", "64:ff9b:1::a00:1"],
  ["discard", "100::1"],
  ["Teredo", "2001::1"],
  ["Teredo", "2001:0:53aa:64c:0:fbff:f5ff:fffe"],
  ["protocol assignments", "2001:1::1"],
  ["benchmarking", "2001:2::1"],
  ["AMT", "2001:3::1"],
  ["AS112", "2001:4:112::1"],
  ["ORCHID", "2001:10::1"],
  ["ORCHID 2", "2001:20::1"],
  ["drone identities", "2001:30::1"],
  ["documentation", "2001:db8::1"],
  ["6to4", "2002:7f00:1::"],
  ["6to4, public inside", "2002:808:808::1"],
  ["documentation", "3fff::1"],
  ["documentation", "3fff:fff:ffff::1"],
  ["never given out", "4000::1"],
  ["segment routing", "5f00::1"],
  ["never given out", "8000::1"],
  ["unique local", "fc00::1"],
  ["unique local", "fd00:ec2::254"],
  ["link-local", "fe80::1"],
  ["link-local with a zone", "fe80::1%eth0"],
  ["site-local", "fec0::1"],
  ["multicast", "ff02::1"],
];

describe("isPublicAddress", () => {
  it.each(RESERVED)("refuses %s: %s", (_name, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.1",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2606:4700:4700::1111",
    "2a00:1450:4001:831::200e",
    "3ffe:ffff::1",
  ])("passes %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    "",
    "localhost",
    "example.com",
    "127.1",
    "0x7f.0.0.1",
    "2130706433",
    "[2606:4700::1]",
    "8.8.8.8 ",
    "8.8.8.8/32",
  ])("takes %j for no address at all", (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });

  it("refuses every IPv4 address that is wrapped in IPv6", () => {
    const prefixes = ["::", "::ffff:", "::ffff:0:", "64:ff9b::", "64:ff9b:1::"];
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom(...prefixes), (address, prefix) => {
        expect(isPublicAddress(prefix + address)).toBe(false);
      }),
    );
  });
});
