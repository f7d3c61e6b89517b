import { RequestAnalysis } from "../../shared/request-analysis.tsx";
import { exploredWords } from "../../shared/route-words.ts";
import type { RequestDetail } from "./request-words.ts";

/** What the choice went by: what the request was taken for, what was compared, and what session and chance had to say. */
export function ChoiceView({ routing }: { readonly routing: NonNullable<RequestDetail["routing"]> }) {
  const { reading, explored, sticky_to: stickyTo, quality_floor: floor, strategy } = routing;
  const first = routing.candidates.find(({ place }) => place === 1)?.model;
  return (
    <RequestAnalysis
      reading={reading}
      contest={routing}
      more={[
        {
          label: "Quality floor",
          value: floor === undefined || strategy !== "cost-optimized" ? undefined : floor,
        },
        { label: "Tried out", value: explored && exploredWords(explored, first) },
        {
          label: "Session",
          value: stickyTo === undefined ? undefined : `It stays with ${stickyTo} while that one serves it.`,
        },
      ]}
    />
  );
}
