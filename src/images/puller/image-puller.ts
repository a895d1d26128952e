import path from 'node:path';
import { createInterface } from 'node:readline';
import { defectText, guarded, inBackground, tellDefect } from '../../defects.ts';
import { argumentsToRun } from '../../build-file.ts';
import type { PullOutcome, PullProgress, PullRequest } from '../../lifecycle/index.ts';
import { startStreamHelper, type StreamHelper } from '../../runtime/index.ts';
import type { NetworkVariables } from '../registry/endpoints.ts';
import type { PullerAnswer, PullerRequest } from './protocol.ts';

/** Set by the build: the path of the puller's program, from the file with this code. */
declare const IMAGE_PULLER: string;

/** The variables of podrun that a pull needs. */
const VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'NO_PROXY', 'no_proxy', 'SSL_CERT_FILE'];

/** A caller that waits for a pull. */
interface Waiter {
  readonly onProgress: (progress: PullProgress) => void;
  readonly resolve: (outcome: PullOutcome) => void;
}

interface RunningPull {
  readonly id: number;
  readonly key: string;
  readonly waiters: Set<Waiter>;
}

/**
 * Pulls images in a process of its own, which lives while there is something to pull: unpacking takes memory that
 * podrun would keep, and turns of the event loop that it needs. The process ends with podrun; the next pull resumes
 * with what it had. The same image with the same credentials is pulled once, for all callers.
 */
export class ImagePuller {
  readonly #root: string;
  readonly #env: NetworkVariables;
  readonly #running = new Map<number, RunningPull>();
  #helper: Promise<StreamHelper> | undefined;
  /** The same, started. Undefined: there is nothing to pull. */
  #process: StreamHelper | undefined;
  #lastId = 0;

  /**
   * @param root the folder of the store
   * @param env the environment of podrun
   */
  constructor(root: string, env: NetworkVariables) {
    this.#root = root;
    this.#env = Object.fromEntries(VARIABLES.map((name) => [name, env[name]]));
  }

  /** Pulls an image. An aborted caller gets a failure at once; the pull continues while another caller waits for it. */
  pull(
    request: PullRequest,
    options: { readonly onProgress: (progress: PullProgress) => void; readonly signal?: AbortSignal },
  ): Promise<PullOutcome> {
    const { onProgress, signal } = options;
    const key = JSON.stringify(request);
    return new Promise((resolve) => {
      const ended = (outcome: PullOutcome): void => {
        signal?.removeEventListener('abort', cancel);
        resolve(outcome);
      };
      const waiter: Waiter = { onProgress, resolve: ended };
      const running = [...this.#running.values()].find((other) => other.key === key) ?? this.#begin(key, request);
      running.waiters.add(waiter);
      const cancel = (): void => {
        if (!running.waiters.delete(waiter)) return;
        ended({ ok: false, errors: ['context canceled'] });
        if (running.waiters.size === 0) this.#send({ type: 'cancel', id: running.id });
      };
      signal?.addEventListener('abort', cancel);
    });
  }

  #begin(key: string, request: PullRequest): RunningPull {
    this.#lastId += 1;
    const running: RunningPull = { id: this.#lastId, key, waiters: new Set() };
    this.#running.set(running.id, running);
    this.#send({ type: 'pull', id: running.id, request, env: this.#env });
    return running;
  }

  #send(request: PullerRequest): void {
    this.#helper ??= this.#start();
    inBackground(
      this.#helper
        .then(({ stdin }) => stdin.write(`${JSON.stringify(request)}\n`))
        .catch((error: unknown) => {
          tellDefect(error);
          this.#helper = undefined;
          this.#finish(request.id, { ok: false, errors: [defectText(error)] });
        }),
    );
  }

  async #start(): Promise<StreamHelper> {
    const program = path.join(path.dirname(import.meta.filename), IMAGE_PULLER);
    const args = [...argumentsToRun(program), this.#root];
    const helper = await startStreamHelper({ program: process.execPath, args });
    guarded(createInterface({ input: helper.stdout }), { ends: false }).on('line', (line) =>
      this.#answer(JSON.parse(line) as PullerAnswer),
    );
    inBackground(
      helper.ended.then((outcome) => {
        // After the last outcome the process ends by itself.
        if (this.#process !== helper) return;
        const why = outcome.ok ? 'it has ended by itself' : outcome.why;
        const errors = [`the process that pulls images is gone: ${why}`];
        for (const id of this.#running.keys()) this.#finish(id, { ok: false, errors });
      }),
    );
    this.#process = helper;
    return helper;
  }

  #answer(answer: PullerAnswer): void {
    if (answer.type === 'outcome') return this.#finish(answer.id, answer.outcome);
    for (const { onProgress } of this.#running.get(answer.id)?.waiters ?? []) onProgress(answer.progress);
  }

  #finish(id: number, outcome: PullOutcome): void {
    const running = this.#running.get(id);
    this.#running.delete(id);
    for (const { resolve } of running?.waiters ?? []) resolve(outcome);
    if (this.#running.size > 0) return;
    const helper = this.#helper;
    this.#helper = undefined;
    this.#process = undefined;
    inBackground(helper?.then(({ stdin }) => stdin.end()));
  }
}
