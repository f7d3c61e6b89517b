import type { ItemOf } from "@trunkline/sdk";
import { type Command, choiceOf } from "../command.ts";
import { type Column, formatCredits, formatTable } from "../table.ts";

type Model = ItemOf<"GET /v1/catalogue">;

const TYPES = ["text", "image", "audio", "multimodal", "embedding"] as const;

const COLUMNS: readonly Column<Model>[] = [
  { name: "model", text: ({ full_name: name }) => name },
  { name: "type", text: ({ type }) => type },
  { name: "context", right: true, text: ({ context_window: tokens }) => (tokens === null ? "" : String(tokens)) },
  { name: "price in credits", text: ({ pricing }) => priceText(pricing) },
  { name: "state", text: ({ live }) => live.state },
];

/** `trunkline models` */
export const modelsCommand: Command = {
  help: `Lists models with their prices.

  trunkline models [--type ${TYPES.join("|")}] [--json] [search words]`,
  options: { type: { type: "string" }, json: { type: "boolean" } },
  async run({ words, text, client, isSet, print, printJson }) {
    const type = choiceOf("type", text("type"), TYPES);
    const query = { type, q: words.join(" ") || undefined, limit: 100 };
    const models: Model[] = [];
    for await (const model of (await client()).items("GET /v1/catalogue", { query })) models.push(model);
    if (isSet("json")) printJson(models);
    else print(models.length === 0 ? "No model fits." : formatTable(COLUMNS, models));
  },
};

/** Tokens are priced by the thousand and shown by the million, as people compare them. */
function priceText(pricing: Model["pricing"]): string {
  const { input_per_1k_tokens: input, output_per_1k_tokens: output, per_image, per_second, per_request } = pricing;
  const prices = [
    [(input ?? 0) * 1_000, "per 1M tokens in"],
    [(output ?? 0) * 1_000, "per 1M tokens out"],
    [per_image, "per image"],
    [per_second, "per second"],
    [per_request, "per request"],
  ] as const;
  const parts = prices.flatMap(([price = 0, unit]) => (price === 0 ? [] : [`${formatCredits(price)} ${unit}`]));
  return parts.length === 0 ? "free" : parts.join(", ");
}
