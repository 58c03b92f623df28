/** An item as the API takes it back: without what the SDK's stream helper adds to it for its caller. */
export function withoutParsed<Item extends object>(item: Item): Item {
  const sent = { ...item };
  Reflect.deleteProperty(sent, 'parsed_arguments');
  return sent;
}
