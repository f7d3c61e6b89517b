import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/client.ts";

/** The account's presets, by name. */
export const presetsQuery = queryOptions({
  queryKey: ["presets"],
  queryFn: ({ signal }) => api.call("GET /v1/presets", { signal }),
});
