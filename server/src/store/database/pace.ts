/** Asked after each step of long work, with what the step took. Resolves when the next one may begin; to false: none may. */
export type Pace = (stepMs: number) => Promise<boolean>;

/** For work that someone waits for. */
export const AT_ONCE: Pace = () => Promise.resolve(true);
