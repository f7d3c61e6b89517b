import { describe, expect, it, vi } from "vitest";
import { Cancellation } from "./cancellation.ts";

describe("Cancellation", () => {
  it("calls every listener once, with the reason set", () => {
    const cancellation = new Cancellation();
    const reasons: unknown[] = [];
    cancellation.onAbort(() => reasons.push(cancellation.reason));
    cancellation.onAbort(() => reasons.push(cancellation.aborted));
    expect(cancellation.aborted).toBe(false);
    cancellation.abort("gone");
    cancellation.abort("again");
    expect(reasons).toEqual(["gone", true]);
  });

  it("calls a listener at once where the request is cancelled already", () => {
    const cancellation = new Cancellation();
    cancellation.abort("gone");
    const listener = vi.fn<() => void>();
    cancellation.onAbort(listener);
    expect(listener).toHaveBeenCalledOnce();
  });

  it("forgets a listener, and no other", () => {
    const cancellation = new Cancellation();
    const [kept, forgotten] = [vi.fn<() => void>(), vi.fn<() => void>()];
    cancellation.onAbort(kept);
    cancellation.onAbort(forgotten);
    cancellation.offAbort(forgotten);
    cancellation.offAbort(forgotten);
    cancellation.abort("gone");
    expect(kept).toHaveBeenCalledOnce();
    expect(forgotten).not.toHaveBeenCalled();
  });

  it("calls every listener although one of them forgets another meanwhile", () => {
    const cancellation = new Cancellation();
    const second = vi.fn<() => void>();
    const first = () => cancellation.offAbort(first);
    cancellation.onAbort(first);
    cancellation.onAbort(second);
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
