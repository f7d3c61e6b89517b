import { readFile } from "node:fs/promises";
import { ROLES, type Role } from "@trunkline/core/caller.ts";
import { ALL_PERMISSIONS, PERMISSIONS } from "@trunkline/core/permissions.ts";
import { describe, expect, it } from "vitest";

const DOCUMENT = new URL("../../../docs/organisations.md", import.meta.url);

/** The cells of every row of a table whose first cell is in backticks. */
async function readRows(): Promise<string[][]> {
  const lines = (await readFile(DOCUMENT, "utf8")).split("\n").filter((line) => line.startsWith("| `"));
  return lines.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll("`", "")),
  );
}

describe("docs/organisations.md", () => {
  it("has the table of powers as it is", async () => {
    const drawn = (await readRows()).filter((cells) => cells.length === 2 + ROLES.length);
    const expected = ALL_PERMISSIONS.map((power) => {
      const { scope, roles }: { scope: string | undefined; roles: readonly Role[] } = PERMISSIONS[power];
      return [power, scope ?? "—", ...ROLES.map((role) => (roles.includes(role) ? "yes" : "no"))];
    });
    expect(drawn).toEqual(expected);
  });

  it("says of every role what it is for", async () => {
    const described = (await readRows()).filter((cells) => cells.length === 2).map(([role]) => role);
    expect(described).toEqual([...ROLES]);
  });
});
