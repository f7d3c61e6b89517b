import type { StoredItem } from "../../../../stored-responses/sealed-json.ts";
import { inputItemId, type ResponseBody } from "../../../../stored-responses/stored-responses.ts";
import type { KeptFields, Preparation, PreparedRequest, RequestContext } from "../../../endpoints/endpoint.ts";
import { type Fields, invalidField, readObject } from "../../../requests/fields.ts";
import { attachFiles, findNamedFiles, namesFiles } from "../file-references.ts";
import { parseConversationId, parseResponseId, toConversationId } from "./ids.ts";
import { referredIdOf } from "./items.ts";
import { readResponseFields } from "./request.ts";
import { toStoredItems } from "./stored-items.ts";

const NO_ITEMS: ReadonlyMap<string, StoredItem> = new Map();

/** The earlier turns that a request continues, and how its own is kept. Only requests that continue one wait for the store. */
export function prepareResponse(preparation: Preparation): PreparedRequest | Promise<PreparedRequest> {
  const { services, body } = preparation;
  const fields = readObject(body, "");
  const previousId = readResponseFields.previous_response_id(fields);
  const conversationId = readResponseFields.conversation(fields);
  const referredIds = referredIdsIn(fields.input);
  if (previousId === undefined && conversationId === undefined && referredIds.length === 0) {
    const context = createContext(preparation, fields, { earlierItems: [], referredItems: NO_ITEMS, chain: [] });
    return namesFiles(fields.input) ? withFiles(preparation, fields, context) : { body, context };
  }
  if (!services.stored.responses.isOn) throw nothingStored(fields);
  if (previousId !== undefined && conversationId !== undefined)
    throw invalidField("conversation", "Send `previous_response_id` or `conversation`, not both.");
  return prepareContinued(preparation, fields, { previousId, conversationId, referredIds }).then((context) =>
    withFiles(preparation, fields, context),
  );
}

/** Puts in the files that the input and the earlier turns name. What is kept names them still. */
async function withFiles(preparation: Preparation, fields: Fields, context: RequestContext): Promise<PreparedRequest> {
  const { earlierItems, referredItems } = context;
  const input: readonly unknown[] = Array.isArray(fields.input) ? fields.input : [];
  const files = await findNamedFiles(preparation, [...earlierItems, ...referredItems.values(), ...input]);
  if (files.size === 0) return { body: fields, context };
  return {
    body: input.length === 0 ? fields : { ...fields, input: attachFiles(input, files) },
    context: {
      ...context,
      earlierItems: attachFiles(earlierItems, files),
      referredItems: new Map(attachFiles([...referredItems.values()], files).map((item) => [item.id, item])),
    },
  };
}

interface EarlierTurns extends Pick<RequestContext, "earlierItems" | "referredItems"> {
  /** The ids of the responses that this one continues. */
  readonly chain: readonly string[];
  readonly conversationId?: string;
}

async function prepareContinued(
  preparation: Preparation,
  fields: Fields,
  given: { previousId: string | undefined; conversationId: string | undefined; referredIds: readonly string[] },
): Promise<RequestContext> {
  const { services, caller, countBytes } = preparation;
  const { accountId } = caller;
  const referredItems = given.referredIds.length === 0 ? NO_ITEMS : await findItems(preparation, given.referredIds);
  if (given.conversationId !== undefined) {
    const conversationId = parseConversationId(given.conversationId);
    const earlierItems = await services.stored.conversations.allItems(accountId, conversationId, countBytes);
    return createContext(preparation, fields, { earlierItems, referredItems, chain: [], conversationId });
  }
  if (given.previousId === undefined)
    return createContext(preparation, fields, { earlierItems: [], referredItems, chain: [] });
  const responses = await services.stored.responses.chain(accountId, parseResponseId(given.previousId), countBytes);
  if (responses.some(({ response }) => (response.conversation ?? null) !== null))
    throw invalidField(
      "previous_response_id",
      "This response belongs to a conversation. Continue it by the field `conversation`.",
    );
  return createContext(preparation, fields, {
    earlierItems: responses.flatMap(({ input, response }) => [...input, ...response.output]),
    referredItems,
    chain: responses.map(({ id }) => id),
  });
}

function createContext(
  { services, caller, trace }: Preparation,
  fields: Fields,
  { earlierItems, referredItems, chain, conversationId }: EarlierTurns,
): RequestContext {
  const { responses, conversations } = services.stored;
  const { accountId } = caller;
  const { requestId } = trace;
  const { input } = fields;
  const stores = responses.isOn && readResponseFields.store(fields) !== false;
  const keep = async (response: ResponseBody): Promise<KeptFields> => {
    const items = toStoredItems(input, (prefix, index) => inputItemId(prefix, requestId, index), referredItems);
    const isAppended =
      conversationId !== undefined &&
      (await conversations.append(accountId, conversationId, [...items, ...response.output]).then(
        () => true,
        (error: unknown) => {
          services.warnThrottled(error, "A response could not be added to its conversation.", requestId);
          return false;
        },
      ));
    const conversation = isAppended ? { id: toConversationId(conversationId) } : null;
    const store =
      stores &&
      (await responses.save({
        id: requestId,
        accountId,
        chain,
        referredItemIds: [...referredItems.keys()],
        input: items,
        response: { ...response, conversation },
      }));
    return { store, conversation };
  };
  return { earlierItems, referredItems, conversationId, stores, keep };
}

async function findItems({ services, caller, countBytes }: Preparation, ids: readonly string[]) {
  const { responses, conversations } = services.stored;
  const { accountId } = caller;
  const found = await responses.items(accountId, ids, countBytes);
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length === 0) return found;
  return new Map([...found, ...(await conversations.itemsById(accountId, missing, countBytes))]);
}

/** The ids of the items that an input refers to. What else is wrong with it is found when it is read. */
function referredIdsIn(input: unknown): string[] {
  if (!Array.isArray(input)) return [];
  return input.flatMap((item: unknown) =>
    typeof item === "object" && item !== null ? (referredIdOf(item as Fields) ?? []) : [],
  );
}

function nothingStored(fields: Fields) {
  const name = ["previous_response_id", "conversation"].find((field) => (fields[field] ?? null) !== null) ?? "input";
  return invalidField(
    name,
    "Responses are not kept here. Send the whole conversation as `input`; clients do so with `store: false`.",
  );
}
