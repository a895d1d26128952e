import { resourceTypeNamed } from '../../api/index.ts';
import { DIALECT_VERSIONS } from '../../apiserver/index.ts';
import { nameOfCommand } from '../base/called-command.ts';
import {
  type Candidate,
  requestedNamespace,
  type CompletionRequest,
  plainCandidates,
  podNameIn,
  typedNames,
  typesWithSlash,
} from './completion-request.ts';

/** The conditions that the kubelet sets on every Pod. */
const CONDITIONS = ['Ready', 'ContainersReady', 'Initialized', 'PodScheduled', 'PodReadyToStartContainers'];
/** The conditions that controllers set on workloads. */
const WORKLOAD_CONDITIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ['Job', ['Complete', 'Failed', 'Suspended', 'SuccessCriteriaMet', 'FailureTarget']],
  ['Deployment', ['Available', 'Progressing', 'ReplicaFailure']],
  ['ReplicaSet', ['ReplicaFailure']],
]);
const PHASES = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'];

type Values = (request: CompletionRequest) => readonly Candidate[];

/**
 * The values of flags without choices in their definition, by `COMMAND --flag`, or by `--flag` for all commands. A flag
 * with `<file>` or `<folder>` needs no entry.
 */
const FLAG_VALUES: ReadonlyMap<string, Values> = new Map<string, Values>([
  ['--namespace', ({ names }) => plainCandidates(names.namespaces())],
  // The user invents the name of a new container.
  ['debug --container', () => []],
  ['--container', containers],
  ['--target', containers],
  ['--field-selector', () => PHASES.map((phase) => ({ value: `status.phase=${phase}` }))],
  ['apply --until', () => plainCandidates(['ready', 'succeeded', ...CONDITIONS])],
  ['--validate', () => plainCandidates(['strict', 'warn', 'ignore'])],
  ['wait --for', waitGoals],
  ['events --for', objectNames],
  ['events --types', () => plainCandidates(['Normal', 'Warning'])],
  ['envtest --version', () => plainCandidates(DIALECT_VERSIONS)],
  ['probes --type', () => plainCandidates(['startup', 'liveness', 'readiness'])],
  ['patch --subresource', () => plainCandidates(['status', 'resize', 'ephemeralcontainers'])],
  ['port-forward --address', () => plainCandidates(['localhost', '0.0.0.0'])],
]);

/** Values of a flag, by its long name without dashes. Undefined when the table has no entry. */
export function flagValues(flag: string, request: CompletionRequest): readonly Candidate[] | undefined {
  const own = FLAG_VALUES.get(`${request.command === undefined ? '' : nameOfCommand(request.command)} --${flag}`);
  return (own ?? FLAG_VALUES.get(`--${flag}`))?.(request);
}

function containers(request: CompletionRequest): Candidate[] {
  return plainCandidates(request.names.containers(requestedNamespace(request), podNameIn(request.operands)));
}

/** The conditions of the type in `pod`, `pod/web`, `job/pi`. */
function conditionsOf(subject: string): readonly string[] {
  const type = resourceTypeNamed(subject.replace(/\/.*/, ''));
  return WORKLOAD_CONDITIONS.get(type?.kind ?? '') ?? CONDITIONS;
}

/** The goals of `wait`. Behind `condition=Ready=`, the statuses of a condition. */
function waitGoals({ current, operands: [subject = ''] }: CompletionRequest): Candidate[] {
  const [, condition] = /^(condition=[^=]+)=/.exec(current) ?? [];
  if (condition !== undefined)
    return plainCandidates(['True', 'False', 'Unknown'].map((status) => `${condition}=${status}`));
  if (current.startsWith('condition='))
    return plainCandidates(conditionsOf(subject).map((type) => `condition=${type}`));
  return [
    { value: 'condition=', note: 'wait for a condition' },
    { value: 'create', note: 'wait until the object exists' },
    { value: 'delete', note: 'wait until the object is deleted' },
    { value: 'jsonpath=', note: 'wait for the value of a field' },
  ];
}

/** Words of the form TYPE/NAME. */
function objectNames(request: CompletionRequest): Candidate[] {
  const names = typedNames(request);
  return names === undefined ? typesWithSlash() : plainCandidates(names);
}
