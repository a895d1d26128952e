import type { Cli } from '../base/cli.ts';

/** The longest time for a download. */
const LIMIT_MS = 30_000;

/**
 * Answers a function that opens a URL, with a limit of time. The reader of the bytes limits their number.
 * The function throws an error in kubectl's words. Source: cli-runtime/pkg/resource/visitor.go URLVisitor.
 */
export function downloader({ clock }: Pick<Cli, 'clock'>): (url: string) => AsyncGenerator<Uint8Array> {
  return async function* download(url) {
    const controller = new AbortController();
    const late = new Error(`no complete answer within ${LIMIT_MS / 1000}s`);
    const alarm = clock.wakeAt(clock.now().monotonicMs + LIMIT_MS, () => controller.abort(late));
    try {
      const { ok, status, statusText, body } = await fetch(url, { signal: controller.signal });
      if (!ok) throw new Error(`server reported ${status} ${statusText}, status code=${status}`);
      if (body !== null) yield* body;
    } catch (error) {
      // The cause of a failed fetch says what has failed.
      throw error instanceof TypeError && error.cause instanceof Error ? error.cause : error;
    } finally {
      alarm.cancel();
      controller.abort();
    }
  };
}
