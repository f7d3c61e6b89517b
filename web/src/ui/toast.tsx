import { CircleAlert, CircleCheck, Info, X } from "lucide-react";
import { useEffect, useSyncExternalStore } from "react";
import { texts } from "../texts/texts.ts";
import { IconButton } from "./icon-button.tsx";

export interface ToastMessage {
  readonly tone?: "positive" | "danger" | "info";
  readonly title: string;
  readonly description?: string;
}

interface Shown extends ToastMessage {
  readonly id: number;
}

const STAY_MS = 6_000;
const ICONS = {
  positive: <CircleCheck aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-positive" />,
  danger: <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-danger" />,
  info: <Info aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-info" />,
} as const;

let shown: readonly Shown[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Shown[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

/** Says in passing that something is done, or went wrong. What must be read belongs on the page. */
export function toast(message: ToastMessage): void {
  lastId += 1;
  change([...shown, { ...message, id: lastId }].slice(-3));
}

function dismiss(id: number): void {
  change(shown.filter((message) => message.id !== id));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Where toasts appear. Used once in the app. */
export function Toaster() {
  const messages = useSyncExternalStore(subscribe, () => shown);
  return (
    <section
      aria-label={texts.common.notifications}
      aria-live="polite"
      className="pointer-events-none fixed inset-x-3 bottom-3 z-60 flex flex-col items-end gap-2 sm:left-auto sm:w-96 print:hidden"
    >
      {messages.map((message) => (
        <ToastCard key={message.id} message={message} />
      ))}
    </section>
  );
}

function ToastCard({ message }: { readonly message: Shown }) {
  useEffect(() => {
    // A failure stays until it is put away.
    if (message.tone === "danger") return undefined;
    const timer = setTimeout(() => dismiss(message.id), STAY_MS);
    return () => clearTimeout(timer);
  }, [message]);
  return (
    <div className="pointer-events-auto flex w-full animate-rise items-start gap-2.5 rounded-lg border border-line bg-raised py-2.5 pr-2 pl-3.5 shadow-overlay">
      {ICONS[message.tone ?? "positive"]}
      <div className="min-w-0 grow">
        <p className="font-medium">{message.title}</p>
        {message.description !== undefined && <p className="text-sm text-muted">{message.description}</p>}
      </div>
      <IconButton
        label={texts.common.dismiss}
        size="sm"
        icon={<X aria-hidden="true" />}
        className="-my-1"
        onClick={() => dismiss(message.id)}
      />
    </div>
  );
}
