import { canSendHeader } from "@trunkline/providers/dialer/dialer.ts";
import { z } from "zod";
import { RESOURCE_ATTRIBUTES } from "../../telemetry/semantic-conventions.ts";
import type { TelemetrySettings } from "../../telemetry/telemetry-settings.ts";
import { SAMPLERS } from "../../telemetry/tracer.ts";
import { ConfigError } from "./config-file.ts";

const LOCAL_COLLECTOR = "http://localhost:4318";

const endpointSchema = z
  .string()
  .regex(/^https?:\/\/[^\s]+$/, "must begin with http:// or https://")
  .optional();
const millisecondsSchema = z
  .string()
  .regex(/^[1-9]\d{0,7}$/, "must be a whole number of milliseconds")
  .transform(Number);
const pairsSchema = z.string().optional();
const exporterSchema = z.enum(["otlp", "none"]).optional();

/** The variables of telemetry: OpenTelemetry's own, and the access log. */
export const telemetryVariables = {
  OTEL_SDK_DISABLED: z.string().optional(),
  OTEL_SERVICE_NAME: z.string().min(1).optional(),
  OTEL_RESOURCE_ATTRIBUTES: pairsSchema,
  OTEL_EXPORTER_OTLP_PROTOCOL: z.string().optional(),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: z.string().optional(),
  OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: z.string().optional(),
  OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: z.string().optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: endpointSchema,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpointSchema,
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: endpointSchema,
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: endpointSchema,
  OTEL_EXPORTER_OTLP_HEADERS: pairsSchema,
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: pairsSchema,
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: pairsSchema,
  OTEL_EXPORTER_OTLP_LOGS_HEADERS: pairsSchema,
  OTEL_EXPORTER_OTLP_TIMEOUT: millisecondsSchema.default(10_000),
  OTEL_TRACES_EXPORTER: exporterSchema,
  OTEL_METRICS_EXPORTER: exporterSchema,
  OTEL_LOGS_EXPORTER: exporterSchema,
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS).default("parentbased_always_on"),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d+)?|1(\.0+)?)$/, "must be a share between 0 and 1")
    .transform(Number)
    .default(1),
  OTEL_METRIC_EXPORT_INTERVAL: millisecondsSchema.default(60_000),
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: z.enum(["true", "false"]).default("false"),
  TRUNKLINE_ACCESS_LOG: z
    .string()
    .regex(/^(off|all|0(\.\d+)?|1)$/, "must be off, all, or a share such as 0.01")
    .transform((text) => (text === "all" ? 1 : text === "off" ? 0 : Number(text)))
    .default(0),
};

type TelemetryVariables = z.output<z.ZodObject<typeof telemetryVariables>>;
type SignalName = "TRACES" | "METRICS" | "LOGS";

/** What is told of the service, and to where; undefined: nothing. */
export function readTelemetry(variables: TelemetryVariables): TelemetrySettings | undefined {
  const isOff = variables.OTEL_SDK_DISABLED?.toLowerCase() === "true";
  const target = (signal: SignalName) => (isOff ? undefined : readTarget(variables, signal));
  const traces = target("TRACES");
  const metrics = target("METRICS");
  const logs = target("LOGS");
  const share = variables.TRUNKLINE_ACCESS_LOG;
  if (traces === undefined && metrics === undefined && logs === undefined && share === 0) return undefined;
  return {
    resource: {
      [RESOURCE_ATTRIBUTES.serviceName]: "trunkline",
      ...readPairs("OTEL_RESOURCE_ATTRIBUTES", variables.OTEL_RESOURCE_ATTRIBUTES),
      ...(variables.OTEL_SERVICE_NAME === undefined
        ? {}
        : { [RESOURCE_ATTRIBUTES.serviceName]: variables.OTEL_SERVICE_NAME }),
    },
    traces: traces && {
      ...traces,
      sampler: { kind: variables.OTEL_TRACES_SAMPLER, ratio: variables.OTEL_TRACES_SAMPLER_ARG },
      withContent: variables.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT === "true",
    },
    metrics: metrics && { ...metrics, intervalMs: variables.OTEL_METRIC_EXPORT_INTERVAL },
    logs,
    accessLogShare: share === 0 ? undefined : share,
  };
}

/** A signal is sent where it has an endpoint, or where its exporter is named. */
function readTarget(variables: TelemetryVariables, signal: SignalName) {
  const exporter = variables[`OTEL_${signal}_EXPORTER`];
  const own = variables[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`];
  const shared = variables.OTEL_EXPORTER_OTLP_ENDPOINT ?? (exporter === "otlp" ? LOCAL_COLLECTOR : undefined);
  const url = own ?? (shared === undefined ? undefined : `${shared.replace(/\/$/, "")}/v1/${signal.toLowerCase()}`);
  if (url === undefined || exporter === "none") return undefined;
  const protocolOf = `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL` as const;
  for (const variable of ["OTEL_EXPORTER_OTLP_PROTOCOL", protocolOf] as const) {
    const protocol = variables[variable];
    if (protocol !== undefined && protocol !== "http/protobuf" && protocol !== "http/json")
      throw new ConfigError(
        `${variable} is ${protocol}, and Trunkline sends by HTTP only. Collectors take it at another port, usually 4318: set http/protobuf and that port.`,
      );
  }
  const headers = {
    ...readPairs("OTEL_EXPORTER_OTLP_HEADERS", variables.OTEL_EXPORTER_OTLP_HEADERS),
    ...readPairs(`OTEL_EXPORTER_OTLP_${signal}_HEADERS`, variables[`OTEL_EXPORTER_OTLP_${signal}_HEADERS`]),
  };
  for (const [name, value] of Object.entries(headers))
    if (!canSendHeader(name, value))
      throw new ConfigError(
        `The variable OTEL_EXPORTER_OTLP_HEADERS, or that of ${signal.toLowerCase()}, has the header ${name}, which can't be sent: its value has a character that headers can't have, or the service sets it itself.`,
      );
  const asJson = (variables[protocolOf] ?? variables.OTEL_EXPORTER_OTLP_PROTOCOL) === "http/json";
  return { url, headers, timeoutMs: variables.OTEL_EXPORTER_OTLP_TIMEOUT, mayDialPrivate: true, asJson };
}

/** Reads `name=value,name=value`, in which values may be percent-encoded. */
function readPairs(variable: string, text: string | undefined): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const pair of (text ?? "").split(",")) {
    if (pair.trim() === "") continue;
    const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    if (name === undefined || value === undefined)
      throw new ConfigError(`The variable ${variable} must be a list such as name=value,other=value.`);
    try {
      pairs[name] = decodeURIComponent(value);
    } catch {
      throw new ConfigError(
        `The variable ${variable} has a value for ${name} that is not percent-encoded as it should be.`,
      );
    }
  }
  return pairs;
}
