import { describe, expect, it } from "vitest";
import { drain } from "./run-service.ts";

describe("a service that stops", () => {
  it("probes nobody while it waits for those whom it still serves", async () => {
    let letGo: () => void = () => undefined;
    const served = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const house = {
      config: { limits: { drainMs: 60_000 } },
      inFlight: [],
      // As long as somebody is served, this is what lets them go.
      prober: { stop: async () => letGo() },
    };
    const server = { closeAllConnections: () => undefined, closeIdleConnections: () => undefined };
    await expect(drain(house, server, () => served)).resolves.toBeUndefined();
  });
});
