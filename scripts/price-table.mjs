// Writes the bundled price table from the prices inside the package @pydantic/genai-prices. Run it with
// `npm run prices:update` after that package was updated; a date, YYYY-MM-DD, takes another day's prices than today's.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { waitForUpdate } from "@pydantic/genai-prices";
import { makePriceTable } from "./make-price-table.ts";

const entry = createRequire(import.meta.url).resolve("@pydantic/genai-prices");
const { version } = JSON.parse(readFileSync(join(dirname(entry), "../package.json"), "utf8"));
const asOf = process.argv[2] ?? new Date().toISOString().slice(0, 10);
const table = makePriceTable({ providers: (await waitForUpdate()) ?? [], version, asOf });
writeFileSync(new URL("../packages/providers/src/discovery/price-table.json", import.meta.url), table);
