import { expect, it } from 'vitest';
import { withDefaultClass } from '../../../src/manifest/admission/ingress-class.ts';

const ingress = (spec: object = {}, annotations: Record<string, string> = {}) => {
  return { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'web', annotations }, spec };
};
const ingressClass = (name: string, creationTimestamp: string, isDefault = 'true') => {
  const annotations = { 'ingressclass.kubernetes.io/is-default-class': isDefault };
  const metadata = { name, creationTimestamp, annotations };
  return { apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass', metadata };
};
const CLASSES = [
  ingressClass('old', '2026-01-01T00:00:00Z'),
  ingressClass('z', '2026-02-01T00:00:00Z'),
  ingressClass('new', '2026-02-01T00:00:00Z'),
  ingressClass('other', '2026-03-01T00:00:00Z', 'false'),
];

it('gives a new Ingress the newest default class', () => {
  expect(withDefaultClass(ingress(), CLASSES)).toEqual(ingress({ ingressClassName: 'new' }));
  expect(withDefaultClass(ingress(), CLASSES.slice(3))).toEqual(ingress());
});

it('leaves an Ingress alone that names a class', () => {
  const named = ingress({ ingressClassName: 'mine' });
  const annotated = ingress({}, { 'kubernetes.io/ingress.class': 'mine' });
  expect([withDefaultClass(named, CLASSES), withDefaultClass(annotated, CLASSES)]).toEqual([named, annotated]);
});
