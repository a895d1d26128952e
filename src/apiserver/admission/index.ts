/** Admission: webhooks and ValidatingAdmissionPolicies. */
export type { AdmissionRequest } from './admission-request.ts';
export { checkAdmission, mutatedByWebhooks } from './admit.ts';
export { refuseWrongExpressions } from './check-expressions.ts';
