import { describe, expect, it } from 'vitest';
import type { StoredPod, WatchEvent } from '../../src/api/base/objects.ts';
import { POD_COLUMNS } from '../../src/print/table/pod-status.ts';
import { renderTable, TablePrinter, type TableOptions } from '../../src/print/table/table-printer.ts';
import { GOLDEN_NOW_MS, goldenPods, transcript } from './golden.ts';
import { at, NOW_MS, running, waiting, webPod } from './pods.ts';

const modified = (object: StoredPod): WatchEvent<StoredPod> => ({ type: 'MODIFIED', object });

describe('the table of Pods', () => {
  it.each<[name: string, options: TableOptions]>([
    ['get-all-ns', { allNamespaces: true }],
    ['get-labels', { showLabels: true }],
    ['get-noheaders', { noHeaders: true }],
  ])('prints the transcript %s', (name, options) => {
    const { stdout, state } = transcript('get', name);
    expect(renderTable(POD_COLUMNS, state.flatMap(goldenPods), GOLDEN_NOW_MS, options)).toBe(stdout);
  });

  it('prints nothing for no Pods', () => {
    expect(renderTable(POD_COLUMNS, [], NOW_MS)).toBe('');
  });

  it('adds a column for each label that is asked for, headed by the end of its key', () => {
    const pod = webPod({ metadata: { labels: { 'app.kubernetes.io/name': 'shop', tier: 'front' } } });
    expect(
      renderTable(POD_COLUMNS, [pod], NOW_MS, { labelColumns: ['app.kubernetes.io/name', 'none'], showLabels: true }),
    ).toBe(
      `NAME   READY   STATUS    RESTARTS   AGE   NAME   NONE   LABELS
web    1/1     Running   0          60s   shop          app.kubernetes.io/name=shop,tier=front
`,
    );
  });

  it('prefixes names with the kind', () => {
    expect(renderTable(POD_COLUMNS, [webPod()], NOW_MS, { kindPrefix: 'pod/', noHeaders: true })).toMatch(
      /^pod\/web {3}1\/1/,
    );
  });

  it('leaves the padding before an empty last cell', () => {
    expect(renderTable(POD_COLUMNS, [webPod()], NOW_MS, { labelColumns: ['app'], noHeaders: true })).toBe(
      'web   1/1   Running   0     60s   \n',
    );
  });

  it('keeps a cell on one line and harmless to the terminal', () => {
    const pod = webPod({ status: { reason: 'Odd\u001B[31m\nreason' } });
    expect(renderTable(POD_COLUMNS, [pod], NOW_MS, { noHeaders: true })).toContain('Odd^[[31m...');
  });
});

describe('the table of Pods, row by row,', () => {
  it('prints headings once, and rows as they come, as wide as any row before', () => {
    const table = new TablePrinter(POD_COLUMNS);
    const creating = webPod({
      status: { phase: 'Pending', containerStatuses: [waiting('main', 'ContainerCreating')] },
    });
    const restarted = webPod({
      status: {
        containerStatuses: [
          running('main', { restartCount: 1, lastState: { terminated: { exitCode: 1, finishedAt: at(-30) } } }),
        ],
      },
    });
    const text = [webPod(), creating, webPod(), restarted].map((pod) => table.render([modified(pod)], NOW_MS)).join('');
    expect(text).toBe(
      `NAME   READY   STATUS    RESTARTS   AGE
web    1/1     Running   0          60s
web    0/1     ContainerCreating   0          60s
web    1/1     Running             0          60s
web    1/1     Running             1 (30s ago)   60s
`,
    );
  });

  it('says what happened to each Pod, when asked', () => {
    const table = new TablePrinter(POD_COLUMNS, { watchEvents: true, allNamespaces: true });
    expect(table.render([{ type: 'ADDED', object: webPod() }], NOW_MS)).toBe(
      `NAMESPACE   EVENT      NAME   READY   STATUS    RESTARTS   AGE
default     ADDED      web    1/1     Running   0          60s
`,
    );
    expect(table.render([{ type: 'DELETED', object: webPod() }], NOW_MS)).toBe(
      'default     DELETED    web    1/1     Running   0          60s\n',
    );
  });

  it('prints the headings with the first Pod, not before', () => {
    const table = new TablePrinter(POD_COLUMNS);
    expect(table.render([], NOW_MS)).toBe('');
    expect(table.render([modified(webPod())], NOW_MS)).toMatch(/^NAME /);
  });

  it('prints the watch of the transcript get-w', () => {
    const { stdout, state, changes = [] } = transcript('get', 'get-w');
    const table = new TablePrinter(POD_COLUMNS);
    const listed = table.render(
      state.flatMap(goldenPods).map((object) => ({ type: 'ADDED', object })),
      GOLDEN_NOW_MS,
    );
    const changed = changes.flatMap(({ objects = [] }) => objects);
    // The last row is about the deletion, and repeats the last state.
    const rows = [...changed, ...changed.slice(-1)].map((object) => table.render([modified(object)], GOLDEN_NOW_MS));
    expect(listed + rows.join('')).toBe(stdout);
  });
});
