import { textsOf } from "@trunkline/core/conversation.ts";
import { embedText } from "@trunkline/core/embed-text.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { type Builtin, builtinModel, cooperativeYield } from "../builtin/builtin.ts";
import { estimateTokens } from "../builtin/text.ts";

const DIMENSIONS_DEFAULT = 256;
const DIMENSIONS_MAX = 1_024;
/** About fifteen pages. A longer text would delay other requests, and is better searched in parts. */
const CHARACTERS_MAX = 32_768;

export function createEmbed(): Builtin {
  return {
    model: builtinModel({
      id: "0b1de000-0000-4000-8000-000000000005",
      name: "embed",
      type: "embedding",
      description: `Makes vectors by spelling: hashed words, parts of words and neighbouring words. Good for finding texts that are worded alike, in any language; it knows nothing of meaning, so that synonyms and translations are strangers to it. ${DIMENSIONS_DEFAULT} dimensions, or as many as asked for up to ${DIMENSIONS_MAX.toLocaleString("en")}.`,
      capabilities: ["embedding", "embeddings"],
      specialties: ["lexical-search", "near-duplicates"],
      avgLatencyMs: 5,
      accuracyScore: 0.2,
    }),
    async *answer({ conversation, parameters }, signal) {
      const dimensions = parameters.dimensions ?? DIMENSIONS_DEFAULT;
      if (dimensions > DIMENSIONS_MAX) {
        throw rejected(
          `builtin/embed has at most ${DIMENSIONS_MAX.toLocaleString("en")} dimensions, not ${dimensions}.`,
        );
      }
      const texts = textsOf(conversation);
      const tooLong = texts.find((text) => text.length > CHARACTERS_MAX);
      if (tooLong !== undefined) {
        throw rejected(
          `builtin/embed reads at most ${CHARACTERS_MAX.toLocaleString("en")} characters a text, this one has ${tooLong.length.toLocaleString("en")}; send it in parts.`,
        );
      }
      const nextTurn = cooperativeYield(signal);
      let inputTokens = 0;
      for (const [index, text] of texts.entries()) {
        await nextTurn();
        inputTokens += estimateTokens(text);
        yield { type: "embedding", index, vector: Array.from(embedText(text, dimensions)) };
      }
      yield { type: "usage", inputTokens, outputTokens: 0 };
      yield { type: "finish", reason: "stop" };
    },
  };
}

function rejected(sentence: string): ProviderFailure {
  return new ProviderFailure("rejected", sentence, { blamesEndpoint: false });
}
