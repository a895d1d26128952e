import type { Container, CronJob, Job, Pod, PodSpec, PodTemplateSpec } from '../api/generated/types.ts';
import type { KubeObject } from '../api/objects.ts';
import type { Decoded } from './decoded.ts';

/** The Pod an object is or makes, and where in the object it stands. */
export interface PodInObject {
  /** Of the part that holds metadata and spec: empty for a Pod itself, `spec.template` in most workloads. */
  readonly path: string;
  readonly pod: Decoded<PodTemplateSpec>;
}

type Finder = (object: Decoded<KubeObject>) => PodInObject;

const inTemplate: Finder = (object: Decoded<Job>) => ({ path: 'spec.template', pod: object.spec?.template ?? {} });

const FINDERS: ReadonlyMap<string, Finder> = new Map(
  Object.entries<Finder>({
    Pod: (pod: Decoded<Pod>) => ({ path: '', pod }),
    CronJob: (object: Decoded<CronJob>) => ({
      path: 'spec.jobTemplate.spec.template',
      pod: object.spec?.jobTemplate?.spec?.template ?? {},
    }),
    Job: inTemplate,
    Deployment: inTemplate,
    ReplicaSet: inTemplate,
    StatefulSet: inTemplate,
    DaemonSet: inTemplate,
  }),
);

/** Undefined for kinds without Pods. */
export function podIn(object: KubeObject): PodInObject | undefined {
  return FINDERS.get(object.kind)?.(object);
}

/** All containers of a Pod with their paths: init, regular, ephemeral. */
export function containersWithPaths(specPath: string, spec: Decoded<PodSpec>): [string, Decoded<Container>][] {
  return (['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((field) =>
    (spec[field] ?? []).map((container, index): [string, Decoded<Container>] => [
      `${specPath}.${field}[${index}]`,
      container,
    ]),
  );
}
