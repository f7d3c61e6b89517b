import { useEffect, useState } from "react";

const PAUSE_MS = 200;

/** A value once it has stayed the same for a moment, so that not every keystroke asks the server. */
export function useDebounced<Value>(value: Value, pauseMs = PAUSE_MS): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return settled;
}
