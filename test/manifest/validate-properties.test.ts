import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/base/objects.ts';
import { droppedFields, prepareForCreate } from '../../src/manifest/default/create.ts';
import { applyDefaults } from '../../src/manifest/default/index.ts';
import { formatFieldError } from '../../src/manifest/base/field-error.ts';
import { validateObject } from '../../src/manifest/validate/index.ts';
import { groupFieldsWithoutEffect, refusedFields, unenforcedPaths } from '../../src/manifest/support/find-fields.ts';
import { warningsFor } from '../../src/manifest/warnings/object-warnings.ts';
import { decodedObject } from './arbitrary-object.ts';

const KINDS = `v1/Pod v1/ConfigMap v1/Secret v1/Service v1/PersistentVolumeClaim v1/Namespace v1/ServiceAccount
  apps/v1/Deployment apps/v1/ReplicaSet apps/v1/StatefulSet apps/v1/DaemonSet batch/v1/Job batch/v1/CronJob`.split(
  /\s+/,
);

/** A deeply frozen object: a write throws. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

describe.each(KINDS)('any %s that the decoder lets through', (apiKind) => {
  const at = apiKind.lastIndexOf('/');
  const objects = decodedObject(apiKind.slice(0, at), apiKind.slice(at + 1)).map(frozen);
  const holds = (check: (object: KubeObject) => void): void =>
    fc.assert(fc.property(objects, check), { numRuns: apiKind === 'v1/Pod' ? 600 : 150 });

  it('is defaulted without a throw and without a change of what was given', () => {
    holds((object) => {
      expect(applyDefaults(object)).toMatchObject({ kind: object.kind, apiVersion: object.apiVersion });
    });
  });

  it('is defaulted once and for all', () => {
    holds((object) => {
      const defaulted = frozen(applyDefaults(object));
      expect(applyDefaults(defaulted)).toEqual(defaulted);
      const created = frozen(prepareForCreate(defaulted));
      expect(prepareForCreate(created)).toEqual(created);
    });
  });

  it('is validated without a throw, every mistake with a path, a type and a printable line', () => {
    holds((object) => {
      const created = frozen(prepareForCreate(applyDefaults(object)));
      for (const error of [...validateObject(created), ...refusedFields(created)]) {
        expect(error.path).not.toBe('');
        expect(formatFieldError(error)).toMatch(/^\S.*: (?:[A-Z][a-z]+ )?[A-Z]?[a-z]+/su);
      }
    });
  });

  it('gets its warnings and notices without a throw', () => {
    holds((object) => {
      const created = frozen(prepareForCreate(applyDefaults(object)));
      const paths = groupFieldsWithoutEffect(created).flatMap(({ paths }) => paths);
      expect(paths).toEqual(expect.arrayContaining(unenforcedPaths(created)));
      expect([...warningsFor(created), ...droppedFields(object)].every((line) => line !== '')).toBe(true);
    });
  });
});
