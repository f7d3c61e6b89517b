import { type Attempt, ProviderFailure } from "@trunkline/core/attempt.ts";
import { Fault } from "@trunkline/core/fault.ts";

/** The error of an answer that broke off after it had begun; undefined where no provider is to blame. */
export function providerStreamFault(error: unknown, attempts: readonly Attempt[]): Fault | undefined {
  if (!(error instanceof ProviderFailure)) return undefined;
  const tried = attempts.map(({ model, reason, ms }) => ({ model, reason, ms }));
  return new Fault(
    error.kind === "timeout" ? "provider_timeout" : "provider_error",
    `The answer broke off: ${error.reason}. What was delivered is charged; send the request again for a whole answer.`,
    { attempts: tried },
    { cause: error },
  );
}

/** What ended an answer early, as the client is told. */
export function streamFault(error: unknown, attempts: readonly Attempt[]): Fault {
  if (error instanceof Fault) return error;
  return (
    providerStreamFault(error, attempts) ??
    new Fault(
      "internal",
      "Something went wrong on our side. It is logged under this request's id.",
      {},
      { cause: error },
    )
  );
}
