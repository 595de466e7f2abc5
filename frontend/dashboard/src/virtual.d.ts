declare module "virtual:world" {
  interface Country {
    /** ISO 3166-1 alpha-2, or null for an outline that has no code. */
    readonly code: string | null;
    readonly path: string;
  }
  const world: {
    readonly width: number;
    readonly height: number;
    /** Of the projection: screen = translate + scale × natural earth (radians). */
    readonly scale: number;
    readonly x: number;
    readonly y: number;
    readonly countries: readonly Country[];
  };
  export default world;
}

declare module "virtual:flags" {
  /** The folder of the flags, relative to the page. */
  const folder: string;
  export default folder;
}
