import { Tooltip as Radix } from "radix-ui";
import type { ReactNode } from "react";

export interface TooltipProps {
  readonly content: ReactNode;
  readonly side?: "top" | "right" | "bottom" | "left";
  /** One element that can be focused. */
  readonly children: ReactNode;
}

/** A short word on what has the pointer or the focus. Never the only place where something is said. */
export function Tooltip({ content, side = "top", children }: TooltipProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-w-72 animate-fade rounded-sm bg-text px-2 py-1 text-xs text-canvas shadow-overlay"
        >
          {content}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Used once around the app: one tooltip at a time, the next one without delay. */
export function TooltipProvider({ children }: { readonly children: ReactNode }) {
  return <Radix.Provider delayDuration={350}>{children}</Radix.Provider>;
}
