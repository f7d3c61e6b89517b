import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { IdleConnections } from "./idle-connections.ts";

/** A connection that only counts what it reads. */
function connection() {
  const socket = Object.assign(new EventEmitter(), { bytesRead: 0, setTimeout: (_ms: number) => undefined });
  let timeouts = 0;
  socket.on("timeout", () => {
    timeouts++;
  });
  return { socket: socket as unknown as Socket & { bytesRead: number }, timeouts: () => timeouts };
}

describe("IdleConnections", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  it("ends a connection that is idle for its limit, at most a second later", () => {
    const { socket, timeouts } = connection();
    new IdleConnections().watch(socket);
    socket.setTimeout(5_000);
    vi.advanceTimersByTime(4_900);
    expect(timeouts()).toBe(0);
    vi.advanceTimersByTime(1_100);
    expect(timeouts()).toBe(1);
  });

  it("never ends one without a limit", () => {
    const { socket, timeouts } = connection();
    new IdleConnections().watch(socket);
    socket.setTimeout(5_000);
    socket.setTimeout(0);
    vi.advanceTimersByTime(60_000);
    expect(timeouts()).toBe(0);
  });

  it("does not end one that has begun to send", () => {
    const { socket, timeouts } = connection();
    new IdleConnections().watch(socket);
    socket.setTimeout(5_000);
    socket.bytesRead = 10;
    vi.advanceTimersByTime(6_000);
    expect(timeouts()).toBe(0);
    vi.advanceTimersByTime(6_000);
    expect(timeouts()).toBe(1);
  });

  it("forgets a closed connection, and stops its timer with the last one", () => {
    const { socket, timeouts } = connection();
    new IdleConnections().watch(socket);
    socket.setTimeout(5_000);
    socket.emit("close");
    vi.advanceTimersByTime(10_000);
    expect(timeouts()).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});
