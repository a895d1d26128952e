import { isWorkload, PodrunError, qualifiedKind } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import type { ObjectRef } from '../../apiserver/index.ts';
import type { FileStore } from '../../store/index.ts';
import type { Cli } from '../base/cli.ts';

/** The period for a look at the owner of a workload: no watch tells that a process has died. */
const LOOK_MS = 1000;

/** Warns that the change of a workload has no effect yet, because no agent acts on it. */
export function warnOfRest(cli: Cli, store: FileStore, ref: ObjectRef): void {
  const text = restText(store, ref, 'the change takes effect');
  if (text !== undefined) cli.warn(text);
}

/**
 * The next look of a wait for a workload, which ends when no agent acts on it any more. Undefined for other objects.
 * @throws {PodrunError} when no agent acts on the workload
 */
export function nextLookAtOwner(
  store: FileStore,
  ref: ObjectRef,
  clock: Clock,
): { readonly untilMs: number } | undefined {
  if (!isWorkload(ref.type)) return undefined;
  const text = restText(store, ref, 'it continues');
  if (text !== undefined) throw new PodrunError('Unreachable', text);
  return { untilMs: clock.now().monotonicMs + LOOK_MS };
}

function restText(store: FileStore, { type, namespace, name }: ObjectRef, consequence: string): string | undefined {
  if (!isWorkload(type) || store.owners.isOwned(namespace, name, type.plural)) return undefined;
  return `no podrun runs ${qualifiedKind(type)}/${name}: ${consequence} with the next 'podrun apply' of it`;
}
