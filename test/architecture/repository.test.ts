import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../src/api/base/errors.ts';
import { filesBelow, isNode, nodesOf, readText, root, sourcesBelow } from './source.ts';

const FOLDERS = ['.ci', '.github', 'bench', 'bin', 'docs', 'fixtures', 'src', 'test'];
const TOP = ['CHANGELOG.md', 'README.md', 'SECURITY.md', 'build.mjs', 'package.json', 'vitest.config.ts'];
const everything = [...FOLDERS.flatMap((folder) => filesBelow(folder)), ...TOP];
const pages = everything.filter((file) => file.endsWith('.md'));

describe('the repository', () => {
  it('names no path of the machine it was written on', () => {
    const machine = [root, `${homedir()}/`].filter((prefix) => prefix.length > 2);
    const wrong = everything.filter((file) => machine.some((prefix) => readText(file).includes(prefix)));
    expect(wrong).toEqual([]);
  });

  it('has hooks of tests in tests only: test files share the modules beside them, which are loaded once', () => {
    // The setup file is loaded for each test file.
    const setup = 'test/each-file.ts';
    const helpers = filesBelow('test', /\.ts$/).filter((file) => !file.endsWith('.test.ts') && file !== setup);
    const hook = /^(?:(?:before|after)(?:Each|All)|vi\.(?:mock|setConfig))\(/m;
    expect(helpers.filter((file) => hook.test(readText(file)))).toEqual([]);
  });

  it('waits with patience in tests: by default, vi.waitFor gives up after a second', () => {
    // To parse all tests takes seconds.
    const waiting = sourcesBelow('test').filter(({ text }) => text.includes('waitFor'));
    const impatient = waiting.flatMap(({ path: file, ast }) =>
      nodesOf(ast).flatMap((node) => {
        const { callee } = node;
        const isWait = node.type === 'CallExpression' && isNode(callee) && isNode(callee['property']);
        const name = isWait ? (callee['property'] as { readonly name?: string }).name : undefined;
        return name === 'waitFor' && (node['arguments'] as readonly unknown[]).length < 2 ? [file] : [];
      }),
    );
    expect(impatient).toEqual([]);
  });

  it('uses every fixture in a test or shows it on a page', () => {
    const users = [...pages, ...filesBelow('test', /\.ts$/)].map(readText).join('\n');
    const idle = filesBelow('fixtures', /\.yaml$/).filter((file) => !users.includes(file.replace('fixtures/', '')));
    expect(idle).toEqual([]);
  });

  it('says in each fixture what it shows', () => {
    const silent = filesBelow('fixtures').filter((file) => !/^(?:#!.*\n)?(?:#|\/\/) /.test(readText(file)));
    expect(silent).toEqual([]);
  });

  it('links only to files that exist', () => {
    const dead = pages.flatMap((page) =>
      [...readText(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
        .map(([, target = '']) => path.posix.join(path.posix.dirname(page), target))
        .filter((target) => !existsSync(path.join(root, target)))
        .map((target) => `${page} links to ${target}`),
    );
    expect(dead).toEqual([]);
  });

  it('documents every exit code', () => {
    const page = readText('docs/exit-codes.md');
    expect(Object.values(EXIT).filter((code) => !page.includes(`| ${code} |`))).toEqual([]);
  });

  it('pins every dependency exactly and locks no download address', () => {
    type Dependencies = Record<'devDependencies' | 'optionalDependencies', Record<string, string>>;
    const { devDependencies, optionalDependencies } = JSON.parse(readText('package.json')) as Dependencies;
    const versions = Object.values({ ...devDependencies, ...optionalDependencies });
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+(-alpha\.\d+)?$/.test(version))).toEqual([]);
    expect(readText('package-lock.json')).not.toContain('"resolved": "http');
  });

  it('installs on each version of Node.js on which podrun runs', () => {
    type Locked = Readonly<Record<string, { readonly engines?: { readonly node?: string } }>>;
    const { packages } = JSON.parse(readText('package-lock.json')) as { readonly packages: Locked };
    // npm prints a warning for each package that names later versions only.
    const later = Object.entries(packages).filter(([, { engines }]) => /^>=? ?2[1-9]/.test(engines?.node ?? ''));
    expect(later.map(([name]) => name)).toEqual([]);
  });

  it('has generated files as the generator makes them', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'podrun-generate-'));
    try {
      cpSync(path.join(root, 'src/api/schema'), path.join(folder, 'schema'), { recursive: true });
      execFileSync(process.execPath, [path.join(folder, 'schema/generate.mjs')]);
      expect(contentsOf(path.join(folder, 'generated'))).toEqual(contentsOf(path.join(root, 'src/api/generated')));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each(['conformance', 'golden'])(
    'has a true copy of the shared folder %s, except for files written elsewhere',
    (folder) => {
      const original = path.join(root, '../shared', folder);
      // The original lies beside the checkout of the developers only.
      if (!existsSync(original)) return;
      const shared = Object.entries(contentsOf(original)).filter(([file]) => !file.startsWith('k8s-examples/'));
      expect(contentsOf(path.join(root, 'test', folder))).toEqual(Object.fromEntries(shared));
    },
  );
});

/** Relative path and text of every file below a folder. */
function contentsOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [path.relative(folder, file), readFileSync(file, 'utf8')];
    }),
  );
}
