import { Component, type ComponentChild, type FunctionComponent } from "preact";

/** Draws again only when a prop is another value. */
export function memo<P extends object>(Inner: FunctionComponent<P>): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(props: Readonly<P>): boolean {
      return !isShallowEqual(this.props as P, props);
    }

    override render(): ComponentChild {
      return <Inner {...(this.props as P)} />;
    }
  }
  return Memo as unknown as FunctionComponent<P>;
}

function isShallowEqual<P extends object>(a: P, b: P): boolean {
  const keys = Object.keys(a) as (keyof P)[];
  return keys.length === Object.keys(b).length && keys.every((key) => Object.is(a[key], b[key]));
}
