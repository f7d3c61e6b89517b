import { texts } from "../texts/texts.ts";
import { Badge, type Tone } from "../ui/badge.tsx";

/** The status of a request, with what it means: 403 Blocked by safety. */
export function StatusBadge({ status, errorType }: { readonly status: number; readonly errorType: string | null }) {
  const { tone, word } = outcomeOf(status);
  const { errorTypes, status: words } = texts.requests;
  return (
    <Badge tone={tone} dot>
      {words.both(status, errorType === null ? word : (errorTypes[errorType] ?? errorType.replaceAll("_", " ")))}
    </Badge>
  );
}

function outcomeOf(status: number): { readonly tone: Tone; readonly word: string } {
  const { status: words } = texts.requests;
  if (status < 400) return { tone: "positive", word: words.ok };
  if (status === 499) return { tone: "neutral", word: words.clientLeft };
  return status < 500 ? { tone: "warning", word: words.refused } : { tone: "danger", word: words.failed };
}
