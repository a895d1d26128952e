import { EXIT, PodrunError } from '../../api/errors.ts';
import type { EphemeralContainer } from '../../api/generated/types.ts';
import { isTerminalPhase, type StoredPod } from '../../api/objects.ts';
import { SystemClock } from '../../clock.ts';
import type { FileStore } from '../../store/file-store.ts';
import { attachToContainer } from './attach-container.ts';
import { changeObject } from '../../run/change-object.ts';
import { notFound, type ObjectRef } from '../../run/object-ref.ts';
import type { DebugFlags } from './debug.ts';
import { debugContainer, type DebugWords, readDebugRequest } from './debug-request.ts';
import { openStore } from '../environment.ts';
import { warn } from '../warn.ts';
import { mustFindType } from '../select/resource-arguments.ts';
import { StandardOutput } from '../standard-output.ts';

/** `podrun debug`: flags in, exit code out. */
export async function debug(words: DebugWords, flags: DebugFlags): Promise<number> {
  const request = readDebugRequest(words, flags);
  const clock = new SystemClock();
  const store = openStore(flags.stateDir, clock);
  const { namespace, name } = request;
  const ref: ObjectRef = { type: mustFindType('pods'), namespace, name };
  const pod = store.get<StoredPod>('pods', namespace, name);
  if (pod === undefined) throw notFound(store, ref);
  mustBeRun(store, pod);
  const container = debugContainer(pod, request, flags);
  say(container, flags);
  const changed = addContainer(store, ref, container);
  if (!request.attach) return EXIT.ok;
  const { stdin, tty, quiet } = flags;
  return attachToContainer({ store, clock, pod: changed, container: container.name, stdin, tty, quiet });
}

/**
 * The API takes an ephemeral container for any Pod. One that nobody will ever start is of no use to anybody.
 * @throws {PodrunError} when the Pod has ended, is about to, or has lost its agent
 */
function mustBeRun(store: FileStore, { metadata, status }: StoredPod): void {
  const { namespace, name } = metadata;
  if (isTerminalPhase(status.phase)) {
    throw new PodrunError(
      `error: cannot add an ephemeral container to a completed pod; current phase is ${status.phase}`,
      { hint: `What it left behind: podrun describe pod ${name}, podrun logs ${name}` },
    );
  }
  if (!store.isOwned(namespace, name)) {
    throw new PodrunError(`error: nobody runs pod "${name}" any more: an ephemeral container would never start`, {
      hint: 'Run it again with podrun apply.',
    });
  }
  if (metadata.deletionTimestamp === undefined) return;
  throw new PodrunError(`error: pod "${name}" is being terminated: an ephemeral container would never start`);
}

/** In kubectl's words. */
function say({ name, targetContainerName }: EphemeralContainer, flags: DebugFlags): void {
  if (flags.quiet) return;
  const out = new StandardOutput();
  if (targetContainerName !== undefined) {
    out.write(
      `Targeting container "${targetContainerName}". If you don't see processes from this container it may be ` +
        "because the container runtime doesn't support this feature.\n",
    );
  }
  if (!flags.container) out.write(`Defaulting debug container name to ${name}.\n`);
}

/**
 * Answers the Pod with the container.
 * @throws {PodrunError} in the API server's words
 */
function addContainer(store: FileStore, ref: ObjectRef, container: EphemeralContainer): StoredPod {
  const { object } = changeObject({
    store,
    ref,
    subresource: 'ephemeralcontainers',
    change: (stored) => {
      const { spec } = stored as unknown as StoredPod;
      return { ...stored, spec: { ...spec, ephemeralContainers: [...(spec.ephemeralContainers ?? []), container] } };
    },
    warn,
    isDryRun: false,
  });
  return object as unknown as StoredPod;
}
