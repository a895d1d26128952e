import type {
  Container,
  CronJob,
  Job,
  KubeObject,
  Pod,
  PodSpec,
  PodTemplate,
  PodTemplateSpec,
} from '../../api/index.ts';
import type { Decoded } from './decoded.ts';

/** The Pod or Pod template in an object, and its path. */
export interface PodInObject {
  /** The path of the part with metadata and spec: empty for a Pod, `spec.template` in most kinds. */
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
    PodTemplate: (object: Decoded<PodTemplate>) => ({ path: 'template', pod: object.template ?? {} }),
    Job: inTemplate,
    Deployment: inTemplate,
    ReplicaSet: inTemplate,
    StatefulSet: inTemplate,
    DaemonSet: inTemplate,
    ReplicationController: inTemplate,
  }),
);

/** Finds the Pod or Pod template of an object. Undefined for kinds without Pods. */
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
