import { type ReactNode, useEffect, useRef } from "react";
import { CURL_SAMPLE, writeReadSample } from "../../api/code-samples.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";
import type { Key } from "./key-draft.ts";

export interface NewSecretProps {
  readonly secret: string;
  readonly terms: Pick<Key, "scopes" | "models">;
  readonly children?: ReactNode;
}

/** A key's secret, this once, and a request that can be sent with it right away. */
export function NewSecret({ secret, terms, children }: NewSecretProps) {
  const area = useRef<HTMLDivElement>(null);
  const code = sampleFor(terms, secret);
  useEffect(() => area.current?.querySelector("input")?.focus(), []);
  return (
    <div ref={area} className="grid gap-6">
      <SecretOnce label="Secret" secret={secret}>
        Copy it now and keep it where secrets are kept. Only a hash of it is stored, so it can't be shown again.
      </SecretOnce>
      {children}
      {code !== undefined && (
        <div className="grid gap-2">
          <p className="font-medium">Try it in a terminal</p>
          <CodeBlock label="A request with the new key" wrap samples={[{ label: "curl", language: "bash", code }]} />
        </div>
      )}
    </div>
  );
}

/** Something that this very key may do: one held to some models may have none that answers a question. */
function sampleFor({ scopes, models }: NewSecretProps["terms"], key: string): string | undefined {
  const place = { origin: location.origin, key };
  if (scopes.includes("inference") && models === null) return CURL_SAMPLE.write(place);
  return scopes.includes("read") ? writeReadSample(place) : undefined;
}
