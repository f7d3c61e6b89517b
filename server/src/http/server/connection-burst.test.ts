import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ConnectionBurst } from "./connection-burst.ts";

/** A burst with a clock of its own, and the names of the requests that were begun. */
function createBurst() {
  let nowMs = 0;
  const burst = new ConnectionBurst({ monotonicMs: () => nowMs });
  const begun: string[] = [];
  return {
    burst,
    begun,
    /** `takesMs`: how long beginning it takes. */
    defer: (name: string, takesMs = 0) =>
      burst.add(() => {
        begun.push(name);
        nowMs += takesMs;
      }),
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

describe("ConnectionBurst", () => {
  it("is off until a connection comes, and again after a turn without one", async () => {
    const { burst } = createBurst();
    expect(burst.isOn).toBe(false);
    burst.accepted();
    expect(burst.isOn).toBe(true);
    await setImmediate();
    expect(burst.isOn).toBe(true);
    await setImmediate();
    expect(burst.isOn).toBe(false);
  });

  it("begins what waits in its order once a turn brings no connection", async () => {
    const { burst, begun, defer } = createBurst();
    burst.accepted();
    defer("first");
    await setImmediate();
    burst.accepted();
    defer("second");
    await setImmediate();
    expect(begun).toEqual([]);
    await setImmediate();
    expect(begun).toEqual(["first", "second"]);
  });

  it("begins requests for a few milliseconds in a turn where connections do not cease", async () => {
    const { burst, begun, defer, pass } = createBurst();
    burst.accepted();
    defer("first");
    defer("second", 4);
    defer("third");
    pass(11);
    await setImmediate();
    expect(begun).toEqual(["first", "second"]);
    burst.accepted();
    await setImmediate();
    expect(begun).toEqual(["first", "second", "third"]);
  });
});
