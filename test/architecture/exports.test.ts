import path from 'node:path';
import { expect, it } from 'vitest';
import { type AstNode, isNode, nodesOf, type SourceFile, sourcesBelow } from './source.ts';

const source = sourcesBelow('src').filter((file) => file.path.endsWith('.ts'));

/** Pure parts of a file whose face asks this machine, or a system that tests do not run on. This list only shrinks. */
const TESTED_ALONE = [
  'src/apiserver/deletion/leftovers.ts: remainingContainers',
  'src/clock.ts: Turns',
  'src/remote/base/connection.ts: missingRule',
  'src/runtime/linux/cgroup/cgroup-group.ts: groupNames',
  'src/runtime/linux/cgroup/cgroup-machine.ts: exploreCgroups',
  'src/runtime/linux/cgroup/scope.ts: wantsScope',
  'src/runtime/linux/limits/limiter.ts: enteringGroups',
  'src/runtime/linux/paths/host-mounts.ts: parseMountInfo',
  'src/runtime/linux/usage/process-usage.ts: parsePsUsage',
  'src/runtime/watch/listeners.ts: parseListeners',
  'src/runtime/watch/process-identity.ts: parseProcStat',
  'src/runtime/watch/process-table.ts: listByPs',
  'src/runtime/watch/process-table.ts: parsePsTable',
  'src/server/streams/command/run-command.ts: TerminalSizes',
  'src/server/streams/spdy/header-blocks.ts: DICTIONARY',
];

it('whatever src exports, src uses: no value is exported for a test', () => {
  const namesIn = new Map(source.map((file) => [file.path, countNames(file)]));
  /** The number of files of src that have the name. */
  const users = new Map<string, number>();
  for (const names of namesIn.values()) for (const name of names.keys()) users.set(name, (users.get(name) ?? 0) + 1);
  const imported = new Set(source.flatMap(importedNames));
  const unused = source.flatMap((file) =>
    exportsOf(file)
      .filter(({ name, isType }) => {
        const isElsewhere = (users.get(name) ?? 0) > 1;
        // A type that its own file uses may be exported for callers.
        if (isType) return !isElsewhere && (namesIn.get(file.path)?.get(name) ?? 0) <= 1;
        return !imported.has(`${file.path}: ${name}`) && !(isElsewhere && imported.has(`${file.path}: *`));
      })
      .map(({ name }) => `${file.path}: ${name}`),
  );
  expect(unused.toSorted()).toEqual(TESTED_ALONE);
});

it('no exported name, and no type, stands for two things', () => {
  const files = new Map<string, string[]>();
  for (const file of source) {
    for (const { name } of exportsOf(file)) files.set(name, [...(files.get(name) ?? []), file.path]);
  }
  // Every verb exports `register`, see src/cli/base/cli.ts.
  const shared = [...files].filter(([name, paths]) => paths.length > 1 && name !== 'register');
  expect(shared).toEqual([]);
  const clashing = source.flatMap((file) =>
    privateTypesOf(file).flatMap((name) => {
      const homes = files.get(name);
      return homes === undefined ? [] : [`${file.path}: ${name} is also exported by ${homes.join(', ')}`];
    }),
  );
  expect(clashing).toEqual([]);
});

/** Exported names of a file. A re-export counts as a use of the other file, not as an export to be used. */
function exportsOf(file: SourceFile): Array<{ name: string; isType: boolean }> {
  return (file.ast['body'] as AstNode[]).flatMap((node) => {
    if (node.type !== 'ExportNamedDeclaration' || !isNode(node['declaration'])) return [];
    const { declaration } = node;
    const isType = declaration.type.startsWith('TS');
    const declared = (declaration['declarations'] as AstNode[] | undefined) ?? [declaration];
    return declared.flatMap((one) => (isNode(one['id']) ? [{ name: String(one['id']['name']), isType }] : []));
  });
}

/** The imports of a file: `src/clock.ts: sleep`, or `src/clock.ts: *` for an import of the whole. */
function importedNames(file: SourceFile): string[] {
  return nodesOf(file.ast).flatMap((node) => {
    if (!isNode(node['source'])) return [];
    const target = path.posix.join(path.posix.dirname(file.path), String(node['source']['value']));
    const specifiers = (node['specifiers'] as AstNode[] | undefined) ?? [];
    const names = specifiers.map((specifier) => {
      const name = specifier['imported'] ?? (node.type === 'ExportNamedDeclaration' ? specifier['local'] : undefined);
      return isNode(name) ? String(name['name']) : '*';
    });
    return (names.length === 0 ? ['*'] : names).map((name) => `${target}: ${name}`);
  });
}

/** The types and classes that a file keeps to itself. */
function privateTypesOf(file: SourceFile): string[] {
  return (file.ast['body'] as AstNode[]).flatMap((node) => {
    const isType = /^(TSInterfaceDeclaration|TSTypeAliasDeclaration|ClassDeclaration)$/.test(node.type);
    return isType && isNode(node['id']) ? [String(node['id']['name'])] : [];
  });
}

/** The number of occurrences of each name. Two things rarely share a name, because names are descriptive. */
function countNames(file: SourceFile): Map<string, number> {
  const counts = new Map<string, number>();
  for (const node of nodesOf(file.ast)) {
    if (node.type === 'Identifier') counts.set(String(node['name']), (counts.get(String(node['name'])) ?? 0) + 1);
  }
  return counts;
}
