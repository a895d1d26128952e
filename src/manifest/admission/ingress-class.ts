import type { Ingress, IngressClass, KubeObject } from '../../api/index.ts';

const IS_DEFAULT = 'ingressclass.kubernetes.io/is-default-class';
/** The former way to name a class. */
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

/**
 * A new Ingress with the default class, unless it names one. Of several defaults, the newest counts.
 * Source: plugin/pkg/admission/network/defaultingressclass/admission.go.
 */
export function withDefaultClass<T extends KubeObject & Ingress>(
  ingress: T,
  classes: readonly (KubeObject & IngressClass)[],
): T {
  const isNamed =
    ingress.spec?.ingressClassName !== undefined || CLASS_ANNOTATION in (ingress.metadata.annotations ?? {});
  const [first] = classes
    .filter(({ metadata }) => metadata.annotations?.[IS_DEFAULT] === 'true')
    .toSorted((a, b) => createdMs(b) - createdMs(a) || (a.metadata.name ?? '').localeCompare(b.metadata.name ?? ''));
  if (isNamed || first?.metadata.name === undefined) return ingress;
  return { ...ingress, spec: { ...ingress.spec, ingressClassName: first.metadata.name } };
}

function createdMs({ metadata }: KubeObject): number {
  return Date.parse(metadata.creationTimestamp ?? '') || 0;
}
