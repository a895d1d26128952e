import { describe, expect, it } from 'vitest';
import { parseFieldSelector } from '../../src/api/select/field-selector.ts';
import type { KubeObject } from '../../src/api/base/objects.ts';

const web: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'test' },
  spec: { containers: [], nodeName: 'node-1', restartPolicy: 'Never' },
  status: { phase: 'Running', podIPs: [{ ip: '10.0.0.7' }] },
};
const event: KubeObject = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'web.1', namespace: 'test' },
  involvedObject: { kind: 'Pod', name: 'web', fieldPath: 'spec.containers{a,b}' },
  reason: 'Killing',
  type: 'Normal',
  reportingComponent: 'kubelet',
};

describe('parseFieldSelector()', () => {
  it.each([
    { resource: 'pods', object: web, selector: '', matches: true },
    { resource: 'pods', object: web, selector: 'status.phase=Running', matches: true },
    { resource: 'pods', object: web, selector: 'status.phase==Running,spec.nodeName=node-1', matches: true },
    { resource: 'pods', object: web, selector: 'status.phase!=Running', matches: false },
    { resource: 'pods', object: web, selector: 'status.podIP=10.0.0.7', matches: true },
    { resource: 'pods', object: web, selector: 'status.nominatedNodeName=', matches: true },
    { resource: 'pods', object: web, selector: 'spec.hostNetwork=false', matches: true },
    { resource: 'pods', object: web, selector: 'metadata.name=web,metadata.namespace!=test', matches: false },
    { resource: 'events', object: event, selector: 'involvedObject.name=web,type=Normal', matches: true },
    { resource: 'events', object: event, selector: 'type=Warning', matches: false },
    { resource: 'events', object: event, selector: 'source=kubelet', matches: true },
    {
      resource: 'events',
      object: event,
      selector: String.raw`involvedObject.fieldPath=spec.containers{a\,b}`,
      matches: true,
    },
    { resource: 'configmaps', object: web, selector: 'metadata.name=web', matches: true },
  ])('$selector is $matches for one of the $resource', ({ resource, object, selector, matches }) => {
    expect(parseFieldSelector(selector, resource)(object)).toBe(matches);
  });

  it('refuses a field that the API server does not select by, and lists the supported ones', () => {
    expect(() => parseFieldSelector('spec.priority=1', 'pods')).toThrow(
      expect.objectContaining({
        exitCode: 1,
        message: 'Error from server (BadRequest): field label not supported: spec.priority',
        hint: expect.stringContaining('metadata.namespace, spec.nodeName') as string,
      }),
    );
    expect(() => parseFieldSelector('status.phase=Running', 'configmaps')).toThrow(
      '"status.phase" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
  });

  it('refuses a term without a comparison', () => {
    expect(() => parseFieldSelector('status.phase', 'pods')).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: "invalid field selector \"status.phase\": can't understand 'status.phase'",
      }),
    );
  });
});
