import { piecesOf } from "../src/screen/text-pieces.ts";
import type { Row } from "./rows.ts";

/** The texts in which the gateway evaluates a row: a long request or document piece by piece, an answer as a whole. */
export function evaluatedTexts({ text, channel }: Pick<Row, "text" | "channel">): string[] {
  if (channel === "output") return [text];
  return Array.from(piecesOf(text), ({ start, end }) => text.slice(start, end));
}
