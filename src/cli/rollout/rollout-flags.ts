import type { Command } from 'commander';
import { PodrunError, type ResourceType, type StoredKubeObject, usage } from '../../api/index.ts';
import { historyResourceOf, templateHistory, type TemplateRevision } from '../../controllers/index.ts';
import type { ObjectRef } from '../../apiserver/index.ts';
import type { ObjectReader } from '../../store/index.ts';
import type { Cli } from '../base/cli.ts';
import { namesFiles, type TargetFlags, withTargetFlags } from '../select/selection-flags.ts';
import { readTargets } from '../select/find-objects.ts';

/** Adds a command below `rollout`, with the flags that all of them take. */
export function rolloutCommand(group: Command, name: string, summary: string): Command {
  const command = group
    .command(name)
    .summary(summary)
    .usage('(TYPE/NAME... | TYPE [NAME...] | -f FILE) [flags]')
    .argument('[resource...]', 'the objects');
  return withTargetFlags(command);
}

/**
 * The objects of a command below `rollout`. A type alone means all its objects. Prints a note when there are none.
 * @throws {PodrunError} when words and flags contradict each other, or name nothing
 */
export async function rolloutTargets(
  cli: Cli,
  store: ObjectReader,
  words: readonly string[],
  flags: TargetFlags,
): Promise<readonly ObjectRef[]> {
  if (words.length === 0 && !namesFiles(flags)) throw usage('required resource not specified');
  const refs = await readTargets(cli, store, { command: 'rollout', words, flags, takesTypes: true });
  if (refs.length === 0) cli.note(`No resources found in ${flags.namespace || 'default'} namespace.`);
  return refs;
}

/**
 * The templates that an object has had, the lowest revision first.
 * @param part kubectl's name for the part that cannot treat the kind
 * @throws {PodrunError} for a kind without a history
 */
export function historyOf(
  store: ObjectReader,
  type: ResourceType,
  object: StoredKubeObject,
  part: 'history viewer' | 'rollbacker',
): readonly TemplateRevision[] {
  const resource = historyResourceOf(type.kind);
  if (resource === undefined) throw notImplemented(part, `"${groupKind(type)}"`);
  const { namespace } = object.metadata;
  return templateHistory(object, store.list<StoredKubeObject>(resource, { namespace }));
}

/** kubectl's error about a kind that a command below `rollout` cannot treat. */
export function notImplemented(part: string, kind: string): PodrunError {
  return new PodrunError('BadRequest', `no ${part} has been implemented for ${kind}`);
}

/** A kind with its group: `Job.batch`. Source: apimachinery schema.GroupKind. */
export function groupKind({ kind, apiVersion }: ResourceType): string {
  return apiVersion.includes('/') ? `${kind}.${apiVersion.slice(0, apiVersion.indexOf('/'))}` : kind;
}
