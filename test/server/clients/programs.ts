import { existsSync } from 'node:fs';
import path from 'node:path';

/** The clients that fetch.mjs has fetched. */
const FOLDER = path.join(import.meta.dirname, '../../../node_modules/.cache/kubernetes-clients');

const fetched = (name: string): string | undefined => {
  const file = path.join(FOLDER, name);
  return existsSync(file) ? file : undefined;
};

/** kubectl of Kubernetes 1.36. */
export const kubectl: string | undefined = fetched('kubectl');
/** helm 4, and helm 3. */
export const helm: string | undefined = fetched('helm');
export const helm3: string | undefined = fetched('helm-3');
/** The oldest kubectl that reads OpenAPI v3. */
export const kubectl129: string | undefined = fetched('kubectl-1.29');
/** Stands in the names of tests, which are skipped without the clients. */
export const HOW_TO_FETCH = 'fetched by test/server/clients/fetch.mjs';
