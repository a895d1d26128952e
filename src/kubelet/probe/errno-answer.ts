import type { ProbeAnswer } from '../../lifecycle/index.ts';

/** The name of the error number, where the operating system gave one. */
export function errnoAnswer(error: unknown): ProbeAnswer {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const { code = '' } = first as { code?: string };
  return /^E(?!PROTO$)[A-Z0-9_]+$/.test(code) && !code.startsWith('ERR_') ? { errno: code } : {};
}
