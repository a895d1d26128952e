import { everyResourceType, resourceTypeNamed } from '../../api/resource-types.ts';
import { type Candidate, namespaceOf, type Place, plain, podIn } from './place.ts';

/** The conditions that the kubelet sets on every Pod. */
const CONDITIONS = ['Ready', 'ContainersReady', 'Initialized', 'PodScheduled', 'PodReadyToStartContainers'];
const PHASES = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'];

type Values = (place: Place) => readonly Candidate[];

/**
 * The values of flags without choices in their definition, by `COMMAND --flag`, or by `--flag` for all commands. A flag
 * with `<file>` or `<folder>` needs no entry.
 */
export const FLAG_VALUES: ReadonlyMap<string, Values> = new Map<string, Values>([
  ['--namespace', ({ names }) => plain(names.namespaces())],
  // The user invents the name of a new container.
  ['debug --container', () => []],
  ['--container', containers],
  ['--target', containers],
  ['--field-selector', () => PHASES.map((phase) => ({ value: `status.phase=${phase}` }))],
  ['apply --until', () => plain(['ready', 'succeeded', ...CONDITIONS])],
  ['apply --validate', () => plain(['strict', 'warn', 'ignore'])],
  ['wait --for', waitGoals],
  ['events --for', objectNames],
  ['events --types', () => plain(['Normal', 'Warning'])],
  ['probes --type', () => plain(['startup', 'liveness', 'readiness'])],
  ['patch --subresource', () => plain(['status', 'resize', 'ephemeralcontainers'])],
  ['port-forward --address', () => plain(['localhost', '0.0.0.0'])],
]);

/** Values of a flag, by its long name without dashes. Undefined when the table has no entry. */
export function flagValues(flag: string, place: Place): readonly Candidate[] | undefined {
  const own = FLAG_VALUES.get(`${place.command?.name() ?? ''} --${flag}`);
  return (own ?? FLAG_VALUES.get(`--${flag}`))?.(place);
}

function containers(place: Place): Candidate[] {
  return plain(place.names.containers(namespaceOf(place), podIn(place.operands)));
}

/** The goals of `wait`. Behind `condition=Ready=`, the statuses of a condition. */
function waitGoals({ current }: Place): Candidate[] {
  const [, condition] = /^(condition=[^=]+)=/.exec(current) ?? [];
  if (condition !== undefined) return plain(['True', 'False', 'Unknown'].map((status) => `${condition}=${status}`));
  if (current.startsWith('condition=')) return plain(CONDITIONS.map((type) => `condition=${type}`));
  return [
    { value: 'condition=', note: 'a condition has a status' },
    { value: 'create', note: 'it exists' },
    { value: 'delete', note: 'it is gone' },
    { value: 'jsonpath=', note: 'a field has a value' },
  ];
}

/** Words of the form TYPE/NAME. */
function objectNames(place: Place): Candidate[] {
  const { current, names } = place;
  const [, typeWord] = /^([^/]+)\//.exec(current) ?? [];
  if (typeWord === undefined) return everyResourceType().map(({ kind }) => ({ value: `${kind.toLowerCase()}/` }));
  const type = resourceTypeNamed(typeWord);
  if (type === undefined) return [];
  return plain(names.objects(type.plural, namespaceOf(place)).map((name) => `${typeWord}/${name}`));
}
