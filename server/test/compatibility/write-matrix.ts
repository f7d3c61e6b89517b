import { CLIENTS } from "./clients.ts";
import { ALL_FEATURES, FEATURES } from "./features.ts";
import type { Cell } from "./try-cell.ts";
import { PROVIDERS } from "./upstreams.ts";

const SIGNS: Readonly<Record<Cell, string>> = {
  proven: "✓",
  "in words": "w",
  "dropped and listed": "d",
  "not in the provider's format": "p",
  "not in the client's format": "–",
};

/** By client's name, provider's wire and feature. */
export type Matrix = ReadonlyMap<string, Cell>;
export const keyOf = (client: string, wire: string, feature: string) => `${client} ${wire} ${feature}`;

/** One table for each of the clients' formats, as Markdown. */
export function writeMatrix(matrix: Matrix): string {
  return CLIENTS.map(({ name }) => {
    const heads = ["", ...PROVIDERS.map((provider) => provider.name)];
    const rows = ALL_FEATURES.map((feature) => [
      FEATURES[feature],
      ...PROVIDERS.map(({ wire }) => SIGNS[matrix.get(keyOf(name, wire, feature)) ?? "not in the client's format"]),
    ]);
    const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
    return [
      `### Clients that speak ${name === "ours" ? "our own format" : name}`,
      "",
      line(heads),
      line(heads.map((_, index) => (index === 0 ? "---" : ":-:"))),
      ...rows.map(line),
      "",
    ].join("\n");
  }).join("\n");
}
