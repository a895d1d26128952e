import type { PodStatus } from '../api/generated/types.ts';
import { isJsonObject } from '../api/json.ts';
import type { StoredPod } from '../api/objects.ts';
import { readJson, readReplacedJson } from './atomic-file.ts';
import type { PodPaths } from './layout.ts';
import { laterVersion } from './resource-version.ts';
import { isStoredPod, type Soundness } from './stored-json.ts';

/** The status file. It names the Pod and has a version of its own: clients and the agent write at their own pace. */
interface StatusFile {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly status: PodStatus;
}

/** After a power failure a file may be empty. */
export const LOST_STATUS: PodStatus = { phase: 'Unknown', message: 'the status of this Pod was lost' };

/** The Pod in a folder, also one of the history; undefined when it holds none. */
export function readPodFolder(paths: PodPaths): StoredPod | undefined {
  const pod = readJson<StoredPod>(paths.object, isStoredPod);
  if (pod === undefined) return undefined;
  const file = readReplacedJson<StatusFile>(paths.status, isStatusFile);
  return file?.uid === pod.metadata.uid ? withStatus(pod, file) : { ...pod, status: LOST_STATUS };
}

/** The status that a folder holds, whichever Pod it is of. */
export function readStatus(paths: PodPaths): PodStatus | undefined {
  return readReplacedJson<StatusFile>(paths.status, isStatusFile)?.status;
}

const isStatusFile: Soundness = ({ status }) => isJsonObject(status);

function withStatus(pod: StoredPod, { resourceVersion, status }: StatusFile): StoredPod {
  const latest = laterVersion(pod.metadata.resourceVersion, resourceVersion);
  return { ...pod, metadata: { ...pod.metadata, resourceVersion: latest }, status };
}

/** What clients write: everything but the status. */
export function objectText(pod: StoredPod): string {
  const { status: _, ...rest } = pod;
  return `${JSON.stringify(rest, undefined, 2)}\n`;
}

/** What the agent writes: the status. */
export function statusText({ metadata, status }: StoredPod): string {
  const file: StatusFile = { uid: metadata.uid, resourceVersion: metadata.resourceVersion, status };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}
