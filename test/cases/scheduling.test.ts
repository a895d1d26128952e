import { describe, expect, it } from 'vitest';
import type { KubeObject, StoredPod } from '../../src/api/index.ts';
import { attempt, type SchedulingAttempt } from '../../src/lifecycle/scheduling/attempt.ts';
import { DEFAULT_PLUGINS } from '../../src/lifecycle/scheduling/plugins.ts';
import type { NodeMisfit } from '../../src/lifecycle/scheduling/base/plugin.ts';
import { readCluster } from '../../src/lifecycle/scheduling/read-cluster.ts';
import { readCases } from './cases.ts';
import { completed } from './completed.ts';

interface CaseRejection {
  readonly plugin?: string;
  readonly code: string;
  readonly reasons?: readonly string[];
}

interface Expected {
  readonly gated?: CaseRejection;
  readonly preFilter?: CaseRejection;
  readonly feasible?: readonly string[];
  readonly infeasible?: Readonly<Record<string, CaseRejection>>;
  readonly eachFilterAlone?: Readonly<Record<string, Readonly<Record<string, CaseRejection>>>>;
  readonly scores?: Readonly<Record<string, { total: number; plugins: Record<string, object> }>>;
  readonly skippedScorePlugins?: readonly string[];
  readonly best?: readonly string[];
  readonly message?: string;
  readonly unschedulablePlugins?: readonly string[];
  readonly preemption?: {
    readonly message?: string;
    readonly candidates?: Readonly<Record<string, { victims: readonly string[]; pdbViolations: number }>>;
    readonly chosen?: readonly string[];
    readonly victims?: readonly string[];
    readonly nominating: string;
  };
}

interface Case {
  readonly id: string;
  readonly objects: readonly KubeObject[];
  readonly pod: KubeObject;
  readonly expected: Expected;
}

const { data, options } = readCases<{ cases: readonly Case[] }>('scheduling-cases.json');
const cases = data?.cases ?? [];

describe('the scheduler', options, () => {
  it.each(cases.map(({ id }) => id))('%s', (id) => {
    const { objects, pod, expected } = cases.find((each) => each.id === id) as Case;
    const snapshot = readCluster(objects.map(completed));
    const stored = completed(pod) as unknown as StoredPod;
    const outcome = attempt(stored, snapshot);
    const wanted = wantedOf(expected);
    const got: Record<string, unknown> = { ...outcomeOf(outcome) };
    if (expected.eachFilterAlone !== undefined) got['eachFilterAlone'] = alone(stored, snapshot);
    for (const field of Object.keys(got)) if (wanted[field] === undefined) delete got[field];
    expect(got).toEqual(wanted);
  });

  it('has cases', () => {
    expect(cases.length).toBeGreaterThan(0);
  });
});

/** The facts that are compared: not what only the API of a cluster shows. */
function wantedOf({ preemption, preFilter, infeasible, ...expected }: Expected): Record<string, unknown> {
  const { gated, feasible, best, message, unschedulablePlugins, scores, skippedScorePlugins, eachFilterAlone } =
    expected;
  const { events: _, writes: __, ...chosen } = (preemption ?? {}) as Record<string, unknown>;
  const wanted = {
    gated,
    preFilter,
    feasible,
    // A Pod that fits its nominated node is tried on no other one: these have no reason.
    infeasible: infeasible && Object.fromEntries(Object.entries(infeasible).filter(([, { reasons }]) => reasons)),
    eachFilterAlone,
    scores,
    skippedScorePlugins,
    best,
    message,
    unschedulablePlugins,
    preemption: preemption && chosen,
  };
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
}

function outcomeOf(outcome: SchedulingAttempt): Record<string, unknown> {
  if (outcome.type === 'gated') {
    return { gated: { plugin: outcome.plugin, code: 'UnschedulableAndUnresolvable', reasons: [outcome.why] } };
  }
  const { filtered } = outcome;
  const { rejected } = filtered;
  const infeasible = [...filtered.rejections].map(([name, rejection]) => [name, caseRejection(rejection)] as const);
  return {
    preFilter: rejected && { ...rejected, code: 'UnschedulableAndUnresolvable' },
    feasible: filtered.feasible.map(({ node }) => node.name).toSorted(),
    infeasible: Object.fromEntries(infeasible),
    unschedulablePlugins: filtered.plugins,
    ...(outcome.type === 'fits' ? scoresOf(outcome) : { message: outcome.message, preemption: preemptionOf(outcome) }),
  };
}

function caseRejection({ plugin, reasons, isFinal }: NodeMisfit & { readonly plugin?: string }): CaseRejection {
  return { ...(plugin && { plugin }), code: isFinal ? 'UnschedulableAndUnresolvable' : 'Unschedulable', reasons };
}

function scoresOf({ best, scores }: Extract<SchedulingAttempt, { type: 'fits' }>): Record<string, unknown> {
  const present = scores?.[0]?.plugins.map(({ plugin }) => plugin) ?? [];
  return {
    best: best.toSorted(),
    scores: Object.fromEntries(
      (scores ?? []).map(({ nodeName, total, plugins }) => [
        nodeName,
        { total, plugins: Object.fromEntries(plugins.map(({ plugin, ...score }) => [plugin, score])) },
      ]),
    ),
    skippedScorePlugins:
      scores && DEFAULT_PLUGINS.scores.map(({ name }) => name).filter((name) => !present.includes(name)),
  };
}

function preemptionOf({
  preemption,
  chosen,
  message,
}: Extract<SchedulingAttempt, { type: 'waits' }>): Record<string, unknown> {
  const text = message.replace(/^.*? nodes are available: .*?\. (?=no new|still|not found)/, '');
  if (preemption === undefined) return { message: text, nominating: 'keep nominatedNodeName' };
  if (preemption.type === 'candidates') {
    const candidates = preemption.candidates.map(({ nodeName, victims, violations }) => [
      nodeName,
      { victims: victims.map(podName), pdbViolations: violations },
    ]);
    const names = preemption.best.map(({ nodeName }) => nodeName).toSorted();
    return {
      candidates: Object.fromEntries(candidates),
      chosen: names,
      ...(names.length === 1 && { victims: chosen?.victims.map(podName) }),
      nominating: 'set nominatedNodeName',
    };
  }
  return {
    message: text,
    nominating: preemption.type === 'none' ? 'clear nominatedNodeName' : 'keep nominatedNodeName',
  };
}

function podName({ metadata }: StoredPod): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** The answers of each filter on its own about nodes that one of them rejects. */
function alone(pod: StoredPod, snapshot: ReturnType<typeof readCluster>): Record<string, Record<string, unknown>> {
  const answers: Record<string, Record<string, unknown>> = {};
  for (const { name: plugin, prepare } of DEFAULT_PLUGINS.filters) {
    const prepared = prepare(pod, snapshot);
    if (prepared.type !== 'filters') continue;
    for (const state of snapshot.nodes) {
      const rejection = prepared.filter(state);
      if (rejection === undefined) continue;
      answers[state.node.name] = { ...answers[state.node.name], [plugin]: caseRejection({ ...rejection, plugin }) };
    }
  }
  return answers;
}
