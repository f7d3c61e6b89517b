import { type ReactNode, useId } from "react";
import { texts } from "../texts/texts.ts";
import { Banner } from "./banner.tsx";
import { CopyButton } from "./copy-button.tsx";

export interface SecretOnceProps {
  readonly label: string;
  readonly secret: string;
  /** Why it has to be kept now. */
  readonly children?: ReactNode;
}

/** A secret that is shown this once. */
export function SecretOnce({ label, secret, children }: SecretOnceProps) {
  const id = useId();
  return (
    <div className="grid gap-3">
      <Banner tone="warning">{children ?? texts.common.secretOnce}</Banner>
      <div className="grid gap-1.5">
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        <div className="flex gap-2">
          <input
            id={id}
            readOnly
            value={secret}
            spellCheck={false}
            onFocus={(event) => event.target.select()}
            className="control bg-subtle font-mono text-sm"
          />
          <CopyButton text={secret} size="md" variant="primary" />
        </div>
      </div>
    </div>
  );
}
