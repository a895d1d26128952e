import { servedUrls, workloadsAbove } from '../../apiserver/index.ts';
import type { StoredService } from '../../api/index.ts';
import { PLAIN, renderTimelines, UNICODE_GLYPHS } from '../../print/index.ts';
import type { DashboardFacts } from '../../server/index.ts';
import { type FileStore, RecordedRuns } from '../../store/index.ts';
import { chosenRuns, lanesOf, recordedRun } from '../timeline/chosen-runs.ts';

/** The width of a drawing in the page, characters. */
const COLUMNS = 100;

/** The facts for the dashboard that the API of Kubernetes does not have. */
export function dashboardFacts(store: FileStore): DashboardFacts {
  return {
    urls: () => {
      const namespaces = new Set(store.list<StoredService>('services').map(({ metadata }) => metadata.namespace));
      return [...namespaces].flatMap((namespace) =>
        servedUrls(store, namespace).map((served) => ({ ...served, namespace })),
      );
    },
    timeline: (namespace, name) => {
      const records = new RecordedRuns(store);
      const nowMs = store.clock.now().wallMs;
      const above = workloadsAbove(store);
      const runs = chosenRuns(records, { namespace, words: [name], nowMs, workloadsAbove: above });
      const recorded = runs.map((chosen) => recordedRun(records, chosen, nowMs));
      const named = recorded.map(({ run, workload, timeline }) => ({ run: run.run, workload, timeline }));
      const nodes = lanesOf(store, recorded);
      return renderTimelines(named, { width: COLUMNS, color: PLAIN, glyphs: UNICODE_GLYPHS, nodes });
    },
  };
}
