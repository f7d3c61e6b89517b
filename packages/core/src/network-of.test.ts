import { expect, it } from "vitest";
import { clientNetworkOf } from "./network-of.ts";

it.each([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"],
  ["2001:db8:1:2::1", "2001:db8:1:2::"],
  ["no address", "no address"],
])("the stranger at %s counts as %s", (address, network) => {
  expect(clientNetworkOf(address)).toBe(network);
});
