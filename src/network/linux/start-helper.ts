import path from 'node:path';
import { inNetwork, type NetworkJoin, type ProgramCall, startPeer } from '../../runtime/index.ts';
import { argumentsToRun } from '../../build-file.ts';
import { RECORDED } from './helper/protocol.ts';
import { networkMark } from './mark.ts';

/** Set by the build: the path of the helper's program, from the file with this code. */
declare const NETWORK_HELPER: string;

/** The fate of a helper after the end of podrun. */
export type HelperFate =
  /** The kernel ends it at once. By itself, it would do so as soon as it gets a processor. */
  | { readonly type: 'ends'; readonly setpriv: string }
  /** The helper keeps serving, and ends when both podrun and the file of its record are gone. */
  | {
      readonly type: 'outlivesPodrun';
      /** The state folder. */
      readonly heldFor: string;
      readonly file: string;
      /** The records of the processes that hold and connect the network, which the helper ends without them. */
      readonly shared: readonly string[];
      readonly record: (pid: number) => void;
    };

/** The process of a helper. The end of its pipe tells it that podrun has ended. */
export type HelperChild = Pick<ReturnType<typeof startPeer>, 'pid' | 'on' | 'once' | 'send' | 'stdin'>;

/**
 * Starts the helper of a private network.
 * @param afterwards undefined: it ends by itself
 */
export function startHelper(join: NetworkJoin, afterwards: HelperFate | undefined): HelperChild {
  const program = path.join(path.dirname(import.meta.filename), NETWORK_HELPER);
  const isRecorded = afterwards?.type === 'outlivesPodrun';
  const records = isRecorded ? [afterwards.file, ...afterwards.shared] : [];
  const call: ProgramCall = {
    file: process.execPath,
    argv: ['node', ...argumentsToRun(program), ...records],
    env: networkMark(isRecorded ? afterwards.heldFor : undefined),
    cwd: '/',
  };
  const inside = inNetwork(join, call);
  const child = startPeer(afterwards?.type === 'ends' ? untilDeath(afterwards.setpriv, inside) : inside);
  // The helper may die before podrun closes this pipe.
  child.stdin?.on('error', () => undefined);
  if (isRecorded && child.pid !== undefined) {
    afterwards.record(child.pid);
    // From now on the helper outlives podrun: the next podrun finds it by the record.
    child.stdin?.write(RECORDED);
  }
  // A waiting caller keeps podrun running. The helper does not.
  child.unref();
  child.channel?.unref();
  return child;
}

/** The call of a program that the kernel ends with podrun. */
function untilDeath(setpriv: string, { argv, ...call }: ProgramCall): ProgramCall {
  return { ...call, file: setpriv, argv: [setpriv, '--pdeathsig', 'KILL', ...argv] };
}
