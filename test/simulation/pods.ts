import { stringify } from 'yaml';
import type { ContainerStatus, PodStatus } from '../../src/api/generated/types.ts';
import { allContainerStatuses } from '../../src/api/base/objects.ts';
import { Observer } from './invariants/index.ts';
import { arbitraryScenario } from './scenario/arbitrary-scenario.ts';
import type { Entry } from './scenario/entry.ts';
import { containerOf } from './scenario/chronicle.ts';
import type { Scenario } from './scenario/scenario.ts';
import { ScenarioRun } from './scenario/scenario-run.ts';
import { asError, type Life, type Subject, timelineLine } from './search.ts';

/** Pods in a random world. */
export const PODS: Subject<Scenario, Entry> = {
  name: 'pods',
  arbitrary: arbitraryScenario,
  live,
  scenarioText,
  timeline,
};

/** Runs a scenario from its first instant to its last, or to the first error. */
export async function live(scenario: Scenario): Promise<Life<Entry>> {
  const observer = new Observer(scenario);
  const { entries } = observer.past;
  try {
    await new ScenarioRun(scenario, observer.see).live();
    return { entries, error: undefined };
  } catch (error) {
    return { entries, error: asError(error) };
  }
}

function scenarioText({ spec, ...world }: Scenario): string {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec };
  return `${stringify(pod)}---\n# What its programs, the machine and others do\n${stringify(world)}`;
}

function timeline(entries: readonly Entry[]): string[] {
  let before: PodStatus = {};
  return entries.flatMap((entry) => {
    const text = line(entry, before);
    if (entry.type === 'pod') before = entry.pod.status;
    return text === undefined ? [] : [timelineLine(entry.atMs, text)];
  });
}

function line(entry: Entry, before: PodStatus): string | undefined {
  switch (entry.type) {
    case 'pod':
      return `Pod ${entry.change.toLowerCase()}  ${changes(before, entry.pod.status) || '(metadata or spec)'}`;
    case 'event': {
      const { reason, message, count = 1 } = entry.event;
      return `event  ${reason} ${containerOf(entry.event) ?? ''} "${message}"${count > 1 ? ` x${count}` : ''}`;
    }
    case 'machine': {
      const { what, id, name: _name, atMs: _atMs, ...detail } = entry.entry;
      const { argv, outcome } = detail as { argv?: readonly string[]; outcome?: { type: string; exitCode?: number } };
      const exitCode = 'exitCode' in detail ? String(detail.exitCode) : (outcome?.exitCode ?? '');
      return ['machine ', what, id, argv?.[0] ?? '', outcome?.type ?? '', exitCode].join(' ').trimEnd();
    }
    case 'sandbox':
      return `sandbox  ${entry.what}`;
    case 'happening': {
      const { atMs: _, ...happening } = entry.happening;
      return `>>> ${JSON.stringify(happening)}`;
    }
    case 'over':
      return 'the Pod is given back';
    case 'asked':
    case 'settled':
      return undefined;
    default:
      return entry satisfies never;
  }
}

/** The changes of a status, in short. */
function changes(before: PodStatus, now: PodStatus): string {
  const earlier = new Map(allContainerStatuses(before).map((status) => [status.name, shortly(status)]));
  const conditions = (now.conditions ?? []).flatMap(({ type, status, reason }) => {
    const old = before.conditions?.find((one) => one.type === type);
    if (old?.status === status && old.reason === reason) return [];
    return [`${type}=${status}${reason === undefined ? '' : `/${reason}`}`];
  });
  const containers = allContainerStatuses(now).flatMap((status) =>
    earlier.get(status.name) === shortly(status) ? [] : [shortly(status)],
  );
  const phase = before.phase === now.phase ? [] : [now.phase ?? ''];
  return [...phase, ...conditions, ...containers].join('  ');
}

function shortly({ name, state, ready, started, restartCount }: ContainerStatus): string {
  const [kind = 'nothing', detail = {}] = Object.entries(state ?? {})[0] ?? [];
  const { reason, exitCode } = detail as { reason?: string; exitCode?: number };
  const marks = [started ? 'started' : '', ready ? 'ready' : '', restartCount > 0 ? `restarts ${restartCount}` : ''];
  return `${name}:${[kind, reason ?? '', exitCode ?? '', ...marks].filter((mark) => mark !== '').join(' ')}`;
}
