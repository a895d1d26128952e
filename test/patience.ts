/**
 * The time that a test waits for an event. Events come soon, but a busy machine may take its time: only an event that
 * never comes fails the test. Durations are judged in bench/.
 */
export const PATIENCE_MS = 60_000;

export const PATIENT: { readonly timeout: number } = { timeout: PATIENCE_MS };

/** The time in which leftovers must be gone: a second in a run of chaos alone, longer beside other tests. */
export const GONE_WITHIN_MS: number = process.env['PODRUN_CHAOS_SEEDS'] === undefined ? PATIENCE_MS : 1000;
