import path from 'node:path';
import { PodrunError } from '../../api/index.ts';
import type { ApiCaller } from '../base/api-caller.ts';
import { identityOf } from '../flags/identity.ts';
import { readApiFlags } from '../flags/read-flags.ts';
import { type ApiPlan, openTestApi } from './open-test-api.ts';

/** The parts of a server that no flag names. */
export type ServingOptions = Pick<
  ApiPlan,
  'clock' | 'descriptionsFile' | 'dialect' | 'env' | 'mode' | 'records' | 'root'
>;

/** Serves the API as the flags of a kube-apiserver say, until that ends. Returns the exit code of kube-apiserver. */
export async function serveFlags(caller: ApiCaller, given: ServingOptions): Promise<number> {
  const read = readApiFlags(caller.flags, given.mode);
  if (!read.ok) {
    caller.tell(`Error: ${read.error}`);
    return 1;
  }
  for (const warning of read.warnings) caller.tell(`Warning: ${warning}`);
  const { flags } = read;
  try {
    const identity = await identityOf(flags, given.clock.now().wallMs);
    const { host, port, authorization, auditLog, admitsAccounts, serviceRange } = flags;
    const lone = { admitsAccounts, serviceRange };
    const report = (line: string): void => caller.tell(line);
    const options = { host, port, authorization, auditLog: auditLog && path.resolve(auditLog) };
    const server = await openTestApi({ ...given, ...options, lone, identity, report });
    await caller.gone;
    await server.close();
    return 0;
  } catch (error) {
    if (!(error instanceof PodrunError)) throw error;
    caller.tell(`Error: ${error.message}`);
    return 1;
  }
}
