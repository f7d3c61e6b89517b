import { requestCode } from "../../api/request-code.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Sheet } from "../../ui/sheet.tsx";
import type { SentRequest } from "./settings.ts";

/** A file as text would bury the code: the beginning of it is shown. */
const SHOWN_CHARACTERS = 60;

interface CodeSheetProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly requests: readonly SentRequest[];
}

/** The request, or both of them, as code. */
export function CodeSheet({ open, onOpenChange, requests }: CodeSheetProps) {
  const hasFiles = requests.some(({ body }) => (body.attachments ?? []).length > 0);
  return (
    <Sheet
      open={open}
      onOpenChange={onOpenChange}
      width="xl"
      title="View code"
      description="Exactly this request, with a key of yours in the variable TRUNKLINE_KEY."
    >
      <div className="grid gap-5">
        {requests.map((request, index) => {
          const name = requests.length === 1 ? "The request" : index === 0 ? "The left request" : "The right request";
          return (
            <div key={name} className="grid min-w-0 gap-2">
              {requests.length > 1 && <h3 className="font-medium">{name}</h3>}
              <CodeBlock
                label={`${name} as code`}
                samples={requestCode({
                  origin: location.origin,
                  path: request.path,
                  body: shorten(request.body),
                })}
                wrap
              />
            </div>
          );
        })}
        {hasFiles && (
          <p className="text-sm text-muted">The attached files are cut here. Put the whole data: URL in their place.</p>
        )}
      </div>
    </Sheet>
  );
}

function shorten(body: SentRequest["body"]): Readonly<Record<string, unknown>> {
  const { attachments, ...rest } = body;
  if (attachments === undefined) return rest;
  return {
    ...rest,
    attachments: attachments.map(({ type, url }) => ({
      type,
      url: url.length > SHOWN_CHARACTERS ? `${url.slice(0, SHOWN_CHARACTERS)}…` : url,
    })),
  };
}
