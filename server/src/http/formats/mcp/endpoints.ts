import { randomUUID } from "node:crypto";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { Fault } from "@trunkline/core/fault.ts";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { control, type Endpoint, Reply } from "../../endpoints/endpoint.ts";
import { comesFromUs } from "../../endpoints/identity/session-cookie.ts";
import { INFERENCE_FAULTS } from "../../endpoints/inference-faults.ts";
import { mcpDialect } from "./dialect.ts";
import { RunningCalls } from "./running-calls.ts";
import { toolServerFor } from "./tool-server.ts";

const SESSION_HEADER = "mcp-session-id";
/** What the protocol's own code has no business with. */
const KEPT_BACK = new Set(["authorization", "cookie", "content-length", "transfer-encoding", "connection"]);

const calls = new RunningCalls();

const message = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
});

const talk = control({
  method: "POST",
  path: "/mcp",
  dialect: mcpDialect,
  power: "inference.use",
  deed: null,
  status: 200,
  tag: "MCP",
  summary: "Talk to this service as a server of the Model Context Protocol",
  description:
    "Streamable HTTP, one message at a time, nothing is remembered in between. Tools: `generate` (billed like POST /v1/generate), `list_models`, `usage`. What a tool refuses is told in its result.",
  faults: ["cross_site", ...INFERENCE_FAULTS],
  body: message,
  bodyUnchecked: true,
  alternatives: ["text/event-stream"],
  answer: message.extend({ result: z.unknown().optional(), error: z.unknown().optional() }),
  async handle(visit) {
    const { house, caller, request, signal } = visit;
    if (request.headers.origin !== undefined && !comesFromUs(house, request))
      throw new Fault("cross_site", "A page of another site asked for this. Call it from an application.");
    const asked = readMessage(visit.body);
    const session = sessionOf(request);
    const nameOf = (callId: unknown) =>
      session === undefined ? undefined : JSON.stringify([caller.keyId, session, callId]);
    if (asked.method === "notifications/cancelled") {
      const name = nameOf(asked.params?.requestId);
      if (name !== undefined) calls.cancel(name);
    }
    const handler = createMcpHandler(() => toolServerFor(visit, calls, nameOf), {
      keepAliveMs: 0,
      // Nothing here changes that a client could wait for.
      maxSubscriptions: 0,
    });
    const response = await handler.fetch(webRequestOf(request, signal), { parsedBody: visit.body });
    const introduces = asked.method === "initialize" && response.ok;
    return new Reply(
      response.status,
      await response.text(),
      response.headers.get("content-type") ?? "application/json",
      introduces ? { [SESSION_HEADER]: randomUUID() } : {},
    );
  },
});

/** One message. Several at once would be several requests under one admission. */
function readMessage(body: unknown): z.infer<typeof message> {
  if (Array.isArray(body))
    throw new Fault("invalid_request", "Send one message at a time: batches are not taken.");
  const read = message.safeParse(body);
  if (!read.success) throw new Fault("invalid_request", "The body must be a message of JSON-RPC 2.0.");
  return read.data;
}

function sessionOf({ headers }: FastifyRequest): string | undefined {
  const header = headers[SESSION_HEADER];
  return typeof header === "string" && header !== "" ? header : undefined;
}

/** The exchange as the protocol's own code knows one. Its body was read and parsed already. */
function webRequestOf(request: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === "string" && !KEPT_BACK.has(name)) headers.set(name, value);
  }
  return new Request("http://local/mcp", { method: "POST", headers, signal });
}

export const mcpEndpoints: readonly Endpoint[] = [talk];
