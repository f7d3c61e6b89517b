import { StartupError } from "@trunkline/core/fault.ts";

/** How long a start waits for a chain. A chain that is away keeps nobody from using the service. */
const CHECK_MS = 5_000;

/** Compares settings with a chain. Throws StartupError where they don't fit; another failure is reported and stops nothing. */
export async function checkChain(check: () => Promise<unknown>, onError: (error: unknown) => void): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CHECK_MS);
  });
  const checked = check().then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof StartupError) throw error;
      onError(error);
    },
  );
  // If it comes too late, the next use of the chain says what is wrong.
  await Promise.race([checked, tooLate]).finally(() => clearTimeout(timer));
  checked.catch(() => undefined);
}
