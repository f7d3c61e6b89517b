import { FAULT_STATUS, type Fault, type FaultType } from "@trunkline/core/fault.ts";
import { z } from "zod";
import type { Dialect } from "../dialect.ts";

/** JSON-RPC's error codes for an invalid request and for errors that a server defines. */
const INVALID_REQUEST = -32600;
const SERVER_ERROR = -32000;

/** An error before a tool was called, as clients of the Model Context Protocol read it. */
const mcpErrorSchema = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.null(), z.string(), z.number()]),
  error: z.object({
    code: z.number(),
    message: z.string().describe("A sentence that says what to do."),
    data: z.looseObject({
      type: z.enum(Object.keys(FAULT_STATUS) as [FaultType, ...FaultType[]]),
      param: z.string().optional().describe("The field at fault."),
      request_id: z.string(),
    }),
  }),
});

function toMcpError(fault: Fault, requestId: string): z.infer<typeof mcpErrorSchema> {
  const { param } = fault.details;
  return {
    jsonrpc: "2.0",
    id: null,
    error: {
      code: fault.type === "invalid_request" ? INVALID_REQUEST : SERVER_ERROR,
      message: fault.message,
      data: { type: fault.type, ...(param === undefined ? {} : { param }), request_id: requestId },
    },
  };
}

const TYPE_OF_STATUS: Readonly<Record<number, FaultType>> = {
  404: "not_found",
  405: "method_not_allowed",
  409: "conflict",
  413: "payload_too_large",
  415: "unsupported_media_type",
  500: "internal",
};

/** What the protocol's library refuses keeps its code and its words, and gets the type and the request's id of every error. */
export function toProtocolRefusal(status: number, text: string, requestId: string) {
  const { id, error } = JSON.parse(text) as z.infer<typeof mcpErrorSchema>;
  const type = TYPE_OF_STATUS[status] ?? "invalid_request";
  const { code, message, data } = error;
  return {
    status: FAULT_STATUS[type],
    body: { jsonrpc: "2.0", id, error: { code, message, data: { ...data, type, request_id: requestId } } },
  };
}

/** The Model Context Protocol over streamable HTTP. */
export const mcpDialect: Dialect = {
  prefix: "/mcp",
  errorSchemaName: "McpError",
  errorSchema: mcpErrorSchema,
  errorBody: toMcpError,
};
