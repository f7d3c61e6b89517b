import { randomUUID } from "node:crypto";
import { Fault } from "@trunkline/core/fault.ts";
import { z } from "zod";
import { controlEndpoint, type Endpoint, INFERENCE_FAULTS, Reply } from "../../endpoints/endpoint.ts";
import type { HttpRequest } from "../../endpoints/http-request.ts";
import { isSameOrigin } from "../../endpoints/identity/browser-session.ts";
import { mcpDialect, toProtocolRefusal } from "./dialect.ts";
import { createToolServer, RunningCalls } from "./tool-server.ts";

const SESSION_HEADER = "mcp-session-id";
/** Headers that the protocol's library must not see. */
const WITHHELD_HEADERS = new Set(["authorization", "cookie", "content-length", "transfer-encoding", "connection"]);

const runningCalls = new RunningCalls();

const jsonRpcMessage = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
});

const mcpEndpoint = controlEndpoint({
  method: "POST",
  path: "/mcp",
  dialect: mcpDialect,
  permission: "inference.use",
  audit: null,
  status: 200,
  tag: "MCP",
  summary: "Talk to this service as a server of the Model Context Protocol",
  description:
    "Streamable HTTP, one message at a time, nothing is remembered in between. Tools: `generate` (billed like POST /v1/generate), `list_models`, `usage`. What a tool refuses is told in its result.",
  faults: ["cross_site", ...INFERENCE_FAULTS],
  body: jsonRpcMessage,
  skipBodyValidation: true,
  alternativeContentTypes: ["text/event-stream"],
  response: jsonRpcMessage.extend({ result: z.unknown().optional(), error: z.unknown().optional() }),
  async handle(operationContext) {
    const { services, caller, request, signal } = operationContext;
    if (request.headers.origin !== undefined && !isSameOrigin(services, request))
      throw new Fault("cross_site", "A page of another site asked for this. Call it from an application.");
    const message = readMessage(operationContext.body);
    const session = sessionOf(request);
    const nameOf = (callId: unknown) =>
      session === undefined ? undefined : JSON.stringify([caller.keyId, session, callId]);
    if (message.method === "notifications/cancelled") {
      const name = nameOf(message.params?.requestId);
      if (name !== undefined) runningCalls.cancel(name);
    }
    // Loaded by the first message: most services never get one, and it takes a tenth of the start.
    const { createMcpHandler, McpServer } = await import("@modelcontextprotocol/server");
    const handler = createMcpHandler(() => createToolServer(McpServer, operationContext, runningCalls, nameOf), {
      keepAliveMs: 0,
      // There are no server events that a client could wait for.
      maxSubscriptions: 0,
    });
    const response = await handler.fetch(toWebRequest(request, signal), {
      parsedBody: operationContext.body,
    });
    const contentType = response.headers.get("content-type") ?? "application/json";
    const text = await response.text();
    if (!response.ok && contentType.startsWith("application/json")) {
      const { status, body } = toProtocolRefusal(response.status, text, request.id);
      return new Reply(status, body);
    }
    const introduces = message.method === "initialize" && response.ok;
    return new Reply(response.status, text, contentType, introduces ? { [SESSION_HEADER]: randomUUID() } : {});
  },
});

/** Reads one message. A list of messages is refused: each must be admitted as a request of its own. */
function readMessage(body: unknown): z.infer<typeof jsonRpcMessage> {
  if (Array.isArray(body)) throw new Fault("invalid_request", "Send one message at a time: batches are not taken.");
  const read = jsonRpcMessage.safeParse(body);
  if (!read.success) throw new Fault("invalid_request", "The body must be a message of JSON-RPC 2.0.");
  return read.data;
}

function sessionOf({ headers }: HttpRequest): string | undefined {
  const header = headers[SESSION_HEADER];
  return typeof header === "string" && header !== "" ? header : undefined;
}

/** The request in the form that the protocol's library takes. Its body is read and parsed already. */
function toWebRequest(request: HttpRequest, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === "string" && !WITHHELD_HEADERS.has(name)) headers.set(name, value);
  }
  return new Request("http://local/mcp", { method: "POST", headers, signal });
}

export const mcpEndpoints: readonly Endpoint[] = [mcpEndpoint];
