import { useRef } from "react";
import { focusFirst } from "./focus-first.ts";

/** Where the focus goes when something opens, and that it goes back when it closes: only a dialog with a trigger of its own does so by itself. */
export function useDialogFocus() {
  const opener = useRef<Element>(null);
  return {
    onOpenAutoFocus(event: Event) {
      opener.current = document.activeElement;
      focusFirst(event);
    },
    onCloseAutoFocus(event: Event) {
      event.preventDefault();
      if (opener.current instanceof HTMLElement) opener.current.focus();
    },
  };
}
