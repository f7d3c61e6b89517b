/** Something a test holds back: whoever waits for it goes on when the test opens it. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function newGate(): Gate {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
