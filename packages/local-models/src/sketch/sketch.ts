import { truncateText } from "@trunkline/core/code-points.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import { type Builtin, builtinModel, cooperativeYield } from "../builtin/builtin.ts";
import { estimateTokens, lastUserTextOf } from "../builtin/text.ts";
import { rowPainter } from "./paint.ts";
import { encodePng } from "./png.ts";

const SIZE_DEFAULT = "1024x1024";
const SIDE_MIN = 16;
const SIDE_MAX = 2_048;
/** The first words decide; reading a long text to its end would only cost time. */
const WORDS_CHARACTERS_MAX = 4_000;

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
      const [width, height] = readSize(inference.parameters.size ?? SIZE_DEFAULT);
      const words = lastUserTextOf(inference.conversation);
      const nextTurn = cooperativeYield(signal);
      const read = truncateText(words, WORDS_CHARACTERS_MAX);
      for (let choice = 1; choice <= (inference.parameters.choices ?? 1); choice++) {
        // A number names nothing, so it only varies the picture.
        const paintRow = rowPainter(choice === 1 ? read : `${read} ${choice}`, width, height);
        const png = await encodePng(width, height, paintRow, nextTurn);
        signal.throwIfAborted();
        const url = `data:image/png;base64,${png.toString("base64")}`;
        yield { type: "media", kind: "image", url, source: { image_url: url } };
      }
      yield { type: "usage", inputTokens: estimateTokens(words), outputTokens: 0 };
      yield { type: "finish", reason: "stop" };
    },
  };
}

function readSize(size: string): [width: number, height: number] {
  const [, width, height] = /^(\d{1,6})x(\d{1,6})$/i.exec(size)?.map(Number) ?? [];
  if (width === undefined || height === undefined) {
    const shown = truncateText(size, 40);
    throw rejected(`The size "${shown}" is not of the form <width>x<height>, such as ${SIZE_DEFAULT}.`);
  }
  if (Math.min(width, height) < SIDE_MIN || Math.max(width, height) > SIDE_MAX) {
    throw rejected(`builtin/sketch draws ${SIDE_MIN} to ${SIDE_MAX} pixels a side, not ${width}x${height}.`);
  }
  return [width, height];
}

function rejected(sentence: string): ProviderFailure {
  return new ProviderFailure("rejected", sentence, { blamesEndpoint: false });
}
