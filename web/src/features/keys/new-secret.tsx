import { type ReactNode, useEffect, useRef } from "react";
import { writeCurlSample, writeReadSample } from "../../api/code-samples.ts";
import { texts } from "../../texts/texts.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";
import type { Key } from "./key-draft.ts";

export interface NewSecretProps {
  readonly secret: string;
  readonly terms: Pick<Key, "scopes" | "models">;
  readonly children?: ReactNode;
}

const TEXTS = texts.keys.created;

/** A key's secret, this once, and a request that can be sent with it right away. */
export function NewSecret({ secret, terms, children }: NewSecretProps) {
  const area = useRef<HTMLDivElement>(null);
  const code = sampleFor(terms, secret);
  useEffect(() => area.current?.querySelector("input")?.focus(), []);
  return (
    <div ref={area} className="grid gap-6">
      <SecretOnce label={TEXTS.secret} secret={secret}>
        {TEXTS.warning}
      </SecretOnce>
      {children}
      {code !== undefined && (
        <div className="grid gap-2">
          <p className="font-medium">{TEXTS.tryIt}</p>
          <CodeBlock label={TEXTS.sample} wrap samples={[{ label: "curl", language: "bash", code }]} />
        </div>
      )}
    </div>
  );
}

/** Something that this very key may do: one held to some models may have none that answers a question. */
function sampleFor({ scopes, models }: NewSecretProps["terms"], key: string): string | undefined {
  const place = { origin: location.origin, key };
  if (scopes.includes("inference") && models === null) return writeCurlSample(place);
  return scopes.includes("read") ? writeReadSample(place) : undefined;
}
