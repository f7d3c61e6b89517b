import { isIpRange } from "@trunkline/core/ip-address.ts";
import { describe, expect, it } from "vitest";
import { isIpRange as isRangeOnThePage } from "../../../web/src/features/keys/ip-range.ts";

/** The page that makes keys judges ranges while they are typed, without the server's library. */
describe("an address range in the dashboard", () => {
  it.each([
    "10.0.0.1",
    "10.0.0.0/8",
    "0.0.0.0/0",
    "255.255.255.255/32",
    "10.0.0.0/33",
    "10.0.0",
    "10.0.0.256",
    "010.0.0.1",
    "10.0.0.1/",
    "10.0.0.1/-1",
    "10.0.0.1/8/8",
    "::",
    "::1",
    "1::",
    "2001:db8::/32",
    "2001:db8::/129",
    "1:2:3:4:5:6:7:8",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1::2::3",
    "::ffff:10.0.0.1",
    "1:2:3:4:5:6:10.0.0.1",
    "1:2:3:4:5:6:7:10.0.0.1",
    "fe80::1%eth0",
    "12345::",
    ":1",
    "1:",
    "g::",
    "localhost",
    "",
    "/8",
  ])("is one where the server says so: %j", (text) => {
    expect(isRangeOnThePage(text)).toBe(isIpRange(text));
  });
});
