import { describe, expect, it } from "vitest";
import { mistakeOf } from "../../../test/support/config-file.ts";
import { readConfig } from "./config.ts";

const read = (environment: Record<string, string>) => readConfig(environment).telemetry;

describe("the variables of telemetry", () => {
  it("send nothing unless they say so", () => {
    expect(read({})).toBeUndefined();
    expect(read({ OTEL_SERVICE_NAME: "gateway" })).toBeUndefined();
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318", OTEL_SDK_DISABLED: "true" })).toBeUndefined();
    expect(read({ TRUNKLINE_ACCESS_LOG: "off" })).toBeUndefined();
  });

  it("send all three signals to one endpoint, with the conventions' defaults", () => {
    const target = { headers: {}, timeoutMs: 10_000, mayDialPrivate: true, asJson: false };
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" })).toEqual({
      resource: { "service.name": "trunkline" },
      traces: {
        ...target,
        url: "http://collector:4318/v1/traces",
        sampler: { kind: "parentbased_always_on", ratio: 1 },
        withContent: false,
      },
      metrics: { ...target, url: "http://collector:4318/v1/metrics", intervalMs: 60_000 },
      logs: { ...target, url: "http://collector:4318/v1/logs" },
      accessLogShare: undefined,
    });
  });

  it("may differ by signal", () => {
    const telemetry = read({
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318",
      OTEL_EXPORTER_OTLP_HEADERS: "a=1,b=two%20words",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example/ingest",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "a=2",
      OTEL_METRICS_EXPORTER: "none",
      OTEL_TRACES_SAMPLER: "traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.1",
    });
    expect(telemetry?.traces).toMatchObject({
      url: "https://traces.example/ingest",
      headers: { a: "2", b: "two words" },
      sampler: { kind: "traceidratio", ratio: 0.1 },
    });
    expect(telemetry?.metrics).toBeUndefined();
    expect(telemetry?.logs?.headers).toEqual({ a: "1", b: "two words" });
    const json = { OTEL_TRACES_EXPORTER: "otlp", OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" };
    expect(read(json)?.traces?.asJson).toBe(true);
    expect(read({ ...json, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf" })?.traces?.asJson).toBe(false);
    expect(read({ OTEL_TRACES_EXPORTER: "otlp" })?.traces?.asJson).toBe(false);
    const every = { ...json, OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };
    const mixed = read({ ...every, OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: "http/protobuf" });
    expect([mixed?.metrics?.asJson, mixed?.logs?.asJson]).toEqual([false, true]);
    expect(read({ OTEL_TRACES_EXPORTER: "otlp" })?.traces?.url).toBe("http://localhost:4318/v1/traces");
    expect(read({ TRUNKLINE_ACCESS_LOG: "0.05" })).toMatchObject({ accessLogShare: 0.05, traces: undefined });
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" }, /OTEL_EXPORTER_OTLP_ENDPOINT must begin with http/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, /sends by HTTP only/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", OTEL_EXPORTER_OTLP_HEADERS: "nonsense" }, /such as name=value/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", OTEL_EXPORTER_OTLP_HEADERS: "x-a=b%0Ac" }, /header x-a, which can't/],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", OTEL_EXPORTER_OTLP_LOGS_HEADERS: "host=c" },
      /header host, which can't/,
    ],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", OTEL_RESOURCE_ATTRIBUTES: "a=%zz" }, /percent-encoded/],
    [{ OTEL_TRACES_SAMPLER: "sometimes" }, /OTEL_TRACES_SAMPLER/],
    [{ OTEL_TRACES_SAMPLER_ARG: "2" }, /a share between 0 and 1/],
    [{ TRUNKLINE_ACCESS_LOG: "some" }, /off, all, or a share/],
  ])("refuse %j", (environment: Record<string, string>, sentence) => {
    expect(mistakeOf(() => readConfig(environment))).toMatch(sentence);
  });
});
