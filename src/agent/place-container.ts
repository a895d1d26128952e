import type { Container } from '../api/generated/types.ts';
import { terminationLogNotAtPath } from '../lifecycle/texts/events.ts';
import { TERMINATION_LOG_OUT_OF_REACH } from '../lifecycle/texts/security.ts';
import type { Identity } from '../runtime/confinement.ts';
import { confine, type ConfineInput } from './confine.ts';
import type { Prepared } from './instance.ts';
import type { PreparedContainer } from './prepare.ts';
import { canReach } from './reach.ts';
import {
  makeTerminationLog,
  linkTerminationLog,
  notAtTerminationPath,
  TERMINATION_LOG_VARIABLE,
  withTerminationLog,
} from './termination-message.ts';

type Ready = Extract<PreparedContainer, { ok: true }>;

/**
 * Completes the preparation of a container that sees the host as it is: replaces paths of the container by paths of the
 * host.
 */
export function placeOnHost({ preparation, notices }: Ready, container: Container, terminationLog: string): Prepared {
  makeTerminationLog(terminationLog);
  const isAtPath = linkTerminationLog(container, terminationLog);
  const translate = (text: string): string => withTerminationLog(text, container, terminationLog);
  const [program, ...args] = preparation.argv;
  const env = Object.fromEntries(Object.entries(preparation.env).map(([name, value]) => [name, translate(value)]));
  const unreachable = [
    ...(isAtPath ? [] : [notAtTerminationPath(container)]),
    ...(canWrite(preparation.identity, terminationLog) ? [] : [TERMINATION_LOG_OUT_OF_REACH]),
  ];
  return {
    ok: true,
    preparation: {
      ...preparation,
      argv: [translate(program), ...args.map(translate)],
      env: { ...env, [TERMINATION_LOG_VARIABLE]: terminationLog },
      translate,
    },
    notices: [...notices, ...unreachable.map((notice) => terminationLogNotAtPath(container.name, notice))],
  };
}

function canWrite(identity: Identity | undefined, file: string): boolean {
  const { uid, gid = 0, groups = [] } = identity ?? {};
  return !uid || canReach(file, { uid, groups: [gid, ...groups] });
}

/** Completes the preparation of a container with a view of its own, in which all paths are as in the manifest. */
export function placeInNamespace(
  { preparation, volumes, notices }: Ready,
  input: Omit<ConfineInput, 'volumes'>,
): Prepared {
  makeTerminationLog(input.terminationLog);
  const { terminationMessagePath } = input.container;
  const variable = terminationMessagePath ? { [TERMINATION_LOG_VARIABLE]: terminationMessagePath } : {};
  return {
    ok: true,
    preparation: {
      ...preparation,
      env: { ...preparation.env, ...variable },
      confinement: confine({ ...input, volumes }),
    },
    notices,
  };
}
