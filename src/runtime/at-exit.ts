const ending = new Set<() => void>();

/** Runs the latest functions first: a later one may need what an earlier one undoes. */
function endAll(): void {
  for (const run of [...ending].toReversed()) run();
}

/**
 * Runs a function when this process exits. All of them share one listener, because Node warns of many.
 * @returns removes the function
 */
export function atExit(run: () => void): () => void {
  if (ending.size === 0) process.on('exit', endAll);
  ending.add(run);
  return () => {
    ending.delete(run);
    if (ending.size === 0) process.off('exit', endAll);
  };
}
