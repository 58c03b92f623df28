import { findColour } from './colours.ts';

/** A model by its name, after a dot of the colour that it has in every chart. */
export const ModelName = ({ name }: { readonly name: string }) => (
  <span className="tg-mono">
    <i className="tg-dot" style={{ background: findColour(name) }} aria-hidden />
    {name}
  </span>
);
