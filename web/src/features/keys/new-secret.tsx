import { type ReactNode, useEffect, useRef } from "react";
import { CodeBlock } from "../../ui/code-block.tsx";
import { SecretOnce } from "../../ui/secret-once.tsx";

export interface NewSecretProps {
  readonly secret: string;
  readonly children?: ReactNode;
}

/** A key's secret, this once, and a request that can be sent with it right away. */
export function NewSecret({ secret, children }: NewSecretProps) {
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => area.current?.querySelector("input")?.focus(), []);
  return (
    <div ref={area} className="grid gap-6">
      <SecretOnce label="Secret" secret={secret}>
        Copy it now and keep it where secrets are kept. Only a hash of it is stored, so it can't be shown
        again.
      </SecretOnce>
      {children}
      <div className="grid gap-2">
        <p className="font-medium">Try it in a terminal</p>
        <CodeBlock
          label="A request with the new key"
          wrap
          samples={[{ label: "curl", language: "bash", code: requestWith(secret) }]}
        />
      </div>
    </div>
  );
}

function requestWith(secret: string): string {
  return `curl ${location.origin}/v1/ai/request \\
  -H "Authorization: Bearer ${secret}" \\
  -H "Content-Type: application/json" \\
  -d '{"task": "chat", "input": "What is Trunkline?"}'`;
}
