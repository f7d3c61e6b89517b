import { queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "./client.ts";
import { usePermission } from "./session.ts";

/** The organisation's settings. */
export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: ({ signal }) => api.call("GET /v1/settings", { signal }),
  staleTime: 60_000,
});

/** The organisation's time zone, in which every page writes times. The device's own where it is not known. */
export function useZone(): string {
  const { data } = useQuery({ ...settingsQuery, enabled: usePermission("settings.read") });
  return data?.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}
