const ending = new Set<() => void>();

/** The latest first: what it is about may need what was there before. */
function endAll(): void {
  for (const run of [...ending].toReversed()) run();
}

/**
 * Has something done at once when this process ends, however many ask for it: Node warns of too many listeners.
 * @returns takes it back
 */
export function atExit(run: () => void): () => void {
  if (ending.size === 0) process.on('exit', endAll);
  ending.add(run);
  return () => {
    ending.delete(run);
    if (ending.size === 0) process.off('exit', endAll);
  };
}
