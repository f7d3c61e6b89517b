// Writes sdk/src/wire.ts, the API's types for TypeScript, from the table of operations. Run it with `npm run sdk:types`.
import { writeFileSync } from "node:fs";
import { buildOpenApiDocument } from "../server/src/http/openapi/openapi-document.ts";
import { ALL_ENDPOINTS } from "../server/src/http/server/endpoint-registry.ts";
import { wireTypesOf } from "./wire-types.ts";

writeFileSync(new URL("../sdk/src/wire.ts", import.meta.url), wireTypesOf(buildOpenApiDocument(ALL_ENDPOINTS)));
