/** Admission: webhooks and policies. */
export type { AdmissionRequest } from './admission-request.ts';
export { refuseUnknownNames, securityVerdict } from './admit-new.ts';
export { checkAdmission, mutatedByAll } from './admit.ts';
export { wrongExpressions } from './check-expressions.ts';
export { expressionWarnings, kindsOfPolicy } from './type-checks.ts';
export type { ValidatingPolicy } from './validating-policies.ts';
