import { describe, expect, it } from "vitest";
import { drain } from "./run-service.ts";

describe("a service that stops", () => {
  it("probes no endpoint while it waits for requests in flight", async () => {
    let letGo: () => void = () => undefined;
    const served = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const services = {
      config: { limits: { drainMs: 60_000 } },
      inFlight: [],
      // As long as a request is in flight, this is what ends it.
      prober: { stop: async () => letGo() },
    };
    const server = { closeAllConnections: () => undefined, closeIdleConnections: () => undefined };
    await expect(drain(services, server, () => served)).resolves.toBeUndefined();
  });
});
