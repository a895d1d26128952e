import type { RunningContainer } from '../../../runtime/index.ts';
import type { KeptLog } from './kept-log.ts';
import {
  type KeptContainer,
  type LogTarget,
  withoutFunctions,
  type ExitMessage,
  type LaunchMessage,
} from './protocol.ts';

/** A container that a keeper was asked to start, and its state. */
export interface Kept {
  readonly launch: LaunchMessage;
  readonly target: LogTarget;
  readonly log: KeptLog;
  running: RunningContainer | undefined;
  exit: ExitMessage | undefined;
  isSwept: boolean;
  /** True while the agent holds the output back. */
  isHeld: boolean;
  /** True when the agent gets the output. */
  isShown: boolean;
}

/** The state of a container that is about to be started. */
export function newKept(launch: LaunchMessage, target: LogTarget, log: KeptLog): Kept {
  return { launch, target, log, running: undefined, exit: undefined, isSwept: false, isHeld: false, isShown: true };
}

/** The message to an agent about a container, empty before its start. */
export function startedContainers({ launch, running, exit, isSwept }: Kept): KeptContainer[] {
  if (running === undefined) return [];
  return [{ id: launch.id, launch, running: withoutFunctions(running), exit, isSwept }];
}

/** The record of a container that has ended, without its arguments and variables, which may be secret. */
export function endedContainers(kept: Kept): KeptContainer[] {
  const { id, argv, cwd } = kept.launch;
  return startedContainers({ ...kept, launch: { id, argv: [argv[0]], env: {}, cwd, stdin: false } });
}

/** True when both ids, `POD-UID/CONTAINER/ATTEMPT`, name instances of one container. */
export function isSameContainer(one: string, other: string): boolean {
  return withoutAttempt(one) === withoutAttempt(other);
}

function withoutAttempt(id: string): string {
  return id.slice(0, id.lastIndexOf('/'));
}
