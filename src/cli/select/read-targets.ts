import type { ObjectRef } from '../../apiserver/index.ts';
import type { ObjectReader } from '../../store/index.ts';
import type { Cli } from '../base/cli.ts';
import { refsOf } from './find-objects.ts';
import { isExplicitList, nameMissing, readSelection } from './selection.ts';
import type { TargetFlags } from './selection-flags.ts';

type TargetCommand = Parameters<typeof readSelection>[1];

/** A command that changes objects of one namespace. */
export interface Targeting {
  readonly command: TargetCommand;
  readonly words: readonly string[];
  readonly flags: TargetFlags;
  /** True when a type alone means all its objects, as in `rollout restart deployments`. */
  readonly takesTypes?: boolean;
}

/**
 * The objects of a command that changes objects of one namespace. Named objects need not exist.
 * @throws {PodrunError} when words and flags contradict each other, or name nothing
 */
export async function readTargets(
  cli: Cli,
  store: ObjectReader,
  { command, words, flags, takesTypes = false }: Targeting,
): Promise<readonly ObjectRef[]> {
  const anywhere = { allNamespaces: false, fieldSelector: undefined };
  const selection = await readSelection(cli, command, words, { ...flags, ...anywhere });
  if (selection.how === 'listed' && !takesTypes && !isExplicitList({ ...flags, ...anywhere })) throw nameMissing();
  return refsOf(store, selection);
}
