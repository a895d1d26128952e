import { expect, it } from 'vitest';
import { type AstNode, isNode, nodesOf, type SourceFile, sourcesBelow } from './source.ts';

const source = sourcesBelow('src').filter((file) => file.path.endsWith('.ts'));
const tests = sourcesBelow('test');

it('whatever src exports, src uses', () => {
  const namesIn = new Map(source.map((file) => [file.path, countNames(file)]));
  const tested = new Set(tests.flatMap((file) => [...countNames(file).keys()]));
  /** The number of files of src that have the name. */
  const users = new Map<string, number>();
  for (const names of namesIn.values()) for (const name of names.keys()) users.set(name, (users.get(name) ?? 0) + 1);
  const unused = source.flatMap((file) =>
    exportsOf(file)
      .filter(({ name, isType }) => {
        const isElsewhere = (users.get(name) ?? 0) > 1;
        // A name that its own file uses may be exported for a test; a type may be exported for callers.
        const isAtHome = (namesIn.get(file.path)?.get(name) ?? 0) > 1;
        return !isElsewhere && !(isAtHome && (isType || tested.has(name)));
      })
      .map(({ name }) => `${file.path} exports ${name}`),
  );
  expect(unused).toEqual([]);
});

it('no exported name, and no type, stands for two things', () => {
  const files = new Map<string, string[]>();
  for (const file of source) {
    for (const { name } of exportsOf(file)) files.set(name, [...(files.get(name) ?? []), file.path]);
  }
  // Every verb exports `register`, see src/cli/base/verb.ts.
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
