import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import { texts } from "../texts/texts.ts";
import { Input, type InputProps } from "./input.tsx";

/** A password, which can be looked at while it is typed. */
export function PasswordInput(props: Omit<InputProps, "type" | "suffix">) {
  const [isShown, setIsShown] = useState(false);
  return (
    <Input
      {...props}
      type={isShown ? "text" : "password"}
      autoCapitalize="none"
      spellCheck={false}
      suffix={
        <button
          type="button"
          aria-pressed={isShown}
          aria-label={texts.common.showPassword}
          onClick={() => setIsShown(!isShown)}
          className="-mr-1 flex size-7 items-center justify-center rounded-sm text-muted hover:text-text [&_svg]:size-4"
        >
          {isShown ? <EyeOff aria-hidden="true" /> : <Eye aria-hidden="true" />}
        </button>
      }
    />
  );
}
