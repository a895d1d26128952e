import { formatTime, type Instant, type Probe, type StoredPod } from '../api/index.ts';
import { type Clock, machineClock } from '../clock.ts';
import type { EffectReport } from './pod-worker.ts';
import {
  containerSpec,
  describeHandler,
  type HookRun,
  lifecycleHttpFallback,
  type ProbeOutcome,
  type ProbeType,
} from '../lifecycle/index.ts';
import type { ExecOutcome, ExecRequest, Runtime } from '../runtime/index.ts';
import { commandIn, type HookOutcome } from './hooks/hooks.ts';
import type { LiveInstance } from './base/instance.ts';
import type { PodMachine } from './pod-machine.ts';
import type { ProbeAbort } from './probe/input.ts';
import { type HandlerOutput, HandlerLog, type HookName, howCommandEnded } from './hooks/handler-log.ts';

/**
 * The bytes of a command's output that events quote and the probe journal keeps.
 * Source: pkg/probe/exec/exec.go maxReadLength.
 */
const QUOTED_OUTPUT_MAX_BYTES = 10 * 1024;

/** The characters of an error in a line of the hook journal. */
const HOOK_MESSAGE_MAX = 1024;

interface ReturnedHook extends Pick<HookRun, 'hook' | 'handler'> {
  readonly began: Instant;
  readonly outcome: HookOutcome;
}

export interface HandlersOptions {
  readonly clock: Clock;
  readonly runtime: Runtime;
  readonly machine: PodMachine;
  readonly report: EffectReport;
}

interface ProbeRun {
  readonly type: ProbeType;
  readonly probe: Probe;
  readonly abort: ProbeAbort;
}

/** Runs the handlers of hooks and probes in running containers, and passes on their output. */
export class Handlers {
  readonly #options: HandlersOptions;

  constructor(options: HandlersOptions) {
    this.#options = options;
  }

  /** Runs a hook of the container to its end, if there is one. Returns the error in kubelet's words. */
  async runHook(pod: StoredPod, instance: LiveInstance, hook: HookName): Promise<string | undefined> {
    const container = containerSpec(pod, instance.ref.container);
    const handler = container.lifecycle?.[hook];
    if (handler === undefined) return undefined;
    const log = this.#log(pod, instance, hook);
    const { ended, postStart } = instance;
    const began = this.#options.clock.now();
    const outcome = await this.#options.machine.runHook({
      handler,
      pod,
      container,
      // Output is passed on as it arrives: a hook may run for long.
      exec: (argv, signal) => this.#exec(instance, { argv, timeoutMs: undefined, signal, onOutput: log.output }),
      clock: this.#options.clock,
      signal: hook === 'postStart' ? AbortSignal.any([ended.signal, postStart.signal]) : ended.signal,
      onFallback: (host) => this.#options.report.event(pod, lifecycleHttpFallback(container.name, host)),
      log,
    });
    const handling = describeHandler(handler);
    this.#options.machine.hooked(pod, this.#hookRun(instance, { hook, handler: handling, began, outcome }));
    // The kubelet leaves a preStop sleep that overruns the grace period to itself: it sleeps on, and succeeds. Source:
    // pkg/kubelet/lifecycle/handlers.go runSleepHandler, whose context the end of the grace period does not cancel.
    const isUnnoticed = hook === 'preStop' && handler.sleep !== undefined;
    return outcome.ok || isUnnoticed ? undefined : outcome.message;
  }

  /** Runs a probe once. */
  async runProbe(pod: StoredPod, instance: LiveInstance, { type, probe, abort }: ProbeRun): Promise<ProbeOutcome> {
    // Only commands have output.
    const log = probe.exec && this.#log(pod, instance, type);
    let command: ExecOutcome | undefined;
    const outcome = await this.#options.machine.runProbe({
      pod,
      container: containerSpec(pod, instance.ref.container),
      probe,
      type,
      exec: async (argv, timeoutMs, execSignal) =>
        (command = await this.#exec(instance, { argv, timeoutMs, signal: execSignal })),
      clock: machineClock(this.#options.clock),
      abort,
    });
    if (command !== undefined && log !== undefined) logProbe(command, log);
    return outcome;
  }

  #hookRun({ ref }: LiveInstance, { hook, handler, began, outcome }: ReturnedHook): HookRun {
    return {
      time: formatTime(began.wallMs),
      container: ref.container,
      restartCount: ref.attempt,
      hook,
      handler,
      durationMs: Math.round((this.#options.clock.now().monotonicMs - began.monotonicMs) * 1000) / 1000,
      ...(outcome.ok ? { result: 'success' } : hookFailure(outcome)),
    };
  }

  #log(pod: StoredPod, { ref }: LiveInstance, handler: HandlerOutput['handler']): HandlerLog {
    return new HandlerLog(this.#options.clock, (stream, lines) =>
      this.#options.machine.logHandlerOutput(pod, ref, { handler, stream, lines }),
    );
  }

  #exec(
    instance: LiveInstance,
    command: Pick<ExecRequest, 'argv' | 'timeoutMs' | 'signal' | 'onOutput'>,
  ): Promise<ExecOutcome> {
    const inside = commandIn(instance, command.argv);
    return this.#options.runtime.exec({ ...command, ...inside, maxOutputBytes: QUOTED_OUTPUT_MAX_BYTES });
  }
}

function hookFailure(outcome: Extract<HookOutcome, { ok: false }>): Partial<HookRun> & Pick<HookRun, 'result'> {
  const { message, exitCode, output } = outcome;
  return {
    result: 'failure',
    message: message.slice(0, HOOK_MESSAGE_MAX),
    ...(exitCode === undefined ? {} : { exitCode }),
    output: output.slice(-HOOK_MESSAGE_MAX),
  };
}

/** Logs the output of a probe's command. A success or an aborted probe gets no note: a probe runs again and again. */
function logProbe(command: ExecOutcome, log: HandlerLog): void {
  if (command.type === 'aborted') return;
  if ('stdout' in command) {
    log.output('stdout', Buffer.from(command.stdout));
    log.output('stderr', Buffer.from(command.stderr));
  }
  const succeeded = command.type === 'exited' && command.exitCode === 0;
  log.ended(succeeded ? undefined : howCommandEnded(command));
}
