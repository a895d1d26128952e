import type { AdmissionregistrationValidatingAdmissionPolicy, KubeObject, StoredKubeObject } from '../../api/index.ts';
import { expressionWarnings, type ValidatingPolicy } from '../admission/index.ts';
import type { ServerContext } from '../base/context.ts';

/** True for a ValidatingAdmissionPolicy that has changed since its types were checked. */
export function isUnchecked(policy: StoredKubeObject): boolean {
  const { metadata, status } = policy as AdmissionregistrationValidatingAdmissionPolicy;
  return (metadata?.generation ?? 0) > (status?.observedGeneration ?? 0);
}

/**
 * The status of a ValidatingAdmissionPolicy as its controller applies it: the mistakes in its types.
 * Source: pkg/controller/validatingadmissionpolicystatus/controller.go.
 */
export function checkedPolicy(policy: StoredKubeObject, { resources }: Pick<ServerContext, 'resources'>): KubeObject {
  const { apiVersion, kind, metadata } = policy;
  const warnings = expressionWarnings(policy as StoredKubeObject & ValidatingPolicy, resources.all);
  const typeChecking = warnings.length === 0 ? {} : { expressionWarnings: warnings };
  const status = { observedGeneration: metadata.generation ?? 1, typeChecking };
  return { apiVersion, kind, metadata: { name: metadata.name }, status };
}
