export function isFace(file: string): boolean;
export function throughFaces(text: string, file: string): string;
export function homesOf(face: string): Map<string, string>;
