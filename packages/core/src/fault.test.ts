import { describe, expect, it } from "vitest";
import { FAULT_STATUS, Fault, type FaultType } from "./fault.ts";

describe("Fault", () => {
  it.each(Object.entries(FAULT_STATUS) as [FaultType, number][])("of type %s has status %d", (type, status) => {
    const cause = new Error("inside");
    const fault = new Fault(type, "Do this.", { param: "input" }, { cause });
    expect(fault).toMatchObject({
      name: "Fault",
      type,
      status,
      message: "Do this.",
      details: { param: "input" },
      cause,
    });
    expect(fault).toBeInstanceOf(Error);
  });

  it("has a snake-case type and an error status for every entry", () => {
    for (const [type, status] of Object.entries(FAULT_STATUS)) {
      expect(type).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect(status).toBeGreaterThanOrEqual(400);
    }
  });
});
