import { expect, it } from 'vitest';
import { workshopFor } from './workshop.ts';

it('dashboard starts a server where none runs, and ends it with the page', async (context) => {
  const workshop = workshopFor(context);
  const dashboard = workshop.start(['dashboard']);
  await dashboard.until(({ stdout }) => stdout.includes('#code='));
  const [link = ''] = dashboard.stdout.split('\n');
  const { origin, hash } = new URL(link);
  const session = await fetch(`${origin}/session`, { method: 'POST', body: hash.replace('#code=', '') });
  const headers = { authorization: `Bearer ${await session.text()}` };
  const nodes = await fetch(`${origin}/api/v1/nodes`, { headers });
  expect(await nodes.json()).toMatchObject({ kind: 'NodeList', items: [{}] });
  const early = await fetch(`${origin}/timeline?namespace=default&name=web`, { headers });
  expect([early.status, await early.text()]).toEqual([404, expect.stringContaining('"web" not found')]);
  dashboard.signal('SIGTERM');
  const { exitCode, stderr } = await dashboard.ended;
  expect(exitCode).toBe(0);
  expect(stderr).toContain('started podrun serve, since none ran\n');
  expect(workshop.backgroundProcesses()).toEqual([]);
});
