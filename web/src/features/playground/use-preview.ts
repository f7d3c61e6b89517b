import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";
import { useDebounced } from "../../ui/use-debounced.ts";
import type { PreviewBody } from "./chat-request.ts";

/** How a request would be routed. */
export type Preview = AnswerOf<"POST /v1/routing/preview">;

const TYPING_MS = 350;

/** The routing of a request that is being written. Asked for when the typing pauses; what is outdated is cancelled. */
export function usePreview(body: PreviewBody | undefined) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const asked = useDebounced(text, TYPING_MS);
  const query = useQuery({
    queryKey: ["routing-preview", asked],
    queryFn: ({ signal }) =>
      api.call("POST /v1/routing/preview", { body: JSON.parse(asked ?? "{}") as PreviewBody, signal }),
    enabled: asked !== undefined && text !== undefined,
    placeholderData: keepPreviousData,
    // A balance, a price or a health may have changed since.
    staleTime: 5_000,
    gcTime: 10_000,
    retry: false,
  });
  return { ...query, isOutdated: asked !== text || query.isPlaceholderData };
}
