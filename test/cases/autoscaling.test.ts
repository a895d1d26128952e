import { describe, expect, it } from 'vitest';
import {
  formatTime,
  parseQuantity,
  quantityMilliValue,
  type StoredAutoscaler,
  type StoredPod,
} from '../../src/api/index.ts';
import { endSync, planSync } from '../../src/controllers/index.ts';
import type {
  MetricAnswer,
  AutoscalerInput,
  AutoscalerMemory,
  MetricsReader,
} from '../../src/controllers/horizontal-pod-autoscaler/model.ts';
import { applyDefaults } from '../../src/manifest/index.ts';
import { readCases } from './cases.ts';

/** One sync with what the real controller did: the head of the file explains the fields. */
interface Case {
  readonly id: number;
  readonly title: string;
  readonly spec: object;
  readonly replicas: number;
  readonly statusReplicas?: number;
  readonly pods?: readonly CasePod[];
  readonly recommendations?: readonly { ago: number; replicas: number }[];
  readonly scaleUps?: readonly { ago: number; change: number }[];
  readonly scaleDowns?: readonly { ago: number; change: number }[];
  readonly objects?: Readonly<Record<string, string>>;
  readonly external?: Readonly<Record<string, string[]>>;
  readonly resourceError?: string;
  readonly customError?: string;
  readonly externalError?: string;
  readonly scaleError?: string;
  readonly updateError?: string;
  readonly selector?: string;
  readonly otherHpaSelector?: string;
  readonly expected: object;
}

interface CasePod {
  readonly name: string;
  readonly containers: readonly { name: string; cpu?: string; memory?: string; sidecar?: boolean }[];
  readonly usage?: readonly { name: string; cpu?: string; memory?: string }[];
  readonly custom?: Readonly<Record<string, string>>;
  readonly podCpu?: string;
  readonly phase?: string;
  readonly deleting?: boolean;
  readonly ready?: string;
  readonly startedAgo?: number;
  readonly readyAgo?: number;
  readonly usageAgo?: number;
  readonly usageWindow?: number;
}

const NOW_MS = Date.parse('2026-11-29T12:00:00Z');
const ago = (seconds: number): number => NOW_MS - seconds * 1000;
const milli = (text: string): bigint => quantityMilliValue(parseQuantity(text));

function podOf({ name, containers, ...of }: CasePod): StoredPod {
  const { podCpu, phase = 'Running', deleting, ready = 'True', startedAgo = 3600, readyAgo = 3500 } = of;
  const [main, sidecars] = [false, true].map((isSidecar) =>
    containers
      .filter(({ sidecar = false }) => sidecar === isSidecar)
      .map(({ name: container, cpu, memory }) => ({
        name: container,
        ...(isSidecar && { restartPolicy: 'Always' }),
        resources: { requests: { ...(cpu && { cpu }), ...(memory && { memory }) } },
      })),
  );
  const condition = { type: 'Ready', status: ready, lastTransitionTime: formatTime(ago(readyAgo)) };
  const deletion = deleting && { deletionTimestamp: formatTime(NOW_MS) };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: name, labels: { app: 'web' }, ...deletion },
    spec: {
      containers: main,
      initContainers: sidecars,
      ...(podCpu && { resources: { requests: { cpu: podCpu } } }),
    },
    status: { phase, startTime: formatTime(ago(startedAgo)), conditions: [condition] },
  } as unknown as StoredPod;
}

function metricsOf(given: Case): MetricsReader {
  const pods = given.pods ?? [];
  const answer = <T>(error: string | undefined, value: T): MetricAnswer<T> =>
    error === undefined ? { value } : { error };
  const timesOf = ({ usageAgo = 0, usageWindow = 60 }: CasePod): { atMs: number; windowMs: number } => ({
    atMs: ago(usageAgo),
    windowMs: usageWindow * 1000,
  });
  const samples = pods.flatMap((pod) => {
    if (pod.usage === undefined) return [];
    const containers = pod.usage.map(({ name, ...usage }) => ({
      name,
      usage: Object.fromEntries(Object.entries(usage).map(([resource, amount]) => [resource, milli(amount)])),
    }));
    return [{ pod: pod.name, ...timesOf(pod), containers }];
  });
  return {
    usage: () => answer(given.resourceError, samples),
    ofPods: ({ name }) => {
      const values = pods.flatMap((pod) => {
        const value = pod.custom?.[name];
        return value === undefined ? [] : [{ pod: pod.name, ...timesOf(pod), value: milli(value) }];
      });
      return answer(given.customError, values);
    },
    ofObject: ({ name }) => answer(given.customError, milli(given.objects?.[name] ?? '0')),
    external: ({ name }) => answer(given.externalError, (given.external?.[name] ?? []).map(milli)),
  };
}

/** Undefined: the controller sees the object for the first time. */
function memoryOf({ recommendations, scaleUps, scaleDowns, replicas }: Case): AutoscalerMemory | undefined {
  if ([recommendations, scaleUps, scaleDowns].every((list) => list === undefined)) return undefined;
  const dated = <T extends { ago: number }>(list: readonly T[] = []): (T & { atMs: number })[] =>
    list.map((each) => ({ ...each, atMs: ago(each.ago) }));
  return {
    recommendations: recommendations === undefined ? [{ replicas, atMs: NOW_MS }] : dated(recommendations),
    scaleUps: dated(scaleUps),
    scaleDowns: dated(scaleDowns),
  };
}

function inputOf(given: Case): AutoscalerInput {
  const { replicas, statusReplicas = replicas, selector = 'app=web', scaleError, otherHpaSelector } = given;
  return {
    nowMs: NOW_MS,
    scale: scaleError === undefined ? { value: { replicas, statusReplicas, selector } } : { error: scaleError },
    pods: (given.pods ?? []).map(podOf),
    others: otherHpaSelector === undefined ? [] : [{ key: 'default/other', selector: otherHpaSelector }],
    metrics: metricsOf(given),
    memory: memoryOf(given),
  };
}

function autoscalerOf({ spec }: Case): StoredAutoscaler {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  return applyDefaults({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'web', namespace: 'default', uid: 'hpa' },
    spec: { scaleTargetRef, ...spec },
  }) as unknown as StoredAutoscaler;
}

/** The outcome of podrun's controller, in the form of the cases. */
function outcomeOf(given: Case): object {
  const plan = planSync(autoscalerOf(given), inputOf(given));
  const { status, events, error } = endSync(plan, given.updateError);
  const isScaled = plan.rescale !== undefined && given.updateError === undefined;
  return {
    conditions: (status.conditions ?? []).map(({ type, status: state, reason, message }) => ({
      type,
      status: state,
      reason,
      message,
    })),
    currentMetrics: status.currentMetrics,
    currentReplicas: status.currentReplicas ?? 0,
    desiredReplicas: status.desiredReplicas,
    events: events.length === 0 ? null : events.map(({ type, reason, message }) => `${type} ${reason} ${message}`),
    ...(isScaled && { scaledTo: plan.rescale?.replicas }),
    ...(error !== undefined && { error }),
  };
}

const { data, options } = readCases<{ cases: Case[] }>('autoscaling-cases.json');

describe('one sync of an autoscaler, as the controller of Kubernetes does it', options, () => {
  it.each((data?.cases ?? []).map((given) => [given.id, given.title, given] as const))('%i: %s', (...[, , given]) => {
    expect(outcomeOf(given)).toEqual(given.expected);
  });
});
