/** An account of passwd(5), with its groups of group(5). */
export interface ImageAccount {
  readonly uid: number;
  readonly gid: number;
  /** The groups that name the user as a member. */
  readonly groups: readonly number[];
  /** Empty: the file names none. */
  readonly home: string;
}

/**
 * Finds an account in the files of an image. Source: containerd, pkg/oci/spec_opts.go WithUserID, WithUsername,
 * WithAdditionalGIDs; the first line that fits counts.
 * @param user a name or a number
 * @param passwd the text of /etc/passwd; empty: the image has no such file
 * @param group the text of /etc/group
 */
export function findAccount(user: string | number, passwd: string, group: string): ImageAccount | undefined {
  const row = rowsOf(passwd).find(([name, , id]) => (typeof user === 'number' ? id === String(user) : name === user));
  const [name = '', , uid, gid, , home = ''] = row ?? [];
  if (!isId(uid) || !isId(gid)) return undefined;
  const groups = rowsOf(group).flatMap(([, , id, members = '']) =>
    isId(id) && members.split(',').includes(name) ? [Number(id)] : [],
  );
  return { uid: Number(uid), gid: Number(gid), groups, home };
}

function isId(text: string | undefined): text is string {
  return text !== undefined && /^\d{1,10}$/.test(text);
}

function rowsOf(text: string): string[][] {
  return text.split('\n').map((line) => line.trim().split(':'));
}
