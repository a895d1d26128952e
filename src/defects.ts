import type { EventEmitter } from 'node:events';

/*
 * The one place for unexpected errors: of listeners, of timers, and of promises without a handler. Each is reported,
 * and everything else keeps running. A program reports them on standard error, with a file; the library, which handles
 * no events of its process, by a warning of Node.js.
 */

/** The state of the process. Each file of the build has a copy of this module. */
interface Shared {
  tell: (defect: unknown) => void;
  /** The number of objects that would be lost with the process: agents and keepers, with their Pods. */
  dependents: number;
}

const shared: Shared = ((globalThis as Record<symbol, unknown>)[Symbol.for('podrun.defects')] ??= {
  tell: (defect: unknown) =>
    process.emitWarning(defectText(defect, { isSurvived: true }), { type: 'PodrunDefect', detail: traceOf(defect) }),
  dependents: 0,
} satisfies Shared) as Shared;

/** Tells a defect. Throws nothing. */
export function tellDefect(defect: unknown): void {
  shared.tell(defect);
}

/**
 * Sets the receiver of all defects of the process. Only a program may: the process of the library is its user's.
 * Returns the former one.
 */
export function onDefect(tell: Shared['tell']): Shared['tell'] {
  const former = shared.tell;
  shared.tell = tell;
  return former;
}

/** Keeps the process running after a defect, until this is closed. */
export function keepAlive(): { close(): void } {
  shared.dependents += 1;
  let isClosed = false;
  return {
    close: () => {
      if (!isClosed) shared.dependents -= 1;
      isClosed = true;
    },
  };
}

/** True while Pods would be lost with the process. */
export function mustKeepRunning(): boolean {
  return shared.dependents > 0;
}

/** The sentence about a defect. */
export function defectText(defect: unknown, { isSurvived = false }: { readonly isSurvived?: boolean } = {}): string {
  const message = defect instanceof Error ? defect.message : String(defect);
  return `podrun has a defect${isSurvived ? ', and continues' : ''}: ${message}`;
}

/** True for an error of the language itself: no file, program or user causes one. Errors of Node.js have a code. */
export function isDefect(error: unknown): boolean {
  const isOfLanguage = [TypeError, ReferenceError, RangeError].some((type) => error instanceof type);
  return isOfLanguage && !('code' in (error as Error));
}

/** Reports an error that files, programs or users may cause. Tells an error of the language itself as a defect. */
export function reportTrouble(error: unknown, report: (error: Error) => void): void {
  if (error instanceof Error && !isDefect(error)) report(error);
  else tellDefect(error);
}

/** The stack trace of a defect. */
export function traceOf(defect: unknown): string {
  return defect instanceof Error ? (defect.stack ?? defect.message) : String(defect);
}

/**
 * Runs a promise that no caller waits for.
 * @param served the request or connection that it serves: after an error it gets the response 500, or ends
 */
export function inBackground(work: Promise<unknown> | void, served?: Emitter): void {
  work?.catch((error: unknown) => {
    tellDefect(error);
    if (served !== undefined) end([served]);
  });
}

/** Wraps a function that Node.js calls, so that its errors are reported and go no further. */
export function caught<A extends readonly unknown[]>(run: (...args: A) => void): (...args: A) => void {
  return (...args) => {
    try {
      run(...args);
    } catch (error) {
      tellDefect(error);
    }
  };
}

/** A socket, a stream, a request or a process. */
type Emitter = Pick<EventEmitter, 'emit' | 'listenerCount'>;

/** Emitters whose errors are caught. */
const guardedOnes = new WeakSet<object>();

/**
 * Catches the errors of all listeners of an emitter, of the code of libraries too, and of the emitters that come with
 * its events: the connections of a server, the response to a request. The connection of an error ends, a request gets
 * the response 500, and everything else keeps running. An `error` without a listener ends the connection, too.
 * @param ends false for a pipe: what else comes through it is still wanted
 */
export function guarded<E extends Emitter>(emitter: E, { ends = true }: { readonly ends?: boolean } = {}): E {
  if (guardedOnes.has(emitter)) return emitter;
  guardedOnes.add(emitter);
  const emit = emitter.emit.bind(emitter) as (...args: unknown[]) => boolean;
  emitter.emit = (event: unknown, ...args: unknown[]) => {
    const parts = args.filter(isEmitter);
    for (const part of parts) guarded(part);
    if (event === 'error' && emitter.listenerCount('error') === 0) {
      if (ends) end([emitter]);
      return false;
    }
    try {
      return emit(event, ...args);
    } catch (error) {
      tellDefect(error);
      if (ends) end([...parts, emitter]);
      return true;
    }
  };
  return emitter;
}

/** Catches the errors of the listeners of a process that podrun has started, and of its pipes. */
export function guardedProcess<P extends Emitter & { readonly stdio?: readonly unknown[]; readonly all?: unknown }>(
  child: P,
): P {
  for (const pipe of [...(child.stdio ?? []), child.all]) if (isEmitter(pipe)) guarded(pipe, { ends: false });
  return guarded(child, { ends: false });
}

function isEmitter(value: unknown): value is Emitter {
  return typeof value === 'object' && value !== null && 'emit' in value && 'listenerCount' in value;
}

/** Sends a response to a request that has none yet, or ends what the event is about. A server keeps running. */
function end(emitters: readonly Emitter[]): void {
  const answer = (emitters as ReadonlyArray<Partial<ServerAnswer>>).find(({ headersSent }) => headersSent === false);
  if (answer !== undefined) return answer.writeHead?.(INTERNAL_ERROR).end();
  for (const emitter of emitters) if (!('listening' in emitter)) (emitter as Partial<ServerAnswer>).destroy?.();
}

const INTERNAL_ERROR = 500;

/** The methods of an answer of Node.js. A socket and a stream have the last one. */
interface ServerAnswer {
  readonly headersSent: boolean;
  writeHead(code: number): { end(): void };
  destroy(): void;
}
