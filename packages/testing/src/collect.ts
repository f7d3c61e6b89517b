import type { Part } from "@trunkline/core/parts.ts";

/** All parts of an answer, whether they come one by one or in groups. */
export async function collect(answer: AsyncIterable<Part | readonly Part[]>): Promise<Part[]> {
  const parts: Part[] = [];
  for await (const item of answer) parts.push(...(Array.isArray(item) ? item : [item]));
  return parts;
}
