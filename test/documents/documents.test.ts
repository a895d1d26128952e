import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { workshopFor } from '../cli/workshop.ts';
import { commandsIn } from './commands-in.ts';
import { idleManners, runPage } from './page-run.ts';
import { PAGES } from './pages.ts';

const root = new URL('../../', import.meta.url);
const pages = ['README.md', ...readdirSync(new URL('docs', root)).map((file) => `docs/${file}`)].filter((file) =>
  file.endsWith('.md'),
);

describe('every command that a page shows does what the page says', () => {
  it.concurrent.for(pages)('%s', async (page, context) => {
    const workshop = workshopFor(context);
    const commands = commandsIn(readFileSync(new URL(page, root), 'utf8'));
    const setting = PAGES[page] ?? {};
    expect(idleManners(commands, setting)).toEqual([]);
    expect(await runPage(workshop, commands, setting)).toEqual([]);
  });
});
