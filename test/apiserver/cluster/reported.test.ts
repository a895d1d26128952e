import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { PodrunError } from '../../../src/api/base/errors.ts';
import { reported } from '../../../src/apiserver/cluster/reported.ts';
import { keepDefaultAccess } from '../../../src/apiserver/cluster/default-access.ts';
import type { ServerContext } from '../../../src/apiserver/base/context.ts';
import { nextEventLoopTurn } from '../../../src/clock.ts';

function reportOf(error: Error): string[] {
  const lines: string[] = [];
  const context = { store: { root: tmpdir() }, report: (line: string) => void lines.push(line) };
  reported(context, 'counts', () => {
    throw error;
  });
  return lines;
}

it('an object that another client has deleted or changed is no news, and a full disk is', () => {
  expect(reportOf(new PodrunError('NotFound', 'gone'))).toEqual([]);
  expect(reportOf(new PodrunError('Conflict', 'changed'))).toEqual([]);
  expect(reportOf(new PodrunError('Disk', 'full'))).toEqual(['counts: full']);
  expect(() => reportOf(new TypeError('broken'))).toThrow('broken');
});

// A defect fails the run of tests: see test/each-file.ts.
it('a role that collects rules and is deleted meanwhile is no defect', async () => {
  const [lines, changes]: [string[], string[]] = [[], []];
  const selector = { matchLabels: { collected: 'true' } };
  const collector = { metadata: { name: 'all' }, rules: [], aggregationRule: { clusterRoleSelectors: [selector] } };
  const source = { metadata: { name: 'one', labels: selector.matchLabels }, rules: [{ verbs: ['get'] }] };
  let roles: unknown[] = [collector];
  let onChange = (): void => undefined;
  keepDefaultAccess({
    objects: {
      get: () => collector,
      list: () => roles,
      subscribe: (_resource: string, listener: () => void) => {
        onChange = listener;
      },
    },
    store: {
      root: tmpdir(),
      change: (_resource: string, { name }: { readonly name: string }) => {
        changes.push(name);
        throw new PodrunError('NotFound', `clusterroles "${name}" not found`);
      },
    },
    clock: { now: () => ({ wallMs: 0, monotonicMs: 0 }) },
    signal: new AbortController().signal,
    report: (line: string) => void lines.push(line),
  } as unknown as ServerContext);
  roles = [collector, source];
  onChange();
  await new Promise<void>((resolve) => nextEventLoopTurn(resolve));
  expect({ changes, lines }).toEqual({ changes: ['all'], lines: [] });
});
