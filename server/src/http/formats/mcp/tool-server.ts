import { type CallToolResult, McpServer, type ServerContext } from "@modelcontextprotocol/server";
import { Fault } from "@trunkline/core/fault.ts";
import type { Power } from "@trunkline/core/permissions.ts";
import { requirePower } from "../../../identity/auth/authenticate.ts";
import type { Visit } from "../../endpoints/endpoint.ts";
import { generate, generateInput, generateOutput } from "./generate-tool.ts";
import {
  listModels,
  listModelsInput,
  listModelsOutput,
  readUsage,
  usageInput,
  usageOutput,
} from "./reading-tools.ts";
import type { RunningCalls } from "./running-calls.ts";

/** The tools that an agent is offered, for one message of one client. */
export function toolServerFor(
  visit: Visit<unknown, unknown>,
  calls: RunningCalls,
  nameOf: (callId: unknown) => string | undefined,
): McpServer {
  const server = new McpServer(
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
    (asked, context) =>
      inWords(visit, () =>
        calls.run(nameOf(context.mcpReq.id), signalOf(visit, context), (signal) =>
          generate(visit, asked, signal),
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
    (asked) => inWords(visit, async () => told(visit, "models.read", () => listModels(visit, asked))),
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
    (asked) => inWords(visit, () => told(visit, "usage.read", () => readUsage(visit, asked))),
  );

  return server;
}

/** Ended by whoever may end it: the client's hang-up, the service's own end, or the protocol. */
function signalOf({ signal }: Visit<unknown, unknown>, { mcpReq }: ServerContext): AbortSignal {
  return AbortSignal.any([signal, mcpReq.signal]);
}

async function told<Result extends object>(
  { caller, arrival }: Visit<unknown, unknown>,
  power: Power,
  read: () => Result | Promise<Result>,
): Promise<CallToolResult> {
  requirePower(caller, power, arrival.address);
  const result = await read();
  return { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: { ...result } };
}

/** A refusal is an answer to the agent, which can read why and do better. Anything else is a bug: logged, told to nobody. */
async function inWords(
  { house, arrival }: Visit<unknown, unknown>,
  act: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  try {
    return await act();
  } catch (error) {
    const { requestId } = arrival.journal;
    if (error instanceof Fault && error.type !== "internal")
      return refusal(`${error.message} (${error.type}, request ${requestId})`);
    house.log.error({ requestId, error }, "A tool met a bug.");
    return refusal(`Something went wrong on our side. It is logged under the request ${requestId}.`);
  }
}

function refusal(text: string): CallToolResult {
  return { isError: true, content: [{ type: "text", text }] };
}
