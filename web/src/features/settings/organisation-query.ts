import { queryOptions } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";

export type Organisation = AnswerOf<"GET /v1/organisation">;

/** The organisation that the session looks at. */
export const organisationQuery = queryOptions({
  queryKey: ["organisation"],
  queryFn: ({ signal }) => api.call("GET /v1/organisation", { signal }),
});
