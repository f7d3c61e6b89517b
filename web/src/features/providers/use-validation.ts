import type { AnswerOf, BodyOf } from "@trunkline/sdk";
import { useCallback, useEffect, useState } from "react";
import { api } from "../../api/client.ts";

type Validation = AnswerOf<"POST /v1/provider/models/validate">;
type Draft = BodyOf<"POST /v1/provider/models/validate">;
export type Note = Validation["issues"][number];

const REST_MS = 400;
const NOTHING: Validation = { valid: true, issues: [], warnings: [] };

/** Asks the service what is wrong with a draft once the typing rests. Nothing of it is kept in the cache, as it holds a credential. */
export function useValidation(body: Draft, isChange: boolean) {
  const [validation, setValidation] = useState(NOTHING);
  const [isChecking, setIsChecking] = useState(false);
  const text = JSON.stringify(body);

  const ask = useCallback(
    (signal?: AbortSignal) =>
      api.call("POST /v1/provider/models/validate", {
        body: JSON.parse(text) as Draft,
        query: { change: isChange ? "true" : "false" },
        signal,
      }),
    [text, isChange],
  );

  useEffect(() => {
    const leaving = new AbortController();
    setIsChecking(true);
    const timer = setTimeout(() => {
      ask(leaving.signal)
        .then(setValidation)
        // A failed check is ignored: sending the form reports the errors anyway.
        .catch(() => undefined)
        .finally(() => {
          if (!leaving.signal.aborted) setIsChecking(false);
        });
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [ask]);

  /** Asks at once, for sending the form. */
  async function validateNow(): Promise<Validation> {
    const answer = await ask();
    setValidation(answer);
    return answer;
  }

  return { validation, isChecking, validateNow };
}

/** What is said of a field, or of one of its entries. */
export function noteOn(notes: readonly Note[], param: string): string | undefined {
  const found = notes.find((note) => note.param === param || note.param.startsWith(`${param}[`));
  return found === undefined ? undefined : sentence(found.message);
}

/** The service's words begin in the middle of a sentence about the field. */
export function sentence(message: string): string {
  const plain = message.replaceAll("`", "");
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}
