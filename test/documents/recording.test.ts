import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { expect, it } from 'vitest';
import { drawing } from '../../docs/recording/drawing.mjs';

const run = (text: string, look = {}) => [{ column: 2, text, look }];

it('frames become an animation in which every row is drawn once', () => {
  const svg = drawing({
    frames: [
      { atMs: 0, rows: [run('$ <a> & b'), []] },
      { atMs: 500, rows: [run('$ <a> & b'), run('done', { color: 2 })] },
    ],
    durationMs: 1000,
    columns: 20,
    rows: 2,
    title: 'Two frames',
  });
  expect(svg.match(/\$ &lt;a&gt; &amp; b/g)).toHaveLength(1);
  expect(svg.match(/<use href="#r0"/g)).toHaveLength(2);
  expect(svg).toContain('@keyframes k1{0%{visibility:hidden}50%{visibility:visible}}');
  expect(svg).toMatch(/class="f last"/);
});

it('the session of the README shows what podrun prints, and nothing of the machine it was recorded on', () => {
  const svg = readFileSync(new URL('../../docs/recording/session.svg', import.meta.url), 'utf8');
  const text = svg.replaceAll(/<[^>]*>/g, ' ');
  for (const command of ['apply fixtures/pipeline.yaml', 'get pods', 'timeline pipeline']) {
    expect(text).toContain(`podrun ${command}`);
  }
  expect(text).toMatch(/✓\s+pipeline\s+Succeeded/);
  expect(text).not.toContain(hostname());
  expect(text).not.toMatch(/error|\/(tmp|home|root)\b/);
  expect(svg.length).toBeLessThan(300_000);
});

it('the recording of the live view has whole addresses and its keys', () => {
  const svg = readFileSync(new URL('../../docs/recording/live.svg', import.meta.url), 'utf8');
  const text = svg.replaceAll(/<[^>]*>/g, ' ');
  expect(text).toMatch(/http:\/\/hello\.localhost:\d+\//);
  for (const words of ['d describe', 'r restart', 'restarting ', 'only the output of']) {
    expect(text).toContain(words);
  }
  expect(text).not.toContain(hostname());
  expect(text).not.toMatch(/error|\/(tmp|home|root)\b/);
  expect(svg.length).toBeLessThan(300_000);
});
