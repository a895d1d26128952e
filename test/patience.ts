/**
 * How long a test waits for what has to come. It comes soon; but a machine that is busy with others may take its time,
 * and only what never comes is to fail. How long things take is judged in bench/.
 */
export const PATIENCE_MS = 30_000;

export const PATIENT: { readonly timeout: number } = { timeout: PATIENCE_MS };

/** What has to be gone within a second is asked to be so when chaos is tried on purpose, with nothing beside it. */
export const GONE_WITHIN_MS: number = process.env['PODRUN_CHAOS_SEEDS'] === undefined ? PATIENCE_MS : 1000;
