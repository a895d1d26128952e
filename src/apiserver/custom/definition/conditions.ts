import type { Definition, DefinitionCondition, DefinitionNames, DefinitionStatus } from './definition.ts';

/**
 * The status of a definition: which of its names are free, and whether it is served. Source: apiextensions,
 * pkg/controller/status/naming_controller.go and pkg/controller/establish.
 * @param others the other definitions
 * @param now RFC 3339
 */
export function statusOfDefinition(
  definition: Definition,
  others: readonly Definition[],
  now: string,
): DefinitionStatus {
  const { spec, status = {} } = definition;
  const taken = others
    .filter((other) => other.spec.group === spec.group && other.metadata.name !== definition.metadata.name)
    .map((other) => other.status?.acceptedNames)
    .filter((names) => names !== undefined);
  const conflict = conflictOf(spec.names, taken);
  const before = status.conditions ?? [];
  const wasEstablished = before.some(({ type, status }) => type === 'Established' && status === 'True');
  const accepted = conditionOf('NamesAccepted', conflict ?? { reason: 'NoConflicts', message: 'no conflicts found' }, {
    isTrue: conflict === undefined,
    before,
    now,
  });
  const isEstablished = conflict === undefined || wasEstablished;
  const why = isEstablished
    ? { reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' }
    : { reason: 'NotAccepted', message: 'not all names are accepted' };
  const established = conditionOf('Established', why, { isTrue: isEstablished, before, now });
  const storage = spec.versions.find((version) => version.storage)?.name;
  const stored = status.storedVersions ?? [];
  return {
    ...status,
    acceptedNames: conflict === undefined ? spec.names : (status.acceptedNames ?? { plural: '', kind: '' }),
    conditions: [
      ...before.filter(({ type }) => type !== 'NamesAccepted' && type !== 'Established'),
      accepted,
      established,
    ],
    storedVersions: storage === undefined || stored.includes(storage) ? stored : [...stored, storage],
  };
}

type Why = Pick<DefinitionCondition, 'reason' | 'message'>;

function conflictOf(names: DefinitionNames, taken: readonly DefinitionNames[]): Why | undefined {
  const resources = new Set(
    taken.flatMap(({ plural, singular = '', shortNames = [] }) => [plural, singular, ...shortNames]),
  );
  const kinds = new Set(taken.flatMap(({ kind, listKind = '' }) => [kind, listKind]));
  const { plural, singular = '', shortNames = [], kind, listKind = '' } = names;
  const wanted: readonly [reason: string, names: readonly string[], taken: ReadonlySet<string>][] = [
    ['PluralConflict', [plural], resources],
    ['SingularConflict', [singular], resources],
    ['ShortNamesConflict', shortNames, resources],
    ['KindConflict', [kind], kinds],
    ['ListKindConflict', [listKind], kinds],
  ];
  // Kubernetes tells of the last one.
  const conflicts = wanted.flatMap(([reason, all, taken]) => {
    const name = all.find((one) => one !== '' && taken.has(one));
    return name === undefined ? [] : [{ reason, message: `${JSON.stringify(name)} is already in use` }];
  });
  return conflicts.at(-1);
}

function conditionOf(
  type: string,
  { reason, message }: Why,
  {
    isTrue,
    before,
    now,
  }: { readonly isTrue: boolean; readonly before: readonly DefinitionCondition[]; readonly now: string },
): DefinitionCondition {
  const status = isTrue ? 'True' : 'False';
  const known = before.find((condition) => condition.type === type);
  const lastTransitionTime = known?.status === status ? known.lastTransitionTime : now;
  return { lastTransitionTime, message, reason, status, type };
}

/** True when the objects of a definition are served. */
export function isServed({ status }: Definition): boolean {
  return status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false;
}
