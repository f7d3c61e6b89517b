import { useState } from "react";
import { CODE_SAMPLES } from "../../api/code-samples.ts";
import { useFreshKey } from "../../api/fresh-key.ts";
import { Checkbox } from "../../ui/checkbox.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";

export interface FirstRequestProps {
  readonly isWaiting: boolean;
  readonly hasKey: boolean;
}

/** A request to copy, in several languages, and whether it has arrived. */
export function FirstRequest({ isWaiting, hasKey }: FirstRequestProps) {
  const fresh = useFreshKey();
  const [isFilledIn, setIsFilledIn] = useState(false);
  const key = isFilledIn ? fresh?.secret : undefined;
  const samples = CODE_SAMPLES.map(({ label, language, write }) => ({
    label,
    language,
    code: write({ origin: location.origin, key }),
  }));
  return (
    <div className="grid min-w-0 content-start gap-3">
      <CodeBlock label="A first request" samples={samples} />
      {fresh === undefined ? (
        <p className="text-sm text-muted">
          Put your key into the variable <code>TRUNKLINE_KEY</code> first:{" "}
          <code className="wrap-anywhere">export TRUNKLINE_KEY=tl_…</code>
        </p>
      ) : (
        <Checkbox
          label={
            <>
              Fill in the key that you just made, <code>{fresh.hint}</code>
            </>
          }
          description="Whoever sees the code then sees the secret."
          checked={isFilledIn}
          onCheckedChange={setIsFilledIn}
        />
      )}
      {isWaiting && hasKey && (
        <p className="flex items-center gap-2 text-sm text-muted">
          <span aria-hidden="true" className="size-2 animate-pulse rounded-full bg-accent" />
          Waiting for the first request
        </p>
      )}
    </div>
  );
}
