import type { Part } from "@trunkline/core/parts.ts";

/** All parts of an answer. */
export async function collect(answer: AsyncIterable<Part>): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const part of answer) parts.push(part);
  return parts;
}
