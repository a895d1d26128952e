/**
 * Runs a part of a long computation, or gives the result of its last run: between its parts, a computation may be left,
 * and begun again in another turn of the event loop.
 */
export type PartRunner = <R>(name: string, compute: () => R) => R;

/** Computes each part at once. */
export const atOnce: PartRunner = (_name, compute) => compute();
