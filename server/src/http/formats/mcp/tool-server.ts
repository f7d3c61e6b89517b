import type { CallToolResult, McpServer, ServerContext } from "@modelcontextprotocol/server";
import { Fault } from "@trunkline/core/fault.ts";
import type { Permission } from "@trunkline/core/permissions.ts";
import { requirePermission } from "../../../identity/auth/authenticate.ts";
import type { OperationContext } from "../../endpoints/endpoint.ts";
import {
  generate,
  generateInput,
  generateOutput,
  listModels,
  listModelsInput,
  listModelsOutput,
  readUsage,
  usageInput,
  usageOutput,
} from "./tools.ts";

/** The tools that an agent is offered, for one message of one client. */
export function createToolServer(
  ServerClass: typeof McpServer,
  operationContext: OperationContext<unknown, unknown>,
  calls: RunningCalls,
  nameOf: (callId: unknown) => string | undefined,
): McpServer {
  const server = new ServerClass(
    { name: "trunkline", title: "Trunkline", version: "1.0.0" },
    {
      instructions:
        "One door to every AI model. `generate` sends a task to a model, or lets the service choose one, and is charged to the account of the key; `list_models` and `usage` cost nothing.",
    },
  );

  server.registerTool(
    "generate",
    {
      title: "Generate",
      description:
        "Send an input to an AI model and get its output, with what it cost. Without `model` the service chooses one; `route` says by what.",
      inputSchema: generateInput,
      outputSchema: generateOutput,
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: true,
      },
    },
    (input, context) =>
      faultsAsResults(operationContext, () =>
        calls.run(nameOf(context.mcpReq.id), signalOf(operationContext, context), (signal) =>
          generate(operationContext, input, signal),
        ),
      ),
  );

  server.registerTool(
    "list_models",
    {
      title: "List models",
      description: "The models that `generate` can be asked for, with what they do and cost.",
      inputSchema: listModelsInput,
      outputSchema: listModelsOutput,
      annotations: { readOnlyHint: true },
    },
    (input) =>
      faultsAsResults(operationContext, async () =>
        readWithPermission(operationContext, "models.read", () => listModels(operationContext, input)),
      ),
  );

  server.registerTool(
    "usage",
    {
      title: "Usage",
      description: "How many requests the account has made, what they cost, and what is left.",
      inputSchema: usageInput,
      outputSchema: usageOutput,
      annotations: { readOnlyHint: true },
    },
    (input) =>
      faultsAsResults(operationContext, () =>
        readWithPermission(operationContext, "usage.read", () => readUsage(operationContext, input)),
      ),
  );

  return server;
}

/** Aborts when the client disconnects, the service stops, or the client cancels by the protocol. */
function signalOf({ signal }: OperationContext<unknown, unknown>, { mcpReq }: ServerContext): AbortSignal {
  return AbortSignal.any([signal, mcpReq.signal]);
}

async function readWithPermission<Result extends object>(
  { caller, incomingRequest }: OperationContext<unknown, unknown>,
  permission: Permission,
  read: () => Result | Promise<Result>,
): Promise<CallToolResult> {
  requirePermission(caller, permission, incomingRequest);
  const result = await read();
  return { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: { ...result } };
}

/** A fault becomes a result that the agent can read and act on. Any other error is a bug: it is logged and not shown. */
async function faultsAsResults(
  { services, incomingRequest }: OperationContext<unknown, unknown>,
  act: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  try {
    return await act();
  } catch (error) {
    const { requestId } = incomingRequest.trace;
    if (error instanceof Fault && error.type !== "internal")
      return errorResult(`${error.message} (${error.type}, request ${requestId})`);
    services.log.error({ requestId, error }, "Unexpected error in an MCP tool.");
    return errorResult(`Something went wrong on our side. It is logged under the request ${requestId}.`);
  }
}

function errorResult(text: string): CallToolResult {
  return { isError: true, content: [{ type: "text", text }] };
}

/**
 * The running calls, so that a later request can cancel them. Clients of earlier versions of the protocol cancel by a
 * separate notification. It finds its call by the key, the session token of the client and the id of the call. Nothing
 * else is stored about a client, and calls at another instance are not found.
 */
export class RunningCalls {
  readonly #running = new Map<string, AbortController>();

  /** Runs a call under a name; undefined: it can be cancelled only by disconnecting. */
  async run<Result>(
    name: string | undefined,
    signal: AbortSignal,
    act: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    if (name === undefined) return act(signal);
    const controller = new AbortController();
    this.#running.set(name, controller);
    try {
      return await act(AbortSignal.any([signal, controller.signal]));
    } finally {
      if (this.#running.get(name) === controller) this.#running.delete(name);
    }
  }

  cancel(name: string): void {
    this.#running.get(name)?.abort(new Error("The client cancelled the call."));
  }
}
