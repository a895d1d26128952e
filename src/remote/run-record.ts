import { rmSync } from 'node:fs';
import path from 'node:path';
import { hasCode, type StoredKubeObject } from '../api/index.ts';
import { localProcesses } from '../runtime/index.ts';
import {
  inFolder,
  isProcess,
  knownProcess,
  type KnownProcess,
  namesIn,
  presenceOf,
  readJsonFile,
  writePrivateFile,
} from '../store/index.ts';
import { type ClusterConnection, collectionPath } from './base/connection.ts';
import { type CreatedObject, createdObject, removeFrom, RUN_LABEL } from './created-objects.ts';

/** Names all that a run may leave on a cluster when it is killed. It is on record before anything is created. */
interface RecordedClusterRun extends KnownProcess {
  readonly namespace: string;
  /** The types of all objects that it creates, its namespace included. */
  readonly types: readonly CreatedObject['type'][];
}

const folderOf = (root: string): string => path.join(root, 'cluster-runs');

/** Records a run of this process. Returns a function that removes the record. */
export function recordRun(
  root: string,
  runId: string,
  run: Pick<RecordedClusterRun, 'namespace' | 'types'>,
): () => void {
  const file = path.join(folderOf(root), `${runId}.json`);
  const record: RecordedClusterRun = { ...knownProcess(process.pid, localProcesses), ...run };
  inFolder(folderOf(root), () => writePrivateFile(file, JSON.stringify(record)));
  return () => rmSync(file, { force: true });
}

/**
 * Removes from the cluster what runs have left whose process is gone.
 * @param root the folder of the store of this cluster
 * @param note called with a sentence for each of them
 */
export async function removeLeftovers(
  connection: ClusterConnection,
  root: string,
  note: (text: string) => void,
): Promise<void> {
  for (const name of namesIn(folderOf(root))) {
    const file = path.join(folderOf(root), name);
    const record = readJsonFile<RecordedClusterRun>(file, isProcess);
    if (record !== undefined && presenceOf(record, localProcesses) !== 'gone') continue;
    const runId = path.parse(name).name;
    try {
      if (record !== undefined) await removeRun(connection, runId, record, note);
      rmSync(file, { force: true });
    } catch (error) {
      if (!hasCode(error, 'Forbidden')) throw error;
      // Another user of this machine's, or of the cluster's, may have the right.
      note(`what a killed podrun has left on the cluster (run ${runId}) stays there: ${error.message}`);
    }
  }
}

async function removeRun(
  connection: ClusterConnection,
  runId: string,
  { namespace, types }: RecordedClusterRun,
  note: (text: string) => void,
): Promise<void> {
  let removed = 0;
  for (const type of types) {
    for (const object of await labelled(connection, runId, namespace, type)) {
      await removeFrom(connection, createdObject(object, namespace, type));
      removed += 1;
    }
  }
  if (removed > 0) note(`removed ${removed} objects that a killed podrun has left on the cluster (run ${runId})`);
}

async function labelled(
  connection: ClusterConnection,
  runId: string,
  namespace: string,
  type: CreatedObject['type'],
): Promise<readonly StoredKubeObject[]> {
  const query = { labelSelector: `${RUN_LABEL}=${runId}` };
  try {
    const request = { method: 'GET', path: collectionPath(type, namespace), query } as const;
    return (await connection.request<{ readonly items: readonly StoredKubeObject[] }>(request)).items;
  } catch (error) {
    if (hasCode(error, 'NotFound')) return [];
    throw error;
  }
}
