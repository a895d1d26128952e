/** The sysctls of a network namespace by their paths below /proc/sys, with values without line breaks. */
export type Sysctls = ReadonlyArray<readonly [path: string, value: string]>;

/** The lines of a script that set the sysctls of $SYSCTLS in its network. Only its owner has the right to. */
export const SET_SYSCTLS = `printf '%s\\n' "$SYSCTLS" | while read -r file value; do
  [ -z "$file" ] || { printf '%s\\n' "$value" >"/proc/sys/$file"; } 2>/dev/null ||
    { echo "the kernel does not take $value for the sysctl $file"; exit 1; }
done || exit 1`;

/** The value of $SYSCTLS. */
export function sysctlsText(sysctls: Sysctls): string {
  return sysctls.map(([path, value]) => `${path} ${value}`).join('\n');
}
