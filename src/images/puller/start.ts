/*
 * The program of the process that pulls images. The build makes one file of it, dist/image-puller.cjs. Its argument is
 * the folder of the store. It ends with its standard input: when podrun has nothing to pull any more, or is gone.
 */

import { errorMessage } from '../../api/index.ts';
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { inBackground } from '../../defects.ts';
import { SystemClock } from '../../clock.ts';
import type { PullProgress } from '../../lifecycle/index.ts';
import { pullImage } from '../pull/pull.ts';
import { ImageStore } from '../store/image-store.ts';
import type { PullerAnswer, PullerRequest } from './protocol.ts';

/** The shortest time between two lines about a pull. */
const PROGRESS_MS = 100;

const clock = new SystemClock();
const store = new ImageStore(process.argv[2] ?? '');
const aborts = new Map<number, AbortController>();

function answer(line: PullerAnswer): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

async function pull({ id, request, env }: Extract<PullerRequest, { type: 'pull' }>): Promise<void> {
  const abort = new AbortController();
  aborts.set(id, abort);
  let nextMs = 0;
  const onProgress = (progress: PullProgress): void => {
    const nowMs = clock.now().monotonicMs;
    if (nowMs < nextMs) return;
    nextMs = nowMs + PROGRESS_MS;
    answer({ type: 'progress', id, progress });
  };
  const outcome = await pullImage(request, { store, clock, env, onProgress, signal: abort.signal }).catch(
    (error: unknown) => ({ ok: false as const, errors: [errorMessage(error)] }),
  );
  aborts.delete(id);
  answer({ type: 'outcome', id, outcome });
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const request = JSON.parse(line) as PullerRequest;
    if (request.type === 'cancel') aborts.get(request.id)?.abort();
    else inBackground(pull(request));
  })
  .on('close', () => process.exit());
