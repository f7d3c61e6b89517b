import { expect, it } from "vitest";
import { CLASSES, PLACES, packageVersionOf, readStandardTests } from "./standard-tests-table.ts";

it.each(CLASSES)("the table of LangChain's tests has the installed %s, and no failure of ours", async (className) => {
  const rows = (await readStandardTests()).split("\n").map((row) => row.split("|").map((cell) => cell.trim()));
  const [, , version, ...cells] = rows.find(([, name]) => name === className) ?? [];
  expect(version).toBe(await packageVersionOf(className));
  const counts = cells.slice(0, PLACES.length + 1);
  expect(new Set(counts).size, counts.join(", ")).toBe(1);
  expect(counts[0]).toMatch(/^2\d of 2\d$/);
});
