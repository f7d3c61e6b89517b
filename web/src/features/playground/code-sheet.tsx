import { sdkCode } from "../../api/sdk-code.ts";
import { texts } from "../../texts/texts.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Sheet } from "../../ui/sheet.tsx";
import type { SentRequest } from "./chat-request.ts";

const { playground: words } = texts;
/** A file as text would bury the code: the beginning of it is shown. */
const SHOWN_CHARACTERS = 60;

interface CodeSheetProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly requests: readonly SentRequest[];
}

/** The next request, one for each model, as code. */
export function CodeSheet({ open, onOpenChange, requests }: CodeSheetProps) {
  const coded = open ? requests.map(({ path, body }) => ({ path, body: shorten(body) })) : [];
  return (
    <Sheet open={open} onOpenChange={onOpenChange} width="xl" title={words.viewCode} description={words.viewCodeHint}>
      <div className="grid gap-5">
        {coded.map(({ path, body }, index) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: a request is the place of its model.
            key={index}
            className="grid min-w-0 gap-2"
          >
            {coded.length > 1 && <h3 className="font-medium">{words.modelNumber(index + 1)}</h3>}
            <CodeBlock
              label={words.requestAsCode(index + 1)}
              samples={sdkCode({ origin: location.origin, path, body: body as Record<string, unknown> })}
              wrap
            />
          </div>
        ))}
        {coded.some(({ body }) => JSON.stringify(body).includes(CUT)) && (
          <p className="text-sm text-muted">{words.filesCut}</p>
        )}
      </div>
    </Sheet>
  );
}

const CUT = "…";

/** The same with the content of files cut. */
function shorten(value: unknown): unknown {
  if (typeof value === "string" && /^data:[\w/+.-]+;base64,/.test(value) && value.length > SHOWN_CHARACTERS)
    return `${value.slice(0, SHOWN_CHARACTERS)}${CUT}`;
  if (Array.isArray(value)) return value.map(shorten);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) =>
      name === "input_audio"
        ? [name, { ...inner, data: `${String(inner.data).slice(0, 20)}${CUT}` }]
        : [name, shorten(inner)],
    ),
  );
}
