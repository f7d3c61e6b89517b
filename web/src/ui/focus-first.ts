/** Gives the focus of something that opens to its first field, or to itself where it has none. */
export function focusFirst(event: Event): void {
  const content = event.currentTarget;
  if (!(content instanceof HTMLElement)) return;
  event.preventDefault();
  const field = content.querySelector<HTMLElement>(
    "[autofocus], input:not([type=hidden], :disabled), textarea:not(:disabled), select:not(:disabled), [role=combobox]",
  );
  (field ?? content).focus();
}
