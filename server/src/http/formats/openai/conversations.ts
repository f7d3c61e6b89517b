import { storableText } from "@trunkline/core/field-schemas.ts";
import { newId } from "@trunkline/core/id.ts";
import { z } from "zod";
import type { StoredConversation } from "../../../stored-responses/conversations.ts";
import type { StoredItem } from "../../../stored-responses/sealed-json.ts";
import { controlEndpoint, type Endpoint, type OperationContext } from "../../endpoints/endpoint.ts";
import { toOpenAiList } from "../../responses/list-response.ts";
import { attachFiles, findNamedFiles } from "./file-references.ts";
import { parseConversationId, toConversationId } from "./responses/ids.ts";
import { inputField } from "./responses/items.ts";
import { toStoredItems } from "./responses/stored-items.ts";
import { itemListQuery, itemListSchema, storedDefaults, storedItemSchema } from "./responses/stored-responses.ts";

/** As many items as OpenAI takes at once. */
const NEW_ITEMS_MAX = 20;

const metadataSchema = z
  .record(storableText(z.string().min(1).max(64)), storableText(z.string().max(512)))
  .refine((metadata) => Object.keys(metadata).length <= 16, "may hold at most 16 entries");

const newItemsSchema = z.array(z.looseObject({})).max(NEW_ITEMS_MAX).describe("Items as in `input` of a response.");

const conversationSchema = z.object({
  id: z.string(),
  object: z.literal("conversation"),
  created_at: z.number().describe("In seconds since 1970."),
  metadata: z.record(z.string(), z.string()),
});

const PATH = "/openai/v1/conversations";
const ITEM_PATH = `${PATH}/:id/items/:item_id`;

const createConversation = controlEndpoint({
  ...storedDefaults,
  method: "POST",
  path: PATH,
  permission: "responses.use",
  // As with requests for an answer, what an application says is no event of its administration.
  audit: null,
  summary: "Begin a conversation, in OpenAI's form",
  description:
    "Responses with this `conversation` see its items and are added to it. It is kept for 30 days after its last change, encrypted.",
  faults: ["invalid_request", "not_found"],
  allowsLargeBody: true,
  bodyOptional: true,
  body: z.object({ items: newItemsSchema.nullish(), metadata: metadataSchema.nullish() }),
  response: conversationSchema,
  async handle(operationContext) {
    const { services, caller, body } = operationContext;
    const items = await readNewItems(operationContext, body.items ?? [], []);
    return toConversationResponse(
      await services.stored.conversations.create(caller.accountId, body.metadata ?? {}, items),
    );
  },
});

const getConversation = controlEndpoint({
  ...storedDefaults,
  method: "GET",
  path: `${PATH}/:id`,
  permission: "responses.read",
  summary: "One conversation",
  faults: ["not_found"],
  response: conversationSchema,
  handle: async ({ services, caller, params }) =>
    toConversationResponse(await services.stored.conversations.find(caller.accountId, idOf(params))),
});

const updateConversation = controlEndpoint({
  ...storedDefaults,
  method: "POST",
  path: `${PATH}/:id`,
  permission: "responses.use",
  audit: null,
  summary: "Replace the metadata of a conversation",
  faults: ["not_found"],
  body: z.object({ metadata: metadataSchema.nullable() }),
  response: conversationSchema,
  handle: async ({ services, caller, params, body }) =>
    toConversationResponse(
      await services.stored.conversations.setMetadata(caller.accountId, idOf(params), body.metadata ?? {}),
    ),
});

const deleteConversation = controlEndpoint({
  ...storedDefaults,
  method: "DELETE",
  path: `${PATH}/:id`,
  permission: "responses.use",
  audit: { action: "conversation.delete" },
  summary: "Delete a conversation and its items",
  description: "Responses that were kept in it stay, until they expire or are deleted themselves.",
  faults: ["not_found"],
  response: z.object({ id: z.string(), object: z.literal("conversation.deleted"), deleted: z.literal(true) }),
  async handle({ services, caller, params }) {
    await services.stored.conversations.remove(caller.accountId, idOf(params));
    return { id: params.id ?? "", object: "conversation.deleted", deleted: true };
  },
});

const addItems = controlEndpoint({
  ...storedDefaults,
  method: "POST",
  path: `${PATH}/:id/items`,
  permission: "responses.use",
  audit: null,
  summary: "Add items to a conversation",
  faults: ["not_found", "conflict", "invalid_request"],
  allowsLargeBody: true,
  body: z.object({ items: newItemsSchema }),
  response: itemListSchema,
  async handle(operationContext) {
    const { services, caller, params, body, countBytes } = operationContext;
    const { conversations } = services.stored;
    const earlier = await conversations.allItems(caller.accountId, idOf(params), countBytes);
    const items = await readNewItems(operationContext, body.items, earlier);
    await conversations.append(caller.accountId, idOf(params), items);
    return toOpenAiList(items, items.length);
  },
});

const listItems = controlEndpoint({
  ...storedDefaults,
  method: "GET",
  path: `${PATH}/:id/items`,
  permission: "responses.read",
  summary: "List the items of a conversation",
  faults: ["not_found", "invalid_request"],
  query: itemListQuery,
  response: itemListSchema,
  async handle({ services, caller, params, query: { after, limit, order } }) {
    const page = { order, after, limit: limit + 1 };
    return toOpenAiList(await services.stored.conversations.items(caller.accountId, idOf(params), page), limit);
  },
});

const getItem = controlEndpoint({
  ...storedDefaults,
  method: "GET",
  path: ITEM_PATH,
  permission: "responses.read",
  summary: "One item of a conversation",
  faults: ["not_found"],
  response: storedItemSchema,
  handle: async ({ services, caller, params }) =>
    services.stored.conversations.item(caller.accountId, idOf(params), params.item_id ?? ""),
});

const deleteItem = controlEndpoint({
  ...storedDefaults,
  method: "DELETE",
  path: ITEM_PATH,
  permission: "responses.use",
  audit: { action: "conversation.delete_item" },
  summary: "Delete an item of a conversation",
  faults: ["not_found"],
  response: conversationSchema,
  handle: async ({ services, caller, params }) =>
    toConversationResponse(
      await services.stored.conversations.removeItem(caller.accountId, idOf(params), params.item_id ?? ""),
    ),
});

/** New items with their ids, refused where they could not follow the earlier ones. */
async function readNewItems(
  operationContext: Pick<OperationContext<unknown, unknown>, "services" | "caller" | "countBytes">,
  items: readonly Readonly<Record<string, unknown>>[],
  earlierItems: readonly StoredItem[],
): Promise<StoredItem[]> {
  if (items.length === 0) return [];
  const files = await findNamedFiles(operationContext, [...earlierItems, ...items]);
  inputField.read(attachFiles(items, files), "items", {
    earlierItems: attachFiles(earlierItems, files),
    dropped: new Set(),
  });
  return toStoredItems(items, (prefix) => `${prefix}-${newId()}`, new Map());
}

function idOf(params: Readonly<Record<string, string>>): string {
  return parseConversationId(params.id ?? "");
}

function toConversationResponse({ id, createdAt, metadata }: StoredConversation): z.infer<typeof conversationSchema> {
  return {
    id: toConversationId(id),
    object: "conversation",
    created_at: Math.floor(createdAt.getTime() / 1000),
    metadata: { ...metadata },
  };
}

export const conversationEndpoints: readonly Endpoint[] = [
  createConversation,
  getConversation,
  updateConversation,
  deleteConversation,
  addItems,
  listItems,
  getItem,
  deleteItem,
];
