import { truncateText } from "@trunkline/core/code-points.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { type Builtin, builtinModel, cooperativeYield } from "../builtin.ts";
import { estimateTokens, lastUserTextOf } from "../text.ts";
import { draw } from "./draw.ts";
import { encodePng } from "./png.ts";

const SIZE_DEFAULT = "1024x1024";
const SIDE_MIN = 16;
const SIDE_MAX = 2_048;
/** The first words decide; a whole book would only cost time to read. */
const WORDS_CHARACTERS_MAX = 4_000;

/** The model that draws a landscape from words. */
export function createSketch(): Builtin {
  return {
    model: builtinModel({
      id: "0b1de000-0000-4000-8000-000000000003",
      name: "sketch",
      type: "image",
      description:
        "Draws a landscape from the words: procedural art, not an image model. The same words always give the same picture; words such as sunset, ocean, forest, city, night, snow or a colour steer it, others only vary it.",
      capabilities: ["image", "image-generation"],
      specialties: ["landscape", "procedural-art"],
      avgLatencyMs: 400,
      accuracyScore: 0.2,
    }),
    async *answer(inference, signal) {
      const { width, height } = sizeOf(inference.parameters.size ?? SIZE_DEFAULT);
      const words = lastUserTextOf(inference.conversation);
      const nextTurn = cooperativeYield(signal);
      const shown = truncateText(words, WORDS_CHARACTERS_MAX);
      for (let choice = 1; choice <= (inference.parameters.choices ?? 1); choice++) {
        // Words that steer nothing only vary the picture, and so does a number.
        const picture = await draw(choice === 1 ? shown : `${shown} ${choice}`, width, height, nextTurn);
        const png = await encodePng(picture, nextTurn);
        signal.throwIfAborted();
        const url = `data:image/png;base64,${png.toString("base64")}`;
        yield { type: "media", kind: "image", url, source: { image_url: url } };
      }
      yield { type: "usage", inputTokens: estimateTokens(words), outputTokens: 0 };
      yield { type: "finish", reason: "stop" };
    },
  };
}

function sizeOf(size: string): { width: number; height: number } {
  const [, width, height] = /^(\d{1,6})x(\d{1,6})$/i.exec(size)?.map(Number) ?? [];
  if (width === undefined || height === undefined) {
    throw rejected(
      `The size "${truncateText(size, 40)}" is not of the form <width>x<height>, such as ${SIZE_DEFAULT}.`,
    );
  }
  if (Math.min(width, height) < SIDE_MIN || Math.max(width, height) > SIDE_MAX) {
    throw rejected(`builtin/sketch draws ${SIDE_MIN} to ${SIDE_MAX} pixels a side, not ${width}x${height}.`);
  }
  return { width, height };
}

function rejected(sentence: string): ProviderFailure {
  return new ProviderFailure("rejected", sentence, { blamesEndpoint: false });
}
