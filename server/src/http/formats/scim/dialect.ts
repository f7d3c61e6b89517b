import type { Fault } from "@trunkline/core/fault.ts";
import { z } from "zod";
import type { Dialect } from "../dialect.ts";

const ERROR_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:Error";

const scimErrorSchema = z.object({
  schemas: z.array(z.string()),
  status: z.string(),
  scimType: z.string().optional(),
  detail: z.string(),
  type: z.string().describe("The type of the error, as the rest of the service names it."),
});

/** What SCIM calls a refusal (RFC 7644, section 3.12). */
function scimTypeOf({ type, details }: Fault): string | undefined {
  if (type === "conflict") return details.param === undefined ? "mutability" : "uniqueness";
  if (type !== "invalid_request") return undefined;
  if (details.param === "filter") return "invalidFilter";
  return details.param === "path" ? "invalidPath" : "invalidValue";
}

/** SCIM 2.0, by which directories manage the members of an organisation. */
export const scimDialect: Dialect = {
  prefix: "/scim/v2",
  errorSchemaName: "ScimError",
  errorSchema: scimErrorSchema,
  errorBody(fault) {
    const scimType = scimTypeOf(fault);
    return {
      schemas: [ERROR_SCHEMA],
      status: String(fault.status),
      ...(scimType === undefined ? {} : { scimType }),
      detail: fault.message,
      type: fault.type,
    };
  },
};
