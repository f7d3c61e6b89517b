import { Fault } from "@trunkline/core/fault.ts";
import { z } from "zod";
import type { Services } from "../../../../app/services.ts";
import type { StoredResponse } from "../../../../stored-responses/stored-responses.ts";
import { controlEndpoint, type Endpoint } from "../../../endpoints/endpoint.ts";
import { openAiListSchema, toOpenAiList } from "../../../responses/list-response.ts";
import { openAiDialect } from "../dialect.ts";
import { parseResponseId } from "./ids.ts";
import { responseSchema } from "./response.ts";

/** What operations on kept responses and conversations have in common. */
export const storedDefaults = { status: 200, tag: "OpenAI", dialect: openAiDialect } as const;

const includeQuery = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .describe("Changes nothing: all is included.");

/** The query of a list of items. */
export const itemListQuery = z.object({
  after: z.string().max(128).optional().describe("The id of the last item of the page before."),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  order: z.enum(["asc", "desc"]).default("desc"),
  include: includeQuery,
});

export const storedItemSchema = z.looseObject({ id: z.string(), type: z.string() });
export const itemListSchema = openAiListSchema(storedItemSchema);

const PATH = "/openai/v1/responses/:id";

const getResponse = controlEndpoint({
  ...storedDefaults,
  method: "GET",
  path: PATH,
  permission: "responses.read",
  summary: "A response that was kept, in OpenAI's form",
  description: "As it was given to the client. It can't be streamed again.",
  faults: ["not_found", "invalid_request"],
  query: z.object({ stream: z.string().optional().describe("Only `false`."), include: includeQuery }),
  response: responseSchema,
  async handle({ services, caller, params, query }) {
    if (query.stream !== undefined && query.stream !== "false")
      throw new Fault("invalid_request", "A kept response comes whole. Leave `stream` out.", { param: "stream" });
    return (await findResponse(services, caller.accountId, params.id)).response;
  },
});

const deleteResponse = controlEndpoint({
  ...storedDefaults,
  method: "DELETE",
  path: PATH,
  permission: "responses.use",
  audit: { action: "response.delete" },
  summary: "Delete a response that was kept",
  description: "What continues it can't be continued any further.",
  faults: ["not_found"],
  response: z.object({ id: z.string(), object: z.literal("response"), deleted: z.literal(true) }),
  async handle({ services, caller, params: { id = "" } }) {
    if (!(await services.stored.responses.remove(caller.accountId, parseResponseId(id)))) throw noSuchResponse();
    return { id, object: "response", deleted: true };
  },
});

const listInputItems = controlEndpoint({
  ...storedDefaults,
  method: "GET",
  path: `${PATH}/input_items`,
  permission: "responses.read",
  summary: "What a response that was kept was asked",
  description: "The items of its own request, not those of the responses that it continues.",
  faults: ["not_found", "invalid_request"],
  query: itemListQuery,
  response: itemListSchema,
  async handle({ services, caller, params, query: { after, limit, order } }) {
    const { input } = await findResponse(services, caller.accountId, params.id);
    const items = order === "asc" ? input : input.toReversed();
    const from = after === undefined ? 0 : items.findIndex(({ id }) => id === after) + 1;
    if (after !== undefined && from === 0)
      throw new Fault("invalid_request", "`after` must be an id of this list.", { param: "after" });
    return toOpenAiList(items.slice(from, from + limit + 1), limit);
  },
});

const cancelResponse = controlEndpoint({
  ...storedDefaults,
  method: "POST",
  path: `${PATH}/cancel`,
  permission: "responses.use",
  // It refuses always.
  audit: null,
  summary: "Not possible here: no response runs in the background",
  faults: ["not_found", "invalid_request"],
  response: responseSchema,
  async handle({ services, caller, params }) {
    await findResponse(services, caller.accountId, params.id);
    throw new Fault(
      "invalid_request",
      "Only a response in the background can be cancelled, and none runs there. Close the connection of one that runs.",
    );
  },
});

async function findResponse(services: Services, accountId: string, publicId = ""): Promise<StoredResponse> {
  const found = await services.stored.responses.find(accountId, parseResponseId(publicId));
  if (found === undefined) throw noSuchResponse();
  return found;
}

function noSuchResponse(): Fault {
  return new Fault("not_found", "There is no such response: it was not kept, was deleted, or has expired.");
}

export const storedResponseEndpoints: readonly Endpoint[] = [
  getResponse,
  deleteResponse,
  listInputItems,
  cancelResponse,
];
