import { ActiveList } from "@trunkline/core/active-list.ts";
import type { Cancellation } from "@trunkline/core/cancellation.ts";
import { describe, expect, it } from "vitest";
import { drain } from "./run-service.ts";

describe("a service that stops", () => {
  it("probes no endpoint while it waits for requests in flight", async () => {
    let endRequests: () => void = () => undefined;
    const served = new Promise<void>((resolve) => {
      endRequests = resolve;
    });
    const services = {
      config: { limits: { drainMs: 60_000 } },
      lifecycle: { inFlight: new ActiveList<Cancellation>() },
      // The requests end only once the prober was stopped.
      providers: { prober: { stop: async () => endRequests() } },
    };
    const server = { closeAllConnections: () => undefined, closeIdleConnections: () => undefined };
    await expect(drain(services, server, () => served)).resolves.toBeUndefined();
  });
});
