import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { QueryOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";

const LIVE_MS = 10_000;

type SeriesQuery = QueryOf<"GET /v1/usage/series">;
type LatencyQuery = QueryOf<"GET /v1/usage/latency">;
type BreakdownQuery = QueryOf<"GET /v1/usage/breakdown">;

const shared = (isLive: boolean) =>
  ({ placeholderData: keepPreviousData, refetchInterval: isLive ? LIVE_MS : false }) as const;

/** Usage over time. */
export const seriesQuery = (query: SeriesQuery, isLive: boolean) =>
  queryOptions({
    queryKey: ["usage", "series", query],
    queryFn: ({ signal }) => api.call("GET /v1/usage/series", { query, signal }),
    ...shared(isLive),
  });

/** How long answers took, over time. */
export const latencyQuery = (query: LatencyQuery, isLive: boolean) =>
  queryOptions({
    queryKey: ["usage", "latency", query],
    queryFn: ({ signal }) => api.call("GET /v1/usage/latency", { query, signal }),
    ...shared(isLive),
  });

/** Usage by group, all of them. */
export const breakdownQuery = (query: BreakdownQuery, isLive: boolean) =>
  queryOptions({
    queryKey: ["usage", "breakdown", query],
    queryFn: ({ signal }) => api.call("GET /v1/usage/breakdown", { query, signal }),
    ...shared(isLive),
  });
