import { toUnixNano } from "./otlp-json.ts";

/** OpenTelemetry's numbers and names for the levels of the log. */
const SEVERITIES: Readonly<Record<number, readonly [number: number, name: string]>> = {
  10: [1, "TRACE"],
  20: [5, "DEBUG"],
  30: [9, "INFO"],
  40: [13, "WARN"],
  50: [17, "ERROR"],
  60: [21, "FATAL"],
};

/** A line of the log as OTLP's JSON has it; undefined where it is not one. */
export function toOtlpLogRecord(line: string): object | undefined {
  let fields: unknown;
  try {
    fields = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof fields !== "object" || fields === null) return undefined;
  const { level, time, msg, pid: _pid, hostname: _hostname, ...rest } = fields as Record<string, unknown>;
  const [severityNumber, severityText] = SEVERITIES[Number(level)] ?? [0, undefined];
  const requestId = rest.requestId;
  const traceId = typeof rest.trace_id === "string" ? rest.trace_id : idOf(requestId);
  return {
    timeUnixNano: toUnixNano(typeof time === "number" ? time : 0),
    severityNumber,
    severityText,
    body: { stringValue: typeof msg === "string" ? msg : "" },
    attributes: Object.entries(rest).flatMap(([key, value]) => toAttribute(key, value)),
    traceId,
  };
}

/** A request that brought no trace has one with its own id. */
function idOf(requestId: unknown): string | undefined {
  return typeof requestId === "string" && /^[0-9a-f-]{36}$/.test(requestId) ? requestId.replaceAll("-", "") : undefined;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, string | number | boolean>>;
}

function toAttribute(key: string, value: unknown): Attribute[] {
  switch (typeof value) {
    case "string":
      return [{ key, value: { stringValue: value } }];
    case "number":
      return [{ key, value: { doubleValue: value } }];
    case "boolean":
      return [{ key, value: { boolValue: value } }];
    case "object":
      return value === null ? [] : [{ key, value: { stringValue: JSON.stringify(value) } }];
    default:
      return [];
  }
}
