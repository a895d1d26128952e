import type { Account } from './own-rights.ts';

/** An account with its user. The ids are as the files have them: `hasUsableIds` judges them. */
export interface ListedAccount extends Account {
  readonly uid: number;
}

/**
 * Finds an account in the files of an image or of the machine. Source: containerd, pkg/oci/spec_opts.go WithUserID,
 * WithUsername, WithAdditionalGIDs; the first line that fits counts.
 * @param user a name or a number
 * @param passwd the text of /etc/passwd; empty: there is no such file
 * @param group the text of /etc/group
 */
export function findAccount(user: string | number, passwd: string, group: string): ListedAccount | undefined {
  const row = rowsOf(passwd).find(([name, , id]) => (typeof user === 'number' ? idIn(id) === user : name === user));
  const [name = '', , uid, gid, , home = ''] = row ?? [];
  const [uidNumber, gidNumber] = [idIn(uid), idIn(gid)];
  if (uidNumber === undefined || gidNumber === undefined) return undefined;
  const groups = rowsOf(group).flatMap(([, , id, members = '']) => {
    const number = idIn(id);
    return number !== undefined && members.split(',').includes(name) ? [number] : [];
  });
  return { uid: uidNumber, gid: gidNumber, groups, home: home || '/' };
}

/** The whole number that a text is, as Go's strconv.Atoi reads it, but of any size. Undefined: it is none. */
export function idIn(text: string | undefined): number | undefined {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}

function rowsOf(text: string): string[][] {
  return text.split('\n').map((line) => line.trim().split(':'));
}
