import { PodrunError } from '../../api/errors.ts';
import { type Dashboard, openDashboard } from './open-dashboard.ts';
import { checkThatApiAnswers } from './pass-to-api.ts';
import { readServerAddress } from './server-address.ts';

/** The dashboard, or the parts of an error: the server is a bundle of its own, whose errors have another class. */
export type DashboardOutcome =
  | { readonly ok: true; readonly dashboard: Dashboard }
  | ({ readonly ok: false } & Pick<PodrunError, 'code' | 'message' | 'hint'>);

/** Opens the dashboard of the server that serves a state folder. */
export async function dashboardOf(root: string, port: number): Promise<DashboardOutcome> {
  try {
    const api = readServerAddress(root);
    await checkThatApiAnswers(api);
    return { ok: true, dashboard: await openDashboard(api, port) };
  } catch (error) {
    if (!(error instanceof PodrunError)) throw error;
    const { code, message, hint } = error;
    return { ok: false, code, message, hint };
  }
}
