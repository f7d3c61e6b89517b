import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { texts } from "../texts/texts.ts";
import { Button, type ButtonSize, type ButtonVariant } from "./button.tsx";
import { IconButton } from "./icon-button.tsx";
import { toast } from "./toast.tsx";

export interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
  readonly iconOnly?: boolean;
  readonly size?: ButtonSize;
  readonly variant?: ButtonVariant;
}

/** Puts a text on the clipboard and says so. */
export function CopyButton({
  text,
  label = texts.common.copy,
  iconOnly = false,
  size = "sm",
  variant = iconOnly ? "ghost" : "secondary",
}: CopyButtonProps) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setIsCopied(false), 1_600);
    return () => clearTimeout(timer);
  }, [isCopied]);

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setIsCopied(true);
    } catch {
      // Without https a browser has no clipboard for us.
      toast({
        tone: "danger",
        title: texts.common.copyFailed,
      });
    }
  }

  const icon = isCopied ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />;
  return (
    <>
      {iconOnly ? (
        <IconButton label={label} icon={icon} size={size} variant={variant} onClick={() => void copy()} />
      ) : (
        <Button icon={icon} size={size} variant={variant} onClick={() => void copy()}>
          {isCopied ? texts.common.copied : label}
        </Button>
      )}
      <span role="status" className="sr-only">
        {isCopied ? texts.common.copied : ""}
      </span>
    </>
  );
}
