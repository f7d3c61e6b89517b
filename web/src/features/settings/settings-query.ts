import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/client.ts";

/** The organisation's settings. */
export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: ({ signal }) => api.call("GET /v1/settings", { signal }),
});
