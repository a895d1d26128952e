/** True for a medium of an emptyDir that a kubelet knows. Source: pkg/volume/emptydir/empty_dir.go SetUpAt. */
export function isKnownMedium(medium: string): boolean {
  return medium === '' || medium === 'Memory' || medium === 'HugePages' || medium.startsWith('HugePages-');
}
