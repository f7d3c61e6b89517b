import { describe, expect, it, vi } from "vitest";
import { Cancellation } from "./cancellation.ts";

describe("Cancellation", () => {
  it("calls every listener once, with the reason set", () => {
    const cancellation = new Cancellation();
    const reasons: unknown[] = [];
    cancellation.addEventListener("abort", () => reasons.push(cancellation.reason));
    cancellation.addEventListener("abort", () => reasons.push(cancellation.aborted));
    expect(cancellation.aborted).toBe(false);
    cancellation.abort("gone");
    cancellation.abort("again");
    expect(reasons).toEqual(["gone", true]);
  });

  it("calls a listener that is an object, and forgets it", () => {
    const cancellation = new Cancellation();
    const [kept, forgotten] = [{ handleEvent: vi.fn<() => void>() }, { handleEvent: vi.fn<() => void>() }];
    cancellation.addEventListener("abort", forgotten);
    cancellation.addEventListener("abort", kept);
    cancellation.removeEventListener("abort", forgotten);
    cancellation.abort("gone");
    expect(kept.handleEvent).toHaveBeenCalledTimes(1);
    expect(forgotten.handleEvent).not.toHaveBeenCalled();
  });

  it("does not call a listener that came too late, as a signal does not", () => {
    const cancellation = new Cancellation();
    cancellation.abort("gone");
    const listener = vi.fn<() => void>();
    cancellation.addEventListener("abort", listener);
    expect(listener).not.toHaveBeenCalled();
  });

  it("forgets a listener, and no other", () => {
    const cancellation = new Cancellation();
    const [kept, forgotten] = [vi.fn<() => void>(), vi.fn<() => void>()];
    cancellation.addEventListener("abort", kept);
    cancellation.addEventListener("abort", forgotten);
    cancellation.removeEventListener("abort", forgotten);
    cancellation.removeEventListener("abort", forgotten);
    cancellation.abort("gone");
    expect(kept).toHaveBeenCalledOnce();
    expect(forgotten).not.toHaveBeenCalled();
  });

  it("calls every listener although one of them forgets another meanwhile", () => {
    const cancellation = new Cancellation();
    const second = vi.fn<() => void>();
    const first = () => cancellation.removeEventListener("abort", first);
    cancellation.addEventListener("abort", first);
    cancellation.addEventListener("abort", second);
    cancellation.abort("gone");
    expect(second).toHaveBeenCalledOnce();
  });

  it("throws its reason once cancelled", () => {
    const cancellation = new Cancellation();
    expect(() => cancellation.throwIfAborted()).not.toThrow();
    const reason = new Error("gone");
    cancellation.abort(reason);
    expect(() => cancellation.throwIfAborted()).toThrow(reason);
  });

  it("gives one signal that aborts with it, asked for before or after", () => {
    const [early, late] = [new Cancellation(), new Cancellation()];
    const { signal } = early;
    expect(signal.aborted).toBe(false);
    early.abort("gone");
    late.abort("gone");
    expect(early.signal).toBe(signal);
    expect([signal.reason, late.signal.reason, late.signal.aborted]).toEqual(["gone", "gone", true]);
  });
});
