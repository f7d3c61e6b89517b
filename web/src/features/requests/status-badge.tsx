import { Badge, type Tone } from "../../ui/badge.tsx";

/** What became of a request, in a word and its status. */
export function StatusBadge({ status, errorType }: { readonly status: number; readonly errorType: string | null }) {
  const { tone, word } = outcomeOf(status);
  return (
    <Badge tone={tone} dot>
      {errorType === null ? word : errorType.replaceAll("_", " ")} {status}
    </Badge>
  );
}

function outcomeOf(status: number): { readonly tone: Tone; readonly word: string } {
  if (status < 400) return { tone: "positive", word: "answered" };
  if (status === 499) return { tone: "neutral", word: "client left" };
  return status < 500 ? { tone: "warning", word: "refused" } : { tone: "danger", word: "failed" };
}
