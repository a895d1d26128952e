import { EXIT, PodrunError } from '../../api/errors.ts';
import { allContainers, isTerminalPhase, type StoredPod } from '../../api/objects.ts';
import { SystemClock } from '../../clock.ts';
import { openStore } from '../environment.ts';
import type { AttachFlags } from './attach.ts';
import type { ConnectionEnd } from '../../run/connect/agent-connection.ts';
import { connectStreams, ownTerminal } from './connect-streams.ts';
import { parseDetachKeys } from './detach-keys.ts';
import { connectionLost, containerNotFound } from '../../run/connect/connection-errors.ts';
import { reachPod, runningContainer } from './reached-pod.ts';
import { StandardOutput } from '../standard-output.ts';
import { printError } from '../standard-streams.ts';

/** `podrun attach`: flags in, exit code out. Source: kubectl/pkg/cmd/attach/attach.go. */
export async function attach(words: readonly string[], flags: AttachFlags): Promise<number> {
  const detachKeys = parseDetachKeys(flags.detachKeys);
  const clock = new SystemClock();
  const store = openStore(flags.stateDir, clock);
  const { pod } = await reachPod(podWord(words), { ...flags, store, clock });
  const { phase } = pod.status;
  if (isTerminalPhase(phase)) {
    throw new PodrunError(`error: cannot attach a container in a completed pod; current phase is ${phase}`);
  }
  const container = runningContainer(store, pod, flags);
  const spec = allContainers(pod.spec).find(({ name }) => name === container);
  const say = (text: string): void => {
    if (!flags.quiet) printError(`${text}\n`);
  };
  const hasTerminal = spec?.tty ?? false;
  if (flags.tty && !hasTerminal) say(`error: Unable to use a TTY - container ${container} did not allocate one`);
  if (flags.stdin && spec?.stdin !== true) {
    say(`Warning: container ${container} has no stdin: what is typed, or comes through a pipe, goes nowhere`);
  }
  // A container with a terminal is typed into as at one, also where that was not asked for.
  const terminal = flags.stdin && hasTerminal ? ownTerminal(flags.quiet) : undefined;
  say("If you don't see a command prompt, try pressing enter.");
  const end = await connectStreams({
    clock,
    socket: store.paths(pod.metadata.namespace, pod.metadata.name).attachSocket,
    isPatient: true,
    opening: { type: 'attach', container, stdin: flags.stdin },
    terminal,
    detachKeys: terminal === undefined ? undefined : detachKeys,
  });
  if (end.type === 'exited' || end.type === 'detached') sayHowToResume(pod, container, terminal !== undefined, flags);
  return exitCodeOf(end, pod, container);
}

function sayHowToResume(pod: StoredPod, container: string, isTyped: boolean, { quiet, namespace }: AttachFlags): void {
  if (quiet || !isTyped || (pod.spec.restartPolicy ?? 'Always') !== 'Always') return;
  const place = namespace ? ` -n ${namespace}` : '';
  const command = `podrun attach ${pod.metadata.name}${place} -c ${container} -i -t`;
  new StandardOutput().write(`Session ended, resume using '${command}' command when the pod is running\n`);
}

/** The container's own exit code is in its status: as kubectl does, attach tells whether it could show everything. */
function exitCodeOf(end: ConnectionEnd, pod: StoredPod, container: string): number {
  switch (end.type) {
    case 'exited':
    case 'detached':
      return EXIT.ok;
    case 'stopped':
      return end.exitCode;
    case 'refused':
    case 'failed':
      throw containerNotFound(container);
    case 'lost':
      throw connectionLost(pod, container, end.why);
    default:
      return end satisfies never;
  }
}

/** `web`, `pod/web` or `pod web`. */
function podWord(words: readonly string[]): string {
  if (words.length === 0) throw usage('at least 1 argument is required for attach');
  if (words.length <= 2) return words.join('/');
  const saw = `[${words.join(' ')}]`;
  throw usage(`expected POD, TYPE/NAME, or TYPE NAME, (at most 2 arguments) saw ${words.length}: ${saw}`);
}

function usage(message: string): PodrunError {
  const hint = "See 'podrun attach -h' for help and examples";
  return new PodrunError(`error: ${message}`, { exitCode: EXIT.usage, hint });
}
