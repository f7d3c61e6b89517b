import { text } from "node:stream/consumers";
import { BackgroundWork } from "@trunkline/core/background-work.ts";
import { newId } from "@trunkline/core/id.ts";
import { RequestTrace } from "@trunkline/core/request-trace.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { sampleCaller, sampleInference } from "@trunkline/testing/samples.ts";
import { openForTest } from "@trunkline/testing/throwaway-dialer.ts";
import { serveHttp } from "@trunkline/testing/throwaway-server.ts";
import { describe, expect, it } from "vitest";
import type { LogSinkStore, OpenLogSink } from "./log-sink.ts";
import { LogSinks } from "./log-sinks.ts";

/** The look-ups of an account's sinks in the order they were made; a test answers each when it likes. */
type LookUp = (sinks: readonly OpenLogSink[]) => void;

/** The sinks of an account with one sink, which takes lines of JSON. */
async function openSinks() {
  const received: string[] = [];
  const server = await serveHttp(async (request, response) => {
    const lines = (await text(request)).split("\n");
    received.push(...lines.map((line) => JSON.parse(line).path));
    response.end();
  });
  const lookUps: LookUp[] = [];
  const store: Partial<LogSinkStore> = {
    open: () => new Promise((resolve) => void lookUps.push((sinks) => resolve([...sinks]))),
  };
  const backgroundWork = new BackgroundWork();
  const failed: unknown[] = [];
  const sinks = new LogSinks({
    store: store as LogSinkStore,
    dialer: openForTest(),
    clock: new ManualClock(),
    random: () => 0,
    backgroundWork,
    checkEndpoint: async () => undefined,
    onError: (error) => void failed.push(error),
  });
  const sink: OpenLogSink = {
    id: newId(),
    accountId: "client-account",
    kind: "http",
    url: server.url,
    region: undefined,
    accessKeyId: undefined,
    withContent: false,
    share: 1,
    description: "",
    mayDialPrivate: true,
    enabled: true,
    lastError: undefined,
    lastErrorAt: undefined,
    createdAt: new Date(0),
    secret: new Secret(Buffer.alloc(24).toString("base64")),
  };
  const observe = (path: string) => {
    const trace = new RequestTrace(newId(), path, new ManualClock());
    trace.caller = sampleCaller({ hasLogSinks: true });
    trace.inference = sampleInference();
    sinks.observe(trace, 200);
  };
  const sent = async () => {
    await backgroundWork.whenIdle();
    await sinks.stop();
    expect(failed).toEqual([]);
    return received;
  };
  return { sinks, sink, lookUps, observe, sent };
}

describe("LogSinks", () => {
  it("send requests in the order in which they ended, and look an account's sinks up once for all that wait", async () => {
    const { sink, lookUps, observe, sent } = await openSinks();
    for (const path of ["/1", "/2", "/3"]) observe(path);
    await expect.poll(() => lookUps.length).toBeGreaterThan(0);
    for (const answer of lookUps.reverse()) answer([sink]);
    expect(await sent()).toEqual(["/1", "/2", "/3"]);
    expect(lookUps).toHaveLength(1);
  });

  it("keep that order where the sinks change while they are looked up", async () => {
    const { sinks, sink, lookUps, observe, sent } = await openSinks();
    observe("/1");
    await expect.poll(() => lookUps.length).toBe(1);
    sinks.invalidate();
    observe("/2");
    expect(lookUps).toHaveLength(1);
    lookUps[0]?.([sink]);
    // What was looked up before the change is of no use after it.
    await expect.poll(() => lookUps.length).toBe(2);
    lookUps[1]?.([sink]);
    expect(await sent()).toEqual(["/1", "/2"]);
  });
});
