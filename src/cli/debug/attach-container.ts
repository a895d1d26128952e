import {
  allContainerStatuses,
  type ContainerStatus,
  EXIT,
  isTerminalPhase,
  PodrunError,
  type StoredPod,
} from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { TERMINATED } from '../../lifecycle/index.ts';
import type { FileStore } from '../../store/index.ts';
import { type ConnectionEnd, connectionLost } from '../../engine/index.ts';
import { connectStreams, ownTerminal } from '../connect/connect-streams.ts';
import { waitForPod } from '../../apiserver/index.ts';
import { reportError } from '../base/report-error.ts';
import type { Cli } from '../base/cli.ts';
import { logs } from '../logs/print-logs.ts';

export interface ContainerAttachment {
  readonly store: FileStore;
  readonly clock: Clock;
  readonly pod: StoredPod;
  readonly container: string;
  readonly stdin: boolean;
  readonly tty: boolean;
}

/** The end of a connection with a container. */
export interface AttachmentEnd {
  /** The exit code of the container, or of podrun. */
  readonly exitCode: number;
  /** True when a signal ended the connection: the container may run on. */
  readonly isStopped: boolean;
}

/**
 * Waits until a container runs, and connects podrun's standard streams with it until it ends. If the container ended so
 * early that its streams are closed, prints its log.
 * @throws {PodrunError} when the container can never run, or its end is unknown
 */
export async function attachToContainer(cli: Cli, attachment: ContainerAttachment): Promise<AttachmentEnd> {
  const started = await untilStarted(cli, attachment);
  // A container that did not start has no output: the message is the error.
  const { reason, message = '', exitCode } = started.state?.terminated ?? {};
  if (reason === TERMINATED.startError) {
    reportError(cli.stderr, new PodrunError('NotRunning', message));
    return { exitCode: exitCode ?? EXIT.failed, isStopped: false };
  }
  const end = await connect(cli, attachment);
  switch (end.type) {
    case 'exited':
      // Waits until the exit is stored, so that the next command finds it. The Pod may be deleted by now.
      await untilEnded(attachment).catch(() => undefined);
      return { exitCode: end.exitCode, isStopped: false };
    case 'stopped':
      return { exitCode: end.exitCode, isStopped: true };
    case 'refused':
      return { exitCode: await showLog(cli, attachment, await untilEnded(attachment)), isStopped: false };
    case 'detached':
    case 'failed':
    case 'lost':
      return { exitCode: lost(cli, attachment, end), isStopped: false };
    default:
      return end satisfies never;
  }
}

/** Connects with the container. Messages: kubectl/pkg/cmd/attach/attach.go. */
function connect(cli: Cli, { store, clock, pod, container, stdin, tty }: ContainerAttachment): Promise<ConnectionEnd> {
  return connectStreams(cli, {
    clock,
    socket: store.paths(pod.metadata.namespace, pod.metadata.name).attachSocket,
    isPatient: false,
    opening: { type: 'attach', container, stdin },
    terminal: tty ? ownTerminal(cli) : undefined,
    onConnected: ({ hasTerminal }) => {
      if (stdin && !cli.isQuiet) cli.stderr.write("If you don't see a command prompt, try pressing enter.\n");
      if (!hasTerminal && tty && !cli.isQuiet) {
        cli.stderr.write(`error: Unable to use a TTY - container ${container} did not allocate one\n`);
      }
    },
  });
}

/** Waits until the container runs or has ended. Resolves with its status. */
function untilStarted(cli: Cli, attachment: ContainerAttachment): Promise<ContainerStatus> {
  const printed = new Set<string>();
  return untilStatus(attachment, (status) => {
    const { running, terminated, waiting } = status.state ?? {};
    const { message } = waiting ?? {};
    if (message !== undefined && !printed.has(message)) {
      printed.add(message);
      cli.warn(`container ${status.name}: ${message}`);
    }
    return running !== undefined || terminated !== undefined;
  });
}

function untilEnded(attachment: ContainerAttachment): Promise<ContainerStatus> {
  return untilStatus(attachment, ({ state }) => state?.terminated !== undefined);
}

async function untilStatus(
  { store, clock, pod, container }: ContainerAttachment,
  isMet: (status: ContainerStatus) => boolean,
): Promise<ContainerStatus> {
  let metStatus: ContainerStatus | undefined;
  await waitForPod({ store, clock }, pod, (present) => {
    const status = allContainerStatuses(present.status).find((entry) => entry.name === container);
    if (status !== undefined && isMet(status)) metStatus = status;
    else checkMayStart(present, container);
    return metStatus !== undefined;
  });
  if (metStatus === undefined) throw new Error('the wait for a container ended early');
  return metStatus;
}

/** @throws {PodrunError} when the container can no longer start */
function checkMayStart({ metadata, status }: StoredPod, container: string): void {
  if (status.phase === 'Unknown')
    throw new PodrunError('NotRunning', status.message ?? `the phase of pod "${metadata.name}" is Unknown`);
  if (!isTerminalPhase(status.phase)) return;
  const early = `pod "${metadata.name}" has ended before container "${container}" could run`;
  throw new PodrunError('NotRunning', `${early}; current phase is ${status.phase}`);
}

async function showLog(cli: Cli, { pod, container }: ContainerAttachment, status: ContainerStatus): Promise<number> {
  const { namespace, name } = pod.metadata;
  const none = { since: undefined, sinceTime: undefined, tail: undefined, limitBytes: undefined, selector: undefined };
  const off = {
    hooks: false,
    allPods: false,
    allContainers: false,
    follow: false,
    previous: false,
    timestamps: false,
    prefix: false,
  };
  const limits = { maxLogRequests: '1', podRunningTimeout: '0s' };
  const flags = { container, namespace, ignoreErrors: false, ...none, ...off, ...limits };
  await logs(cli, { pod: name, container: undefined }, flags);
  return status.state?.terminated?.exitCode ?? EXIT.failed;
}

/** Reports that the agent is gone, or that the Pod ended before all output was read. Returns the exit code. */
function lost(cli: Cli, { store, pod, container }: ContainerAttachment, end: ConnectionEnd): number {
  const { namespace, name } = pod.metadata;
  const present = store.get<StoredPod>('pods', namespace, name);
  const status = allContainerStatuses(present?.status ?? {}).find((entry) => entry.name === container);
  const { message } = connectionLost(pod, container, end.type === 'lost' ? end.why : undefined);
  const hint = `See its whole output with podrun logs ${name} -c ${container}`;
  reportError(cli.stderr, new PodrunError('Unreachable', message, { hint }));
  return status?.state?.terminated?.exitCode || EXIT.failed;
}
