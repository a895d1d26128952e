import type { ApiHandler } from '../base/answer.ts';
import { objectOf } from '../requests/get.ts';
import { readObject } from '../base/read-object.ts';
import { changeStored } from '../writes/update.ts';

/** The subresource `finalize` of a Namespace: `spec.finalizers` alone. */
export const finalizeAnswer: ApiHandler = async (request, context) => {
  const wanted = await readObject(request);
  objectOf(request, context);
  const { resourceVersion } = wanted.metadata;
  const object = await changeStored(request, context, (stored) => ({
    ...stored,
    metadata: { ...stored.metadata, ...(resourceVersion && { resourceVersion }) },
    spec: wanted['spec'],
  }));
  return { object };
};
