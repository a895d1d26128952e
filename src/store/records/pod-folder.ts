import type { PodStatus } from '../../api/generated/types.ts';
import { isJsonObject } from '../../api/json.ts';
import { resolvedUid, type StoredPod } from '../../api/objects.ts';
import { readJsonFile } from '../disk/atomic-file.ts';
import type { PodPaths } from '../layout.ts';
import { laterVersion } from '../resource-version.ts';
import { isStoredPod, type ShapeCheck } from '../disk/stored-json.ts';

/**
 * The status file. It has the resolved uid of the Pod and a version of its own: clients and the agent write
 * independently.
 */
interface StatusFile {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly status: PodStatus;
}

/** The status of a Pod whose status file does not fit, as after a power failure. */
export const LOST_STATUS: PodStatus = { phase: 'Unknown', message: 'the status of this Pod was lost' };

/** The Pod in a folder of the store or of the history. Undefined when there is none. */
export function readPodFolder(paths: PodPaths): StoredPod | undefined {
  const pod = readJsonFile<StoredPod>(paths.object, isStoredPod);
  if (pod === undefined) return undefined;
  const file = readJsonFile<StatusFile>(paths.status, isStatusFile);
  return file?.uid === resolvedUid(pod) ? withStatus(pod, file) : { ...pod, status: LOST_STATUS };
}

/** The status in a folder, without a look at the Pod. */
export function readStatus(paths: PodPaths): PodStatus | undefined {
  return readJsonFile<StatusFile>(paths.status, isStatusFile)?.status;
}

const isStatusFile: ShapeCheck = ({ status }) => isJsonObject(status);

function withStatus(pod: StoredPod, { resourceVersion, status }: StatusFile): StoredPod {
  const latest = laterVersion(pod.metadata.resourceVersion, resourceVersion);
  return { ...pod, metadata: { ...pod.metadata, resourceVersion: latest }, status };
}

/** The content of `pod.json`, which clients write: everything but the status. */
export function objectText(pod: StoredPod): string {
  const { status: _, ...rest } = pod;
  return `${JSON.stringify(rest, undefined, 2)}\n`;
}

/** The content of `status.json`, which the agent writes. */
export function statusText(pod: StoredPod): string {
  const { metadata, status } = pod;
  const file: StatusFile = { uid: resolvedUid(pod), resourceVersion: metadata.resourceVersion, status };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}
