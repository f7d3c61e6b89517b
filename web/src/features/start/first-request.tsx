import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { catalogueQuery } from "../../api/catalogue.ts";
import { useFreshKey } from "../../api/fresh-key.ts";
import { modelCode } from "../../api/model-code.ts";
import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Checkbox } from "../../ui/checkbox.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { realOffersOf } from "./overview-query.ts";

const TEXTS = texts.home.request;
const EXPORT = "export TRUNKLINE_KEY=tl_…";

export interface FirstRequestProps {
  readonly isWaiting: boolean;
  readonly hasKey: boolean;
}

/** A request to copy, in several forms, and whether it has arrived. */
export function FirstRequest({ isWaiting, hasKey }: FirstRequestProps) {
  const fresh = useFreshKey();
  const { data = [] } = useQuery(catalogueQuery);
  const [isFilledIn, setIsFilledIn] = useState(false);
  const samples = modelCode({
    origin: location.origin,
    key: isFilledIn ? fresh?.secret : undefined,
    model: realOffersOf(data)[0]?.full_name ?? "auto",
    input: "text",
    output: "text",
  });
  return (
    <div className="grid min-w-0 content-start gap-3">
      <p className="text-muted">{TEXTS.text}</p>
      <CodeBlock label={TEXTS.label} samples={samples} />
      {fresh === undefined ? (
        <p className="text-sm text-muted">
          <Sentence text={TEXTS.setKey} parts={{ command: <code className="wrap-anywhere">{EXPORT}</code> }} />
        </p>
      ) : (
        <Checkbox
          label={<Sentence text={TEXTS.fill} parts={{ hint: <code>{fresh.hint}</code> }} />}
          description={TEXTS.fillHint}
          checked={isFilledIn}
          onCheckedChange={setIsFilledIn}
        />
      )}
      {isWaiting && hasKey && (
        <p className="flex items-center gap-2 text-sm text-muted">
          <span aria-hidden="true" className="size-2 animate-pulse rounded-full bg-accent" />
          {TEXTS.waiting}
        </p>
      )}
    </div>
  );
}
